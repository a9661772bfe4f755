import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { controllerNames } from '../../src/entries/controllers.js';
import { builtinResources } from '../../src/kinds/builtin/index.js';
import { groupName } from '../../src/foundation/index.js';
import { startTestServer } from '../../src/entries/testing.js';
import { clientCases, clientsOf } from './access-matrix/client-cases.js';
import {
  CREATED_BY_UPDATE,
  mainCases,
  refusedCases,
  refusedSubresourceCases,
  subresourceCases,
  type Manifest,
  type MatrixCase,
} from './access-matrix/cases.js';
import { discoveredRows, Gadget, manifestOf, Planet, SPACE, type Row } from './access-matrix/kinds.js';
import { Ledger, type Admission, type Question } from './access-matrix/ledger.js';
import { ask, askWebSocket, endStream, jsonOf, textOf, type Asked } from './access-matrix/request.js';

const ledger = new Ledger();
const { server, close } = await startTestServer({
  authorization: { authorizer: ledger.authorizer },
  admission: { plugins: [ledger.plugin] },
  resources: [Gadget, Planet],
  featureGates: { ClusterTrustBundle: true },
  runtimeConfig: 'certificates.orch.io/v1alpha1=true',
  controllers: { disable: controllerNames },
  authentication: {
    tokens: [
      { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
      { token: 'alice', user: { username: 'alice', groups: ['dev'] } },
    ],
  },
});
await ask(server, 'POST', '/api/v1/namespaces', { body: JSON.stringify({ metadata: { name: SPACE } }) });
// The first request for the kind makes the objects of the server's own versions.
await ask(server, 'GET', '/apis/apiregistration.orch.io/v1/apiservices');
const rows = await discoveredRows(server);
const { paths } = jsonOf(await ask(server, 'GET', '/')) as { paths: string[] };
const mainOf = (row: Row): Row =>
  rows.find(
    ({ root, resource, subresource }) => root === row.root && resource === row.resource && subresource === '',
  ) ?? row;

afterAll(() => close());
beforeEach(() => ledger.clear());

interface Entry {
  readonly row: Row;
  readonly one: MatrixCase;
}

/** Every case with its row, indexed by title; its names are used by no other call. */
function cases(wanted: (entry: Entry) => boolean = () => true): [title: string, Entry][] {
  return rows.flatMap((row) => {
    const made =
      row.subresource === ''
        ? [...mainCases(row), ...refusedCases(row)]
        : [...subresourceCases(row, mainOf(row)), ...refusedSubresourceCases(row)];
    return made
      .map((one) => ({ row, one }))
      .filter(wanted)
      .map((entry): [string, Entry] => [
        `${row.root} ${row.resource}${row.subresource === '' ? '' : `/${row.subresource}`}: ${entry.one.title}`,
        entry,
      ]);
  });
}

/** Creates the required objects and builds the request. */
async function prepared(row: Row, { present = [], body, contentType, target }: MatrixCase): Promise<Asked> {
  const main = mainOf(row);
  const collection = `${main.root}${main.namespaced ? `/namespaces/${SPACE}` : ''}/${main.resource}`;
  const made: Manifest[] = [];
  for (const manifest of present) {
    const answer = await ask(server, 'POST', collection, { body: JSON.stringify(manifest) });
    if (answer.status !== 201) throw new Error(`${target}: ${textOf(answer)}`);
    made.push(jsonOf(answer) as Manifest);
  }
  ledger.clear();
  const [first] = made;
  const text = typeof body === 'function' ? JSON.stringify(first === undefined ? {} : body(first)) : body;
  return {
    token: 'alice',
    ...(text === undefined ? {} : { body: text }),
    headers: contentType === undefined ? {} : { 'content-type': contentType },
  };
}

function questionsOf({ group, version, resource, subresource }: Row, { asks, target }: MatrixCase): Question[] {
  const [path = ''] = target.split('?');
  return asks.map((given) => ({
    user: 'alice',
    verb: '',
    isResource: true,
    apiGroup: group,
    apiVersion: version,
    resource,
    subresource,
    namespace: '',
    name: '',
    path,
    ...given,
  }));
}

function admissionsOf({ group, version, resource, subresource, namespaced }: Row, { admits }: MatrixCase): Admission[] {
  const about = {
    resource: `${group}/${version}/${resource}`,
    subresource,
    namespace: namespaced ? SPACE : '',
    user: 'alice',
  };
  return admits.flatMap((given) => (['mutate', 'validate'] as const).map((stage) => ({ stage, ...about, ...given })));
}

const isAllowed = ({ one }: Entry): boolean => one.status.some((status) => status < 300);

/** A review of access asks about its contents, once the request itself is allowed. */
const isReview = ({ kind, one }: { readonly kind: string; readonly one: MatrixCase }): boolean =>
  kind.endsWith('SubjectAccessReview') && one.status.includes(201);
const REVIEWED: Partial<Question> = {
  verb: 'get',
  isResource: true,
  namespace: SPACE,
  apiGroup: '',
  resource: 'pods',
  name: '',
  path: '',
};

describe('the access matrix', () => {
  test('covers every resource of discovery with each of its verbs', () => {
    const tried = new Set(
      cases().flatMap(([, { row, one }]) =>
        one.asks.slice(0, 1).map(({ verb }) => `${row.root} ${row.resource} ${row.subresource} ${verb}`),
      ),
    );
    const listed = rows.flatMap((row) =>
      row.verbs.map((verb) => `${row.root} ${row.resource} ${row.subresource} ${verb}`),
    );
    expect(listed.filter((entry) => !tried.has(entry))).toEqual([]);
    expect(listed.length).toBeGreaterThan(100);
  });

  test.each(cases())('%s', async (_title, { row, one }) => {
    const asked = await prepared(row, one);
    const answer = await ask(server, one.method, one.target, asked);
    expect(one.status, typeof answer.body === 'object' && 'stream' in answer.body ? '' : textOf(answer)).toContain(
      answer.status,
    );
    const reviewed = isReview({ kind: row.kind, one }) ? ledger.questions.splice(1) : [];
    expect(ledger.questions).toEqual(questionsOf(row, one));
    expect(ledger.admissions).toEqual(admissionsOf(row, one));
    expect(reviewed).toEqual(
      isReview({ kind: row.kind, one })
        ? [expect.objectContaining({ ...REVIEWED, user: row.kind.startsWith('Self') ? 'alice' : 'bob' })]
        : [],
    );
    await endStream(answer);
  });
});

describe('a denied request', () => {
  test.each(cases(isAllowed))('%s: is refused after one question, before admission', async (_title, { row, one }) => {
    ledger.allows = () => false;
    const { body } = one;
    const answer = await ask(server, one.method, one.target, {
      token: 'alice',
      body: typeof body === 'string' ? body : 'not even JSON',
      headers: { 'content-type': one.contentType ?? 'application/json' },
    });
    expect([answer.status, ledger.questions, ledger.admissions]).toEqual([403, questionsOf(row, one).slice(0, 1), []]);
  });

  test.each(cases(({ one }) => one.asks.slice(1).some(({ verb }) => verb === 'create')))(
    '%s: is refused when it would create an object, before admission',
    async (_title, { row, one }) => {
      const asked = await prepared(row, one);
      ledger.allows = ({ verb }) => verb !== 'create';
      const answer = await ask(server, one.method, one.target, asked);
      expect([answer.status, ledger.questions, ledger.admissions]).toEqual([403, questionsOf(row, one), []]);
      expect((await ask(server, 'GET', one.target)).status).toBe(404);
    },
  );
});

describe('over WebSocket', () => {
  const isWatch = ({ one }: Entry): boolean => one.watch === true;

  test.each(cases(isWatch))('%s: asks once', async (_title, { row, one }) => {
    expect(await askWebSocket(server, one.method, one.target)).toBeUndefined();
    expect([ledger.questions, ledger.admissions]).toEqual([questionsOf(row, one), []]);
  });

  test.each(cases(isWatch))('%s: is refused', async (_title, { row, one }) => {
    ledger.allows = () => false;
    expect((await askWebSocket(server, one.method, one.target))?.status).toBe(403);
    expect([ledger.questions, ledger.admissions]).toEqual([questionsOf(row, one), []]);
  });

  test.each(
    cases(
      ({ one }) => one.watch !== true && one.status.includes(200) && one.method === 'GET' && one.present === undefined,
    ),
  )('%s: is not upgraded unless it is a watch', async (_title, { row, one }) => {
    expect((await askWebSocket(server, one.method, one.target))?.status).toBe(400);
    expect([ledger.questions, ledger.admissions]).toEqual([questionsOf(row, one), []]);
  });
});

describe('paths outside resources', () => {
  const targets = [
    ...paths,
    '/',
    '/api',
    '/api/',
    '/api/v1',
    '/api/v1/',
    '/apis/',
    '/apis/sky.example.com/',
    '/nothing',
    '/nothing/at/all',
    '/apis/no.such.group',
    '/apis/no.such.group/v1',
    '/openapi/v3/api/v1',
    '/healthz/ping',
    '/%61pi',
  ];
  const verbs = [
    ['GET', 'get'],
    ['HEAD', 'head'],
    ['POST', 'post'],
    ['PUT', 'put'],
    ['PATCH', 'patch'],
    ['DELETE', 'delete'],
    ['OPTIONS', 'options'],
  ] as const;

  test.each(targets)('%s is authorized once per request, for each method', async (target) => {
    const path = decodeURIComponent(target);
    for (const allowed of [true, false]) {
      for (const [method, verb] of verbs) {
        ledger.clear();
        ledger.allows = () => allowed;
        const answer = await ask(server, method, target, { token: 'alice', body: '{}' });
        const question = {
          user: 'alice',
          verb,
          isResource: false,
          path,
          apiGroup: '',
          apiVersion: '',
          resource: '',
          subresource: '',
          namespace: '',
          name: '',
        };
        expect([method, ledger.questions, ledger.admissions]).toEqual([method, [question], []]);
        expect(answer.status === 403).toBe(!allowed);
      }
    }
  });
});

describe('the requesting user', () => {
  const samples = (): ReturnType<typeof cases> =>
    cases((entry) => entry.row.resource === 'gadgets' && isAllowed(entry));

  test.each(samples())('%s: a wrong token causes no authorization', async (_title, { one }) => {
    const answer = await ask(server, one.method, one.target, { token: 'wrong', body: '{}' });
    expect([answer.status, ledger.questions, ledger.admissions]).toEqual([401, [], []]);
  });

  test.each(samples())(
    '%s: impersonation is authorized first, then the request of the impersonated user',
    async (_title, { row, one }) => {
      const { headers, ...asked } = await prepared(row, one);
      await endStream(
        await ask(server, one.method, one.target, { ...asked, headers: { ...headers, 'impersonate-user': 'bob' } }),
      );
      const [first, ...others] = ledger.questions;
      expect(first).toMatchObject({ user: 'alice', verb: 'impersonate', resource: 'users', name: 'bob' });
      expect(others).toEqual(questionsOf(row, one).map((question) => ({ ...question, user: 'bob' })));
      expect(ledger.admissions).toEqual(admissionsOf(row, one).map((admission) => ({ ...admission, user: 'bob' })));
    },
  );
});

describe('the in-process client on behalf of a user', () => {
  const client = server.client({ user: { username: 'alice', groups: ['dev'] } });
  const called = () =>
    rows.flatMap((row) => {
      const definition = [...builtinResources, Gadget, Planet].find(
        ({ kind, group, version }) =>
          kind === row.kind && groupName(group, server.dialect) === row.group && version === row.version,
      );
      if (definition === undefined) return [];
      const hasStatus = rows.some(
        ({ root, resource, subresource }) => root === row.root && resource === row.resource && subresource === 'status',
      );
      return clientCases(row, CREATED_BY_UPDATE.has(row.resource), hasStatus).map(
        (one) => [`${row.root} ${row.resource}: ${one.title}`, { row, one, definition }] as const,
      );
    });

  test.each(called())('%s', async (_title, { row, one, definition }) => {
    const owner = clientsOf(server.client(), definition);
    const made = await Promise.all(one.present.map((object) => owner.objects.create(object as never)));
    ledger.clear();
    const { objects, all } = clientsOf(client, definition);
    await one.run(objects, made, all);
    const { group, version, resource, namespaced } = row;
    expect(ledger.questions).toEqual(
      one.asks.map((given) => ({
        user: 'alice',
        isResource: true,
        apiGroup: group,
        apiVersion: version,
        resource,
        path: '',
        ...given,
      })),
    );
    const about = { resource: `${group}/${version}/${resource}`, namespace: namespaced ? SPACE : '', user: 'alice' };
    expect(ledger.admissions).toEqual(
      one.admits.flatMap((given) => (['mutate', 'validate'] as const).map((stage) => ({ stage, ...about, ...given }))),
    );
  });

  test.each(called().filter(([, { one }]) => one.asks.length > 1))(
    '%s: is refused when it would create an object, before admission',
    async (_title, { one, definition }) => {
      ledger.allows = ({ verb }) => verb !== 'create';
      const { objects, all } = clientsOf(client, definition);
      await expect(one.run(objects, [], all)).rejects.toMatchObject({ code: 403 });
      expect([ledger.questions.map(({ verb }) => verb), ledger.admissions]).toEqual([
        one.asks.map(({ verb }) => verb),
        [],
      ]);
    },
  );

  test.each(called())('%s: is refused after one question, before admission', async (_title, { one, definition }) => {
    ledger.allows = () => false;
    const { objects, all } = clientsOf(client, definition);
    // The end of a watch that never opened is the refusal, which its case ignores.
    const error: unknown = await one.run(objects, one.present as never, all).catch((reason: unknown) => reason);
    if (!one.title.startsWith('watch')) expect(error).toMatchObject({ code: 403 });
    expect([ledger.questions.map(({ verb }) => verb), ledger.admissions]).toEqual([
      one.asks.slice(0, 1).map(({ verb }) => verb),
      [],
    ]);
  });
});

describe('roles and bindings', () => {
  const KINDS = ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'];
  const group = 'rbac.authorization.orch.io';
  /** A service that allows every question and records it. */
  const asked: { verb: string; namespace: string; resource: string; name: string; group: string }[] = [];
  const admissions = new Ledger();
  const post = (body: string): Promise<{ status: number; header: () => undefined; body: Uint8Array }> => {
    const review = JSON.parse(body) as { spec: { resourceAttributes: Partial<(typeof asked)[number]> } };
    const { verb = '', namespace = '', resource = '', name = '', group: of = '' } = review.spec.resourceAttributes;
    asked.push({ verb, namespace, resource, name, group: of });
    return Promise.resolve({
      status: 200,
      header: () => undefined,
      body: new TextEncoder().encode(JSON.stringify({ ...review, status: { allowed: true } })),
    });
  };

  test.each(KINDS)('%s: a write is checked for escalation once, after all other decisions', async (resource) => {
    await using running = await startTestServer({
      authorization: { modes: ['Webhook', 'RBAC'], webhook: { post, authorizedTtl: 0 } },
      admission: { plugins: [admissions.plugin] },
      controllers: { disable: controllerNames },
      authentication: { tokens: [{ token: 'alice', user: { username: 'alice', groups: ['dev'] } }] },
    });
    const row = rows.find((one) => one.resource === resource && one.group === group);
    if (row === undefined) throw new Error(`${resource} is not served`);
    const namespace = row.namespaced ? 'default' : '';
    const collection = `${row.root}${row.namespaced ? '/namespaces/default' : ''}/${resource}`;
    const manifest = (name: string): Manifest => {
      const made = manifestOf(row, name);
      return {
        ...made,
        metadata: { ...made.metadata, ...(row.namespaced ? { namespace } : {}) },
        ...(resource.endsWith('roles') ? { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] } : {}),
      };
    };
    const request = async (
      method: string,
      name: string,
      body: object,
      contentType = 'application/json',
      query = '',
    ): Promise<number> => {
      asked.length = 0;
      admissions.clear();
      const target = method === 'POST' ? collection : `${collection}/${name}`;
      return (
        await ask(running.server, method, target + query, {
          token: 'alice',
          body: JSON.stringify(body),
          headers: { 'content-type': contentType },
        })
      ).status;
    };
    /** Further questions: roles ask about themselves, bindings about their role; the path of a POST has no name. */
    const escalation = (name: string): object =>
      resource.endsWith('bindings')
        ? {
            verb: 'bind',
            namespace,
            group,
            resource: resource === 'rolebindings' ? 'roles' : 'clusterroles',
            name: 'somebody',
          }
        : { verb: 'escalate', namespace, group, resource, name };
    const on = (verb: string, name: string): object => ({ verb, namespace, group, resource, name });
    const stages = (): string[] => admissions.admissions.map(({ operation, stage }) => `${operation} ${stage}`);

    expect([await request('POST', 'a', manifest('a')), asked, stages()]).toEqual([
      201,
      [on('create', ''), escalation('')],
      ['CREATE mutate', 'CREATE validate'],
    ]);
    const changed = { ...manifest('a'), metadata: { ...manifest('a').metadata, labels: { a: 'b' } } };
    expect([await request('PUT', 'a', changed), asked, stages()]).toEqual([
      200,
      [on('update', 'a'), escalation('a')],
      ['UPDATE mutate', 'UPDATE validate'],
    ]);
    expect([await request('PUT', 'b', manifest('b')), asked, stages()]).toEqual([
      201,
      [on('update', 'b'), on('create', 'b'), escalation('b')],
      ['CREATE mutate', 'CREATE validate'],
    ]);
    const applied = await request('PATCH', 'c', manifest('c'), 'application/apply-patch+yaml', '?fieldManager=m');
    expect([applied, asked, stages()]).toEqual([
      201,
      [on('patch', 'c'), on('create', 'c'), escalation('c')],
      ['CREATE mutate', 'CREATE validate'],
    ]);
    const patched = await request('PATCH', 'a', { metadata: { labels: { a: 'c' } } }, 'application/merge-patch+json');
    expect([patched, asked, stages()]).toEqual([
      200,
      [on('patch', 'a'), escalation('a')],
      ['UPDATE mutate', 'UPDATE validate'],
    ]);
    // Changes that only concern the garbage collector grant nothing.
    const collected = await request(
      'PATCH',
      'a',
      { metadata: { finalizers: ['example.com/wait'] } },
      'application/merge-patch+json',
    );
    expect([collected, asked, stages()]).toEqual([200, [on('patch', 'a')], ['UPDATE mutate', 'UPDATE validate']]);
    expect([await request('DELETE', 'b', {}), asked, stages()]).toEqual([
      200,
      [on('delete', 'b')],
      ['DELETE mutate', 'DELETE validate'],
    ]);
  });
});
