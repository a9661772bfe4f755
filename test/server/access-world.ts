import fc from 'fast-check';
import {
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  ApiError,
  type ApiServer,
  type Client,
  type UserInfo,
} from '../../src/entries/index.js';
import { SubjectAccessReview } from '../../src/entries/kinds.js';

/** A small world in which a user writes roles and bindings. */
export const GROUP = 'rbac.authorization.orch.io';
export const ME: UserInfo = { username: 'me', groups: ['dev', 'system:authenticated'] };
const OTHERS: readonly UserInfo[] = ['carol', 'system:serviceaccount:x:robot'].map((username) => ({
  username,
  groups: [
    ...(username === 'carol' ? [] : ['system:serviceaccounts', 'system:serviceaccounts:x']),
    'system:authenticated',
  ],
}));
const SPACES = ['x', 'y'] as const;
const NAMES = ['r', 's', 't'] as const;
const KINDS = { Role, ClusterRole, RoleBinding, ClusterRoleBinding } as const;
export type Kind = keyof typeof KINDS;
const PLURALS: Readonly<Record<Kind, string>> = {
  Role: 'roles',
  ClusterRole: 'clusterroles',
  RoleBinding: 'rolebindings',
  ClusterRoleBinding: 'clusterrolebindings',
};

const some = <Value>(...values: Value[]): fc.Arbitrary<Value[]> =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 });

