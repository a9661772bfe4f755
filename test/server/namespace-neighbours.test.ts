import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigMap, Namespace, Role, type ApiServer } from '../../src/entries/index.js';
import { controllerNames } from '../../src/entries/controllers.js';
import { orch } from '../../src/foundation/index.js';
import { startTestServer } from '../../src/entries/testing.js';
import { ask, jsonOf, streamOf, textOf } from './ask.js';

const tokens = [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }];
const GROUP = 'rbac.authorization.orch.io';
/** Forms of a collection. In all of them the labels are readable text. */
const FORMS = [
  'application/json',
  'application/yaml',
  orch.protobufMediaType,
  'application/json;as=Table;v=v1;g=meta.orch.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.orch.io',
];
const WATCH_FORMS = [
  'application/json',
  'application/json;as=Table;v=v1;g=meta.orch.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.orch.io',
  `${orch.protobufMediaType};stream=watch`,
];

/** Names that begin with each other, or are adjacent in sort order. */
const anyName = fc.oneof(
  fc.constantFrom('a', 'ab', 'a-b', 'a-', 'a0', 'aa', 'b', 'abc', 'a-b-c').filter((name) => !name.endsWith('-')),
  fc.stringMatching(/^[ab][ab-]{0,2}[ab0]$/),
);
const anySpaces = fc.uniqueArray(anyName, { minLength: 3, maxLength: 6 });
const KINDS = [
  { definition: ConfigMap, path: (space: string) => `/api/v1/namespaces/${space}/configmaps`, names: anyName },
  {
    definition: Role,
    path: (space: string) => `/apis/${GROUP}/v1/namespaces/${space}/roles`,
    names: fc.oneof(anyName, fc.constantFrom('a:b', 'a.b', 'A', 'ab:', '~')),
  },
] as const;

/** The label that identifies an object in every form; a namespace's own label is not part of another's. */
const mark = (space: string): string => `in.${space}.here`;
const marksIn = (text: string): readonly string[] => [
  ...new Set(Array.from(text.matchAll(/in\.([a-z0-9-]+)\.here/g), (found) => found[1] ?? '')),
];

async function textFrom(
  server: ApiServer,
  path: string,
  accept: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await ask(server, 'GET', path, { headers: { accept } });
  const text = response.body instanceof Uint8Array ? Buffer.from(response.body).toString('latin1') : textOf(response);
  return { status: response.status, text };
}

/** Pages through a collection; the labels on all pages. */
async function paged(
  server: ApiServer,
  path: string,
  limit: number,
  query: string,
): Promise<{
  readonly marks: readonly string[];
  readonly names: readonly string[];
  readonly tokens: readonly string[];
}> {
  const marks: string[] = [];
  const names: string[] = [];
  const seen: string[] = [];
  for (let token = ''; ;) {
    const page = jsonOf(
      await ask(
        server,
        'GET',
        `${path}?limit=${limit}${token === '' ? query : `&continue=${encodeURIComponent(token)}`}`,
      ),
    ) as { metadata: { continue?: string }; items: { metadata: { name: string } }[] };
    marks.push(...marksIn(JSON.stringify(page)));
    names.push(...page.items.map(({ metadata }) => metadata.name));
    token = page.metadata.continue ?? '';
    if (token === '') return { marks: [...new Set(marks)], names, tokens: seen };
    seen.push(token);
  }
}

const world = fc.record({
  kind: fc.nat(KINDS.length - 1),
  spaces: anySpaces,
  names: fc.uniqueArray(fc.oneof(anyName, fc.constantFrom('a.b', 'a.b.c')), { minLength: 1, maxLength: 4 }),
  odd: fc.uniqueArray(fc.constantFrom('a:b', 'ab:', 'A', '~'), { maxLength: 2 }),
});

/** A server with one object of each name in each namespace. */
async function serverWith({
  kind,
  spaces,
  names,
  odd,
}: {
  kind: number;
  spaces: readonly string[];
  names: readonly string[];
  odd: readonly string[];
}) {
  const test = await startTestServer({
    controllers: { disable: controllerNames },
    authentication: { tokens },
    featureGates: { WatchList: true },
  });
  const { definition, path } = KINDS[kind] ?? KINDS[0];
  const client = test.client.resource(definition as typeof ConfigMap);
  // The allowed names depend on the kind.
  const all = definition === Role ? [...names, ...odd] : names;
  for (const space of spaces) {
    await test.client.resource(Namespace).create({ metadata: { name: space } });
    for (const name of all)
      await client.namespace(space).create({ metadata: { name, labels: { where: mark(space) } } });
  }
  return Object.assign(test, { path, objects: client, all });
}

