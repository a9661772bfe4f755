import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../src/entries/testing.js';
import {
  decodeUtf8,
  encodeUtf8,
  inSlices,
  kubernetes,
  partOf,
  SharedWork,
  silentLogger,
  type JsonObject,
  type OutboundRequest,
  type Work,
} from '../../src/foundation/index.js';
import { RemoteDocuments } from '../../src/server/aggregation/remote-documents.js';
import type { RemoteService } from '../../src/server/aggregation/remote-services.js';
import { defaultDecodeLimits } from '../../src/server/codec/codec.js';
import { readJson } from '../../src/server/codec/json/json-decode.js';
import { MergedDocument } from '../../src/server/openapi/merge/merged-document.js';
import { documentOfPaths, mergeableDocument } from '../../src/server/openapi/merge/partial-document.js';
import { withDocuments } from '../../src/server/openapi/merge/with-documents.js';
import { turnsDuring } from '../support/turns.js';

const KINDS = 'x-kubernetes-group-version-kind';
const kind = (name: string): JsonObject => ({ group: 'g', version: 'v1', kind: name });
const body = (name: string): JsonObject => ({ in: 'body', name: 'body', schema: { $ref: `#/definitions/${name}` } });

/** Work whose memory can be looked at. */
class CountedWork extends SharedWork {
  static readonly limit = { bytes: Infinity };
  static held = 0;

  override reserve(bytes: number): void {
    if (CountedWork.held + bytes > CountedWork.limit.bytes) throw new Error('too much');
    CountedWork.held += bytes;
  }

  override release(bytes: number): void {
    CountedWork.held -= bytes;
  }
}

const source = {
  decode: async (content: Uint8Array, work: Work) => (await readJson(content, defaultDecodeLimits, { work })).value,
  ownWork: () => partOf(new CountedWork()),
};

/** Merges documents as the server does. */
function merged(own: JsonObject, ...others: readonly JsonObject[]): Promise<JsonObject> {
  const documents = others.map((other) => ({ hash: '', content: encodeUtf8(JSON.stringify(other)) }));
  return withDocuments(source, own, documents, {
    dialect: kubernetes,
    use: (document) => Promise.resolve(document),
  });
}