/** Rules of every form. One in ten grants a way to further rights: `escalate`, `bind`, `impersonate`, everything. */
export const anyRule: fc.Arbitrary<object> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      verbs: some('get', 'list', '*'),
      apiGroups: fc.constantFrom([''], [''], [''], ['*']),
      resources: some('configmaps', 'configmaps', 'pods', 'pods/log', '*/log', '*'),
      resourceNames: fc.constantFrom<string[]>([], ['a'], ['a'], ['a', 'b']),
    }),
  },
  { weight: 2, arbitrary: fc.record({ verbs: some('get', '*'), nonResourceURLs: some('/m', '/m/*', '/m/a', '*') }) },
  {
    weight: 1,
    arbitrary: fc.record({
      verbs: some('create', 'update', 'patch', 'delete', 'get'),
      apiGroups: fc.constant([GROUP]),
      resources: some(...Object.values(PLURALS)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.record({
        verbs: some('escalate', 'bind'),
        apiGroups: some(GROUP, '*'),
        resources: some('roles', 'clusterroles'),
        resourceNames: fc.constantFrom<string[]>([], ['r']),
      }),
      fc.record({
        verbs: fc.constant(['impersonate']),
        apiGroups: fc.constant(['']),
        resources: some('users', 'serviceaccounts'),
        resourceNames: fc.constantFrom<string[]>([], ['carol'], ['robot']),
      }),
    ),
  },
);
const inNamespace = (rule: object): boolean => !('nonResourceURLs' in rule);

const LABELS = ['one', 'two'] as const;
const anyLabels = fc.option(fc.dictionary(fc.constantFrom(...LABELS), fc.constant('true'), { maxKeys: 2 }), {
  nil: undefined,
});
const anySelector = fc.oneof(
  fc.record({
    matchLabels: fc.dictionary(fc.constantFrom(...LABELS), fc.constant('true'), { minKeys: 1, maxKeys: 1 }),
  }),
  fc.record({
    matchExpressions: fc.tuple(
      fc.record({ key: fc.constantFrom(...LABELS), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
    ),
  }),
);
const anySubject = fc.constantFrom<object>(
  { kind: 'User', name: 'me', apiGroup: GROUP },
  { kind: 'User', name: 'me', apiGroup: GROUP },
  { kind: 'Group', name: 'dev', apiGroup: GROUP },
  { kind: 'Group', name: 'system:authenticated', apiGroup: GROUP },
  { kind: 'User', name: 'carol', apiGroup: GROUP },
  { kind: 'ServiceAccount', name: 'robot', namespace: 'x' },
);

/** The contents of an object of a kind, without its name and namespace. */
export interface Wanted {
  readonly kind: Kind;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  readonly body: Record<string, unknown>;
}

const place = (kind: Kind): fc.Arbitrary<{ name: string; namespace?: string }> =>
  kind.startsWith('Cluster')
    ? fc.record({ name: fc.constantFrom(...NAMES) })
    : fc.record({ name: fc.constantFrom(...NAMES), namespace: fc.constantFrom(...SPACES) });

const anyBody = (kind: Kind): fc.Arbitrary<Record<string, unknown>> => {
  if (kind === 'Role') return fc.record({ rules: fc.array(anyRule.filter(inNamespace), { maxLength: 2 }) });
  if (kind === 'ClusterRole')
    return fc.record({
      rules: fc.array(anyRule, { maxLength: 2 }),
      aggregationRule: fc.option(fc.record({ clusterRoleSelectors: fc.tuple(anySelector) }), {
        freq: 3,
        nil: undefined,
      }),
    });
  const role = kind === 'RoleBinding' ? fc.constantFrom('Role', 'ClusterRole') : fc.constant('ClusterRole');
  return fc.record({
    subjects: fc.array(anySubject, { maxLength: 2 }),
    roleRef: fc.record({ apiGroup: fc.constant(GROUP), kind: role, name: fc.constantFrom(...NAMES) }),
  });
};

const anyKind = fc.constantFrom<Kind>('Role', 'ClusterRole', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding');
export const anyWanted: fc.Arbitrary<Wanted> = anyKind.chain((kind) =>
  fc.tuple(place(kind), anyLabels, anyBody(kind)).map(([metadata, labels, body]) => ({
    kind,
    metadata: { ...metadata, ...(labels === undefined ? {} : { labels }) },
    body,
  })),
);

/** A write: its method and its object. */
export interface Write {
  readonly how: (typeof WAYS)[number];
  readonly wanted: Wanted;
  /** The user that the request impersonates. */
  readonly as?: string | undefined;
}
export const WAYS = ['create', 'create', 'update', 'apply', 'merge', 'labels', 'json', 'finalizers', 'delete'] as const;
export const anyWrite: fc.Arbitrary<Write> = fc.record({ how: fc.constantFrom(...WAYS), wanted: anyWanted });

/** Writes an object on behalf of the client's user. */
export async function write(client: Client, { how, wanted: { kind, metadata, body } }: Write): Promise<void> {
  const { name, namespace = '', labels } = metadata;
  const of = client.resource(KINDS[kind] as typeof ClusterRole).namespace(namespace);
  const object = { metadata, ...body } as Parameters<typeof of.create>[0];
  if (how === 'create') await of.create(object);
  if (how === 'update') await of.update(object);
  if (how === 'apply')
    await of.apply({ metadata, ...body } as Parameters<typeof of.apply>[0], { fieldManager: 'm', force: true });
  if (how === 'merge')
    await of.patch(name, { metadata: { labels: labels ?? null }, ...body } as Parameters<typeof of.patch>[1], {
      type: 'merge',
    });
  if (how === 'labels')
    await of.patch(name, { metadata: { labels: labels ?? { one: 'true', two: 'true' } } }, { type: 'strategic' });
  if (how === 'json')
    await of.patch(
      name,
      Object.entries(body)
        .filter(([, value]) => value !== undefined)
        .map(([field, value]) => ({ op: 'add' as const, path: `/${field}`, value: value as never })),
    );
  if (how === 'finalizers') await of.patch(name, { metadata: { finalizers: ['example.com/stays'] } });
  if (how === 'delete') await of.delete(name);
}

/** Creates the objects of the initial policy; skips existing and invalid ones. */
export async function writeAll(client: Client, objects: readonly Wanted[]): Promise<void> {
  for (const wanted of objects) await orRefused(() => write(client, { how: 'create', wanted }));
}

/** Runs a write. @returns whether it succeeded; @throws any error that is not an answer of the API */
export async function orRefused(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code < 500) return false;
    throw error;
  }
}

/** A question of a review. */
type Question =
  | { readonly resourceAttributes: Readonly<Record<string, string>> }
  | { readonly nonResourceAttributes: { readonly verb: string; readonly path: string } };

function* questions(): Generator<Question> {
  for (const path of ['/m', '/m/', '/m/a', '/m/b', '/n']) yield { nonResourceAttributes: { verb: 'get', path } };
  for (const namespace of ['', ...SPACES]) {
    for (const verb of ['get', 'delete'])
      for (const [resource, subresource] of [
        ['configmaps', ''],
        ['pods', ''],
        ['pods', 'log'],
        ['secrets', 'log'],
      ] as const)
        for (const name of ['', 'a', 'c']) {
          yield { resourceAttributes: { verb, group: '', resource, subresource, name, namespace } };
        }
    for (const resource of Object.values(PLURALS)) {
      for (const verb of ['create', 'patch', 'delete'])
        yield { resourceAttributes: { verb, group: GROUP, resource, name: 's', namespace } };
      // Some rules allow these for one name only.
      for (const verb of ['escalate', 'bind'])
        for (const name of ['r', 's']) yield { resourceAttributes: { verb, group: GROUP, resource, name, namespace } };
    }
  }
  for (const name of ['carol', 'root'])
    yield { resourceAttributes: { verb: 'impersonate', group: '', resource: 'users', name } };
  yield {
    resourceAttributes: { verb: 'impersonate', group: '', resource: 'serviceaccounts', name: 'robot', namespace: 'x' },
  };
  yield { resourceAttributes: { verb: 'impersonate', group: '', resource: 'groups', name: 'system:masters' } };
}
const QUESTIONS: readonly Question[] = [...questions()];
const wordsOf = (question: Question): string => JSON.stringify(question);

/** Everything in the world that the server lets a user do. */
export async function allowedFor(server: ApiServer, user: UserInfo): Promise<ReadonlySet<string>> {
  const reviews = server.client().resource(SubjectAccessReview);
  const allowed = new Set<string>();
  for (const question of QUESTIONS) {
    const { status } = await reviews.create({
      metadata: {},
      spec: { user: user.username, groups: [...user.groups], ...question },
    });
    if (status?.allowed === true) allowed.add(wordsOf(question));
  }
  return allowed;
}

/** Every user that a user can act as, including the user: impersonation gives the rights of the impersonated user. */
export function reachable(start: ReadonlySet<string>): readonly UserInfo[] {
  const may = (name: string): boolean =>
    [...start].some((words) => words.includes('"impersonate"') && words.includes(`"name":"${name}"`));
  return OTHERS.filter(({ username }) => may(username === 'carol' ? 'carol' : 'robot'));
}

/** Whether the user has any right that can grant further rights. */
export const mayGrant = (allowed: ReadonlySet<string>): boolean =>
  [...allowed].some((words) => /"(escalate|bind)"|"name":"(root|system:masters)"/.test(words));