describe('a namespace', () => {
  it('is listed alone: in every form, at every version, on every page', async () => {
    await fc.assert(
      fc.asyncProperty(world, fc.integer({ min: 1, max: 3 }), async (wanted, limit) => {
        await using test = await serverWith(wanted);
        const { server, path, all } = test;
        const version = String((await test.objects.list({ limit: 1 })).metadata.resourceVersion);
        for (const space of wanted.spaces) {
          for (const accept of FORMS)
            for (const query of [
              '',
              '?resourceVersion=0',
              `?resourceVersion=${version}&resourceVersionMatch=Exact`,
              '?labelSelector=where',
              `?fieldSelector=metadata.name%3D${encodeURIComponent(all[0] ?? '')}`,
            ]) {
              const { status, text } = await textFrom(server, path(space) + query, accept);
              expect([status, marksIn(text)], `${path(space)}${query} as ${accept}`).toEqual([200, [space]]);
            }
          for (const query of ['', '&resourceVersion=0', `&resourceVersion=${version}&resourceVersionMatch=Exact`]) {
            const pages = await paged(server, path(space), limit, query);
            expect([pages.marks, pages.names.toSorted()]).toEqual([[space], all.toSorted()]);
            // A continue token of one namespace gives access to no other.
            for (const other of wanted.spaces)
              for (const token of pages.tokens) {
                const { status, text } = await textFrom(
                  server,
                  `${path(other)}?limit=${limit}&continue=${encodeURIComponent(token)}`,
                  'application/json',
                );
                if (status === 200) expect(marksIn(text).filter((found) => found !== other)).toEqual([]);
                else expect(status).toBe(400);
              }
          }
          for (const absent of [`${space}-`, space.slice(0, -1), `${space}%2520`, `${space}x`].filter(
            (name) => name !== '' && !wanted.spaces.includes(name),
          )) {
            expect(marksIn((await textFrom(server, path(absent), 'application/json')).text), absent).toEqual([]);
          }
          // A deletion of the collection is also limited to its namespace.
          const gone = await ask(server, 'DELETE', `${path(space)}?dryRun=All`);
          expect(marksIn(textOf(gone)).filter((found) => found !== space)).toEqual([]);
        }
        const [first = ''] = wanted.spaces;
        await ask(server, 'DELETE', path(first));
        // The system has its own roles.
        const left = await test.objects.list({ labelSelector: 'where' });
        expect(marksIn(JSON.stringify(left)).toSorted()).toEqual(wanted.spaces.slice(1).toSorted());
        expect(left.items).toHaveLength((wanted.spaces.length - 1) * all.length);
      }),
      { numRuns: 40 },
    );
  }, 300_000);

  it('is watched alone: with and without a version, with initial events, by path and by query', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (wanted) => {
        await using test = await serverWith(wanted);
        const { server, path, objects, all } = test;
        const version = String((await objects.list({ limit: 1 })).metadata.resourceVersion);
        const [name = ''] = all;
        const queries = [
          '?watch=true',
          '?watch=true&resourceVersion=0',
          `?watch=true&resourceVersion=${version}`,
          '?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
          '?watch=1&labelSelector=where',
          '?watch=true&fieldSelector=metadata.name!%3Dnone',
        ];
        const watches: { space: string; path: string; stream: AsyncIterator<Uint8Array> }[] = [];
        for (const space of wanted.spaces)
          for (const accept of WATCH_FORMS) {
            const targets = [...queries.map((query) => path(space) + query), path(space).replace('/v1/', '/v1/watch/')];
            for (const target of targets) {
              const response = await ask(server, 'GET', target, { headers: { accept } });
              watches.push({ space, path: `${target} as ${accept}`, stream: streamOf(response) });
            }
          }
        for (const verb of ['change', 'last', 'end'])
          for (const space of wanted.spaces) {
            const metadata = { labels: { where: mark(space) }, annotations: { step: verb } };
            if (verb === 'change') await objects.namespace(space).patch(name, { metadata });
            else await objects.namespace(space).create({ metadata: { name: verb, ...metadata } });
            if (verb === 'last') await objects.namespace(space).delete('last');
          }
        expect(watches.length).toBe(wanted.spaces.length * WATCH_FORMS.length * (queries.length + 1));
        for (const { space, path: shown, stream } of watches) {
          let text = '';
          // In protobuf the length precedes the name.
          while (!/"end"|\bend\x12|\x03end/.test(text)) {
            const { value, done } = await stream.next();
            if (done === true) break;
            text += Buffer.from(value).toString('latin1');
          }
          expect(marksIn(text), shown).toEqual([space]);
        }
        for (const { stream } of watches) await stream.return?.();
      }),
      { numRuns: 25 },
    );
  }, 300_000);
});