describe('merging documents', () => {
  it('keeps the head of the first, and adds paths with what they refer to', async () => {
    const own = { swagger: '2.0', info: { title: 'own' }, paths: { '/a': {} }, definitions: { A: { type: 'object' } } };
    const other = {
      info: { title: 'other' },
      paths: { '/b': { parameters: [{ $ref: '#/parameters/p' }], get: { parameters: [body('B')] } } },
      parameters: { p: { in: 'query', name: 'p', type: 'string' } },
      definitions: { B: { type: 'string' } },
    };
    expect(await merged(own, other)).toEqual({
      ...own,
      paths: { ...own.paths, ...other.paths },
      definitions: { ...own.definitions, ...other.definitions },
      parameters: other.parameters,
    });
  });

  it('leaves a path to the first that has it, and what only that path uses out', async () => {
    const own = { paths: { '/a': { get: { summary: 'own' } } }, definitions: {} };
    const other = {
      paths: { '/a': { get: { parameters: [body('OnlyA')] } }, '/b': { get: { parameters: [body('B')] } } },
      definitions: { OnlyA: {}, B: { properties: { c: { $ref: '#/definitions/C' } } }, C: {} },
    };
    const { paths, definitions } = await merged(own, other);
    expect(paths).toEqual({ '/a': own.paths['/a'], '/b': other.paths['/b'] });
    expect(definitions).toEqual({ B: other.definitions.B, C: {} });
  });

  it('renames what has another content, in every reference and once for all that agree', async () => {
    const own = { paths: {}, definitions: { T: { type: 'string' }, T_v2: { type: 'number' } } };
    const other = (path: string) => ({
      paths: {
        [path]: {
          get: {
            parameters: [body('T')],
            responses: {
              '200': { schema: { items: { $ref: '#/definitions/List' } } },
              '404': { $ref: '#/responses/no' },
            },
          },
        },
      },
      responses: { no: { schema: { $ref: '#/definitions/T' } } },
      definitions: {
        T: { type: 'object' },
        List: {
          properties: { $ref: { type: 'string' }, items: { items: { $ref: '#/definitions/T' } } },
          additionalProperties: { allOf: [{ $ref: '#/definitions/T' }] },
          default: { $ref: '#/definitions/T' },
        },
      },
    });
    const { paths, definitions, responses } = await merged(own, other('/b'), other('/c'));
    expect(Object.keys(definitions as JsonObject)).toEqual(['T', 'T_v2', 'T_v3', 'List', 'List_v2']);
    expect(definitions).toMatchObject({
      T_v3: { type: 'object' },
      List: {
        properties: { $ref: { type: 'string' }, items: { items: { $ref: '#/definitions/T_v3' } } },
        additionalProperties: { allOf: [{ $ref: '#/definitions/T_v3' }] },
        // A value of an object, not a reference.
        default: { $ref: '#/definitions/T' },
      },
    });
    // As in Kubernetes, definitions are compared before their references are renamed: that of the third is another one.
    const { List, List_v2 } = definitions as Record<string, object>;
    expect(List_v2).toEqual(List);
    const no = { schema: { $ref: '#/definitions/T_v3' } };
    expect(responses).toEqual({ no, no_v2: no });
    for (const [path, list] of [
      ['/b', 'List'],
      ['/c', 'List_v2'],
    ] as const)
      expect((paths as JsonObject)[path]).toMatchObject({
        get: {
          parameters: [body('T_v3')],
          responses: { '200': { schema: { items: { $ref: `#/definitions/${list}` } } } },
        },
      });
  });

  it('takes definitions that differ only in their kinds for one, with the kinds of both', async () => {
    const own = { paths: {}, definitions: { T: { type: 'object', [KINDS]: [kind('B')] } } };
    const other = { paths: {}, definitions: { T: { type: 'object', [KINDS]: [kind('A'), kind('B')] } } };
    const { definitions } = await merged(own, other);
    expect(definitions).toEqual({ T: { type: 'object', [KINDS]: [kind('A'), kind('B')] } });
    expect(own.definitions.T[KINDS]).toEqual([kind('B')]);
  });

  it('takes every name, and every form', async () => {
    const other = JSON.parse(
      '{"paths":{"__proto__":{"get":{"parameters":[{"schema":{"$ref":"#/definitions/__proto__"}}]}}},"definitions":{"__proto__":{"a":1},"constructor":7}}',
    ) as JsonObject;
    const { paths, definitions } = await merged({ paths: {}, definitions: {} }, other);
    expect(Object.keys(paths as JsonObject)).toEqual(['__proto__']);
    expect(Object.keys(definitions as JsonObject)).toEqual(['__proto__', 'constructor']);
  });

  it('pauses, and releases its memory', async () => {
    const definitions = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [
        `T${index}`,
        { properties: { next: { $ref: `#/definitions/T${index + 1}` }, own: { type: 'string' } } },
      ]),
    );
    const other = { paths: { '/b': { get: { parameters: [body('T0')] } } }, definitions };
    const own = { paths: {}, definitions: { T0: { type: 'string' } } };
    const turns = await turnsDuring(async () => {
      const { definitions: all } = await merged(own, other);
      expect(Object.keys(all as JsonObject)).toHaveLength(3_001);
    });
    expect(turns).toBeGreaterThan(20);
    expect(CountedWork.held).toBe(0);
  });

  it.each([
    ['a list of values that are no schemas', { allOf: Array.from({ length: 20_000 }, () => 1) }],
    [
      'many properties that are no schemas',
      { properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, 1])) },
    ],
  ])('pauses in %s', async (_, schema) => {
    const document = mergeableDocument({ paths: { '/b': { parameters: [{ schema }] } } });
    const work = new SharedWork();
    const turns = await turnsDuring(() =>
      inSlices(
        work,
        documentOfPaths(work, document, () => true),
      ),
    );
    expect(turns).toBeGreaterThan(20);
  });

  it('pauses in the search for a free name', async () => {
    const length = 20_000;
    const names = ['a', ...Array.from({ length }, (_, index) => `a_v${index + 2}`)];
    const other = mergeableDocument({ definitions: Object.fromEntries(names.map((name) => [name, 1])) });
    const work = new SharedWork();
    const document = await inSlices(work, MergedDocument.of(work, { definitions: { a: 2 } }, KINDS));
    const few = mergeableDocument({ definitions: Object.fromEntries(names.slice(1).map((name) => [name, 1])) });
    const turnsOf = (added: typeof other): Promise<number> => turnsDuring(() => inSlices(work, document.add(added)));
    // The names that are taken are looked at once more.
    expect((await turnsOf(other)) - (await turnsOf(few))).toBeGreaterThan(20);
  });
});

describe('the documents of other servers', () => {
  const service = (name: string, priority: number, isAvailable = true): RemoteService => {
    const [version = '', ...group] = name.split('.');
    return {
      ...{ name, version, group: group.join('.'), groupPriority: priority, versionPriority: priority, isAvailable },
      service: { namespace: 'default', name, port: 443 },
      tls: {},
    };
  };
  const pathOf = ({ group, version }: RemoteService): string => `/apis/${group}/${version}/things`;

  function world(answerOf: (host: string) => object | Promise<object>) {
    const clock = createManualClock(0);
    const asked: string[] = [];
    const documents = new RemoteDocuments({
      ...source,
      clock,
      dialect: kubernetes,
      logger: silentLogger,
      identity: () => ({ certificate: '', key: '' }),
      findService: ({ name }) => Promise.resolve(new URL(`https://${name}`)),
      http: async ({ url, onChunk }: OutboundRequest) => {
        const { host } = new URL(url);
        asked.push(host);
        const content = encodeUtf8(JSON.stringify(await answerOf(host)));
        onChunk?.(content.length);
        return { status: 200, header: () => undefined, body: content };
      },
    });
    return { clock, asked, documents };
  }

  const first = service('v1.b.example.com', 10);
  const second = service('v1.a.example.com', 20);
  const answers = () => ({ paths: { [pathOf(first)]: {}, [pathOf(second)]: {} } });

  it('are those of the servers that are available, in the order of their priorities', async () => {
    const { documents, asked } = world(answers);
    for (const each of [first, service('v1.c.example.com', 5, false), second]) documents.set(each);
    const read = await documents.read();
    expect(
      read.map(({ content }) => Object.keys((JSON.parse(decodeUtf8(content)) as { paths: object }).paths)),
    ).toEqual([[pathOf(second)], [pathOf(first)]]);
    expect(asked.toSorted()).toEqual(['v1.a.example.com', 'v1.b.example.com']);
    expect(CountedWork.held).toBeGreaterThan(0);
    documents.close();
    expect(CountedWork.held).toBe(0);
  });

  it('are left out when the memory budget has no room for them', async () => {
    const { documents } = world(answers);
    documents.set(first);
    CountedWork.limit.bytes = 40;
    expect(await documents.read()).toEqual([]);
    CountedWork.limit.bytes = Infinity;
    expect(CountedWork.held).toBe(0);
  });

  it('are not waited for any longer than twenty seconds', async () => {
    const { documents, clock } = world((host) => (host === first.name ? new Promise(() => undefined) : answers()));
    documents.set(second);
    documents.set(first);
    const reading = documents.read();
    await clock.advance(20_000);
    expect(await reading).toHaveLength(1);
  });

  it('are asked for by one request, however many wait', async () => {
    const { documents, asked } = world(answers);
    documents.set(first);
    await Promise.all(Array.from({ length: 50 }, () => documents.read()));
    expect(asked).toHaveLength(1);
  });
});
