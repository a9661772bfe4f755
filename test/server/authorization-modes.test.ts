import { describe, expect, test } from 'vitest';
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Pod,
  Secret,
  type ApiServerOptions,
} from '../../src/entries/index.js';
import { PersistentVolume, SelfSubjectRulesReview, SubjectAccessReview } from '../../src/entries/kinds.js';
import type { AuthorizationOptions } from '../../src/apiserver/access/authorization-options.js';
import type {
  AuthorizationConfiguration,
  WebhookAuthorizerConfiguration,
  WebhookConnectionInfo,
} from '../../src/security/authz/configuration/index.js';
import { controllerNames } from '../../src/entries/controllers.js';
import type { WebhookPost } from '../../src/foundation/outbound/webhook-post.js';
import type { LogFields } from '../../src/foundation/reporting/logger.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ask, jsonOf, textOf } from './ask.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const tokens = [
  { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
  { token: 'alice', user: { username: 'alice', groups: ['dev'] } },
  { token: 'bob', user: { username: 'bob', groups: [] } },
  ...['n1', 'n2'].map((node) => ({ token: node, user: { username: `system:node:${node}`, groups: ['system:nodes'] } })),
];

interface Line {
  readonly level: 'info' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

/** A server with these authorization options, and its log lines. */
async function serverWith(
  authorization: AuthorizationOptions | undefined,
  options: Omit<ApiServerOptions, 'clock'> = {},
) {
  const lines: Line[] = [];
  const log =
    (level: Line['level']) =>
    (message: string, fields: LogFields = {}) =>
      void lines.push({ level, message, fields });
  const running = await startTestServer({
    ...(authorization === undefined ? {} : { authorization }),
    ...options,
    controllers: { disable: controllerNames, ...options.controllers },
    authentication: { tokens, ...options.authentication },
    observability: { logger: { info: log('info'), error: log('error') }, ...options.observability },
  });
  const statusOf = async (token: string, path = MAPS, method = 'GET'): Promise<number> =>
    (await ask(running.server, method, path, { token })).status;
  return Object.assign(running, { lines, statusOf });
}

/** A webhook that answers by the name of the user. */
function service(statuses: Readonly<Record<string, object>>) {
  const asked: string[] = [];
  const post: WebhookPost = async (body) => {
    const review = JSON.parse(body) as { spec: { user: string } };
    asked.push(review.spec.user);
    return {
      status: 200,
      header: () => undefined,
      body: new TextEncoder().encode(JSON.stringify({ ...review, status: statuses[review.spec.user] ?? {} })),
    };
  };
  return { asked, post };
}

/** The same webhook as an option. */
const webhookOf = (statuses: Readonly<Record<string, object>>) => ({ post: service(statuses).post });
const policy = (spec: object): string =>
  JSON.stringify({ apiVersion: 'abac.authorization.orch.io/v1beta1', kind: 'Policy', spec });
const ALICE_READS = policy({ user: 'alice', namespace: 'default', resource: 'configmaps', readonly: true });

/** Grants a user the right to read config maps, through a role. */
async function grant({ client }: TestServer, name: string): Promise<void> {
  await client.resource(ClusterRole).create({
    metadata: { name: `${name}-reads` },
    rules: [{ verbs: ['list'], apiGroups: [''], resources: ['configmaps'] }],
  });
  await client.resource(ClusterRoleBinding).create({
    metadata: { name: `${name}-reads` },
    subjects: [{ kind: 'User', name }],
    roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name: `${name}-reads` },
  });
}

describe('contradictory authorization options', () => {
  const anything = webhookOf({});
  test.each<[string, Omit<ApiServerOptions, 'clock'>, string]>([
    ['no mode', { authorization: { modes: [] } }, 'at least one authorization-mode must be passed'],
    [
      'an unknown mode',
      { authorization: { modes: ['Foo' as 'RBAC'] } },
      'authorization-mode "Foo" is not a valid mode',
    ],
    [
      'a mode twice',
      { authorization: { modes: ['RBAC', 'Node', 'RBAC'] } },
      'authorization-mode ["RBAC" "Node" "RBAC"] has mode specified more than once',
    ],
    [
      'ABAC without policies',
      { authorization: { modes: ['ABAC'] } },
      "authorization-mode ABAC's authorization policy file not passed",
    ],
    [
      'policies without ABAC',
      { authorization: { modes: ['RBAC'], abac: [] } },
      'cannot specify authorization-policy-file without mode ABAC',
    ],
    [
      'Webhook without a webhook',
      { authorization: { modes: ['Webhook'] } },
      "authorization-mode Webhook's authorization config file not passed",
    ],
    [
      'a webhook without the mode',
      { authorization: { modes: ['RBAC'], webhook: anything } },
      'cannot specify authorization-webhook-config-file without mode Webhook',
    ],
    [
      'two settings at a time',
      { authorization: { modes: ['ABAC', 'Foo' as 'RBAC'] } },
      'authorization-mode ABAC\'s authorization policy file not passed; authorization-mode "Foo" is not a valid mode',
    ],
    [
      'an invalid policy',
      {
        authorization: {
          modes: ['ABAC'],
          abac: { path: '/etc/policy.jsonl', text: `${ALICE_READS}\n{"kind": "Polizei"}` },
        },
      },
      'error reading policy file /etc/policy.jsonl, line 2: {"kind": "Polizei"}: ',
    ],
    [
      'a function in addition',
      { authorization: { modes: ['RBAC'], authorizer: () => ({ decision: 'Allow', reason: '' }) } },
      'the options authorization.modes and authorization.authorizer cannot be combined',
    ],
    [
      'a configuration without its gate',
      {
        authorization: { configuration: { authorizers: [] } },
        featureGates: 'StructuredAuthorizationConfiguration=false',
      },
      'authorization-config cannot be used without enabling StructuredAuthorizationConfiguration feature flag',
    ],
  ])('%s: the server is not created', async (_case, options, message) => {
    await expect(startTestServer(options)).rejects.toThrow(message);
  });
});

describe('authorization modes', () => {
  test.each<
    [string, AuthorizationOptions | undefined, { readonly admin: number; readonly alice: number; readonly bob: number }]
  >([
    ['roles when no mode is given', undefined, { admin: 200, alice: 200, bob: 403 }],
    ['roles', { modes: ['RBAC'] }, { admin: 200, alice: 200, bob: 403 }],
    ['nothing', { modes: ['AlwaysDeny'] }, { admin: 200, alice: 403, bob: 403 }],
    ['everything', { modes: ['AlwaysAllow'] }, { admin: 200, alice: 200, bob: 200 }],
    [
      'AlwaysAllow after an authorizer without an opinion',
      { modes: ['AlwaysDeny', 'RBAC', 'AlwaysAllow'] },
      { admin: 200, alice: 200, bob: 200 },
    ],
    [
      'AlwaysDeny leaves the decision to the next mode',
      { modes: ['AlwaysDeny', 'RBAC'] },
      { admin: 200, alice: 200, bob: 403 },
    ],
    [
      'a policy file',
      { modes: ['ABAC'], abac: policy({ user: 'bob', namespace: '*', resource: '*' }) },
      { admin: 200, alice: 403, bob: 200 },
    ],
    [
      'policies',
      {
        modes: ['ABAC'],
        abac: [
          {
            user: 'bob',
            group: '',
            readonly: true,
            namespace: 'default',
            apiGroup: '',
            resource: 'configmaps',
            nonResourcePath: '',
          },
        ],
      },
      { admin: 200, alice: 403, bob: 200 },
    ],
    [
      'a webhook before roles',
      { modes: ['Webhook', 'RBAC'], webhook: webhookOf({ alice: { denied: true }, bob: { allowed: true } }) },
      { admin: 200, alice: 403, bob: 200 },
    ],
    [
      'a webhook after roles',
      { modes: ['RBAC', 'Webhook'], webhook: webhookOf({ alice: { denied: true }, bob: { allowed: true } }) },
      { admin: 200, alice: 200, bob: 200 },
    ],
    [
      'a denying webhook before AlwaysAllow',
      { modes: ['Webhook', 'AlwaysAllow'], webhook: webhookOf({ alice: { denied: true }, admin: { denied: true } }) },
      { admin: 200, alice: 403, bob: 200 },
    ],
    [
      'an unreachable webhook',
      { modes: ['Webhook', 'RBAC'], webhook: { post: () => Promise.reject(new Error('no route')) } },
      { admin: 200, alice: 200, bob: 403 },
    ],
    [
      'an unreachable webhook that denies on failure',
      {
        modes: ['Webhook', 'RBAC'],
        webhook: { post: () => Promise.reject(new Error('no route')), failurePolicy: 'Deny' },
      },
      { admin: 200, alice: 403, bob: 403 },
    ],
  ])('%s', async (_case, authorization, expected) => {
    await using running = await serverWith(authorization);
    await grant(running, 'alice');
    for (const [token, status] of Object.entries(expected))
      expect([token, await running.statusOf(token)]).toEqual([token, status]);
  });

  test('users cannot grant rights that they lack, in any mode', async () => {
    await using running = await serverWith({
      modes: ['ABAC'],
      abac: policy({ user: 'bob', namespace: '*', resource: '*', apiGroup: '*' }),
    });
    const body = JSON.stringify({
      metadata: { name: 'all' },
      rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    });
    // Bob may do everything with every resource, including escalate; alice may do nothing.
    expect(
      (await ask(running.server, 'POST', '/apis/rbac.authorization.orch.io/v1/clusterroles', { token: 'bob', body }))
        .status,
    ).toBe(201);
    await using narrow = await serverWith({
      modes: ['Webhook'],
      webhook: {
        ...webhookOf({ alice: { allowed: true } }),
        matchConditions: [{ expression: "request.resourceAttributes.verb == 'create'" }],
      },
    });
    const refused = await ask(narrow.server, 'POST', '/apis/rbac.authorization.orch.io/v1/clusterroles', {
      token: 'alice',
      body,
    });
    expect([refused.status, jsonOf(refused)['message']]).toEqual([
      403,
      expect.stringContaining(
        'user "alice" (groups=["dev" "system:authenticated"]) is attempting to grant RBAC permissions not currently held',
      ),
    ]);
  });

  test("a rules review lists the rules of all modes and marks the webhook's as incomplete", async () => {
    await using running = await serverWith({ modes: ['ABAC', 'Webhook'], abac: ALICE_READS, webhook: webhookOf({}) });
    const review = running.server
      .client({ user: { username: 'alice', groups: ['system:masters'] } })
      .resource(SelfSubjectRulesReview);
    expect((await review.create({ metadata: {}, spec: { namespace: 'default' } })).status).toMatchObject({
      resourceRules: [
        { verbs: ['*'] },
        { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['configmaps'] },
      ],
      incomplete: true,
      evaluationError: 'webhook authorizer does not support user rule resolution',
    });
  });
});

test('an explanation names the authorizers that were asked', async () => {
  const configuration: AuthorizationConfiguration = {
    authorizers: [
      { type: 'AlwaysDeny', name: 'alwaysdeny' },
      { type: 'RBAC', name: 'rbac' },
    ],
  };
  await using running = await serverWith({ configuration });
  const { opinions } = await running.server.explain('alice', 'list', 'configmaps');
  expect(opinions.map(({ name, reason }) => [name, reason])).toEqual([
    ['system:masters', ''],
    ['AlwaysDeny', 'Everything is forbidden.'],
    ['RBAC', ''],
  ]);
});

describe('node agents', () => {
  const secretOf = (name: string): string => `/api/v1/namespaces/default/secrets/${name}`;
  const podOn = (nodeName: string, secretName: string, name = 'web') => ({
    metadata: { name },
    spec: { nodeName, containers: [{ name: 'main', image: 'x' }], volumes: [{ name: 'a', secret: { secretName } }] },
  });

  test('read the objects that pods on their nodes refer to, from the next request on', async () => {
    await using running = await serverWith({ modes: ['Node', 'RBAC'] });
    const pods = running.client.resource(Pod).namespace('default');
    for (const name of ['tls', 'other'])
      await running.client.resource(Secret).namespace('default').create({ metadata: { name } });
    await pods.create(podOn('n1', 'tls'));
    expect([
      await running.statusOf('n1', secretOf('tls')),
      await running.statusOf('n1', secretOf('other')),
      await running.statusOf('n2', secretOf('tls')),
    ]).toEqual([200, 403, 403]);
    await pods.create(podOn('n2', 'other', 'late'));
    expect([await running.statusOf('n2', secretOf('other')), await running.statusOf('n1', secretOf('other'))]).toEqual([
      200, 403,
    ]);
    await pods.delete('web', { gracePeriodSeconds: 0 });
    expect(await running.statusOf('n1', secretOf('tls'))).toBe(403);
    // The rights of every node agent, and the rights of a user who only has its name.
    expect([await running.statusOf('n1', '/api/v1/nodes'), await running.statusOf('alice', '/api/v1/nodes')]).toEqual([
      200, 403,
    ]);
  });

  test('read the secrets of the volumes of claims', async () => {
    await using running = await serverWith({ modes: ['Node'] });
    const spec = {
      nodeName: 'n1',
      containers: [{ name: 'main', image: 'x' }],
      volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'data' } }],
    };
    await running.client
      .resource(Secret)
      .namespace('default')
      .create({ metadata: { name: 'ceph' } });
    await running.client
      .resource(Pod)
      .namespace('default')
      .create({ metadata: { name: 'db' }, spec });
    expect(await running.statusOf('n1', secretOf('ceph'))).toBe(403);
    await running.client.resource(PersistentVolume).create({
      metadata: { name: 'v' },
      spec: {
        claimRef: { namespace: 'default', name: 'data' },
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        cephfs: { monitors: ['m'], secretRef: { name: 'ceph' } },
      },
    });
    expect([await running.statusOf('n1', secretOf('ceph')), await running.statusOf('n2', secretOf('ceph'))]).toEqual([
      200, 403,
    ]);
  });
});

describe('requests without credentials', () => {
  test.each<[string, Omit<ApiServerOptions, 'clock'>, number]>([
    ['are accepted, and may read health', { authorization: { modes: ['RBAC'] } }, 200],
    ['are rejected with AlwaysAllow', { authorization: { modes: ['AlwaysAllow'] } }, 401],
    ['are rejected with AlwaysAllow in last place', { authorization: { modes: ['RBAC', 'AlwaysAllow'] } }, 401],
    [
      'are rejected if a configuration allows everything',
      { authorization: { configuration: { authorizers: [{ type: 'AlwaysAllow', name: 'alwaysallow' }] } } },
      401,
    ],
    [
      'are accepted with AlwaysAllow if enabled explicitly',
      { authorization: { modes: ['AlwaysAllow'] }, authentication: { anonymous: true } },
      200,
    ],
    ['are rejected if disabled', { authorization: { modes: ['RBAC'] }, authentication: { anonymous: false } }, 401],
    [
      'are accepted before a custom authorizer function',
      { authorization: { authorizer: () => ({ decision: 'Allow', reason: '' }) } },
      200,
    ],
  ])('%s', async (_case, options, status) => {
    await using running = await serverWith(options.authorization, options);
    expect(await running.statusOf('', '/healthz')).toBe(status);
  });
});

describe('the reason of a denial', () => {
  const message =
    'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" in the namespace "default"';

  test.each<[string, AuthorizationOptions, LogFields]>([
    ['a reason', { modes: ['AlwaysDeny'] }, { reason: 'Everything is forbidden.' }],
    [
      'two reasons',
      {
        modes: ['ABAC', 'Webhook'],
        abac: [],
        webhook: webhookOf({ alice: { denied: false, reason: 'the vault is closed' } }),
      },
      { reason: 'No policy matched.\nthe vault is closed' },
    ],
    [
      'an error',
      { modes: ['Webhook'], webhook: { post: () => Promise.reject(new Error('no route to 10.0.0.7')) } },
      { reason: '', error: 'the request to the webhook failed: no route to 10.0.0.7' },
    ],
  ])('is logged but not answered: %s', async (_case, authorization, fields) => {
    await using running = await serverWith(authorization);
    expect(jsonOf(await ask(running.server, 'GET', MAPS, { token: 'alice' }))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason: 'Forbidden',
      details: { kind: 'configmaps' },
      code: 403,
    });
    expect(running.lines.filter((line) => line.message === 'refused a request')).toEqual([
      { level: 'info', message: 'refused a request', fields: { refusal: message, ...fields } },
    ]);
  });

  test('is not logged if there is none', async () => {
    await using running = await serverWith({ modes: ['RBAC'] });
    expect(await running.statusOf('alice')).toBe(403);
    expect(running.lines).toEqual([]);
  });

  test('is absent from the error of an in-process client', async () => {
    await using running = await serverWith({ modes: ['AlwaysDeny'] });
    const refused = running.server
      .client({ user: { username: 'alice', groups: [] } })
      .resource(ConfigMap)
      .namespace('default')
      .list();
    const error: unknown = await refused.catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: 403, message });
    expect(error).not.toHaveProperty('cause');
    expect(running.lines).toHaveLength(1);
  });

  test('is reported by an access review', async () => {
    const webhook = webhookOf({ alice: { denied: true, reason: 'the vault is closed' } });
    await using running = await serverWith({ modes: ['Webhook'], webhook });
    const review = (user: string) =>
      running.client
        .resource(SubjectAccessReview)
        .create({ metadata: {}, spec: { user, resourceAttributes: { verb: 'list', resource: 'configmaps' } } });
    expect((await review('alice')).status).toEqual({ allowed: false, denied: true, reason: 'the vault is closed' });
    await using broken = await serverWith({
      modes: ['Webhook'],
      webhook: { post: () => Promise.reject(new Error('no route')) },
    });
    const answer = await broken.client
      .resource(SubjectAccessReview)
      .create({ metadata: {}, spec: { user: 'alice', nonResourceAttributes: { verb: 'get', path: '/x' } } });
    expect(answer.status).toEqual({ allowed: false, evaluationError: 'the request to the webhook failed: no route' });
  });
});

describe('an authorization configuration', () => {
  const webhookAt = (
    kubeConfigFile: string,
    more: Partial<WebhookAuthorizerConfiguration> = {},
  ): WebhookAuthorizerConfiguration => ({
    timeout: 3000,
    subjectAccessReviewVersion: 'v1',
    matchConditionSubjectAccessReviewVersion: 'v1',
    failurePolicy: 'Deny',
    connectionInfo: { type: 'KubeConfigFile', kubeConfigFile },
    ...more,
  });

  test('given as a value names the authorizers in their order', async () => {
    const services = { '/a': service({ alice: { allowed: true }, bob: {} }), '/b': service({ bob: { denied: true } }) };
    const connect = ({ kubeConfigFile }: WebhookConnectionInfo): WebhookPost =>
      services[kubeConfigFile as keyof typeof services].post;
    const configuration: AuthorizationConfiguration = {
      authorizers: [
        { type: 'Webhook', name: 'first', webhook: webhookAt('/a') },
        {
          type: 'Webhook',
          name: 'second',
          webhook: webhookAt('/b', { matchConditions: [{ expression: "request.user != 'alice'" }] }),
        },
        { type: 'RBAC', name: 'rbac' },
      ],
    };
    await using running = await serverWith({ configuration, connect });
    await grant(running, 'bob');
    expect([await running.statusOf('alice'), await running.statusOf('bob'), await running.statusOf('admin')]).toEqual([
      200, 403, 200,
    ]);
    expect([services['/a'].asked, services['/b'].asked]).toEqual([['alice', 'bob'], ['bob']]);
  });

  test.each<[string, AuthorizationOptions, string]>([
    [
      'is wrong',
      { configuration: { authorizers: [] } },
      'authorizers: Required value: at least one authorization mode must be defined',
    ],
    [
      'has no connection for its webhook',
      { configuration: { authorizers: [{ type: 'Webhook', name: 'w', webhook: webhookAt('/a') }] } },
      'the option "connect" is needed to reach the webhook "w"',
    ],
    [
      'has no policies',
      { configuration: { authorizers: [{ type: 'ABAC', name: 'abac' }] } },
      "authorization-mode ABAC's authorization policy file not passed",
    ],
    [
      'names a missing kubeconfig',
      {
        configuration: { authorizers: [{ type: 'Webhook', name: 'w', webhook: webhookAt('/a') }] },
        connect: () => Promise.reject(new Error('no such kubeconfig')),
      },
      'no such kubeconfig',
    ],
  ])('that %s prevents the start', async (_case, authorization, message) => {
    await expect(serverWith(authorization)).rejects.toThrow(message);
  });

  test('lets ABAC decide by the policies given beside it', async () => {
    await using running = await serverWith({
      configuration: { authorizers: [{ type: 'ABAC', name: 'abac' }] },
      abac: ALICE_READS,
    });
    expect([await running.statusOf('alice'), await running.statusOf('bob')]).toEqual([200, 403]);
  });

  const yaml = (...authorizers: readonly string[]): string =>
    `apiVersion: apiserver.config.orch.io/v1\nkind: AuthorizationConfiguration\nauthorizers:\n${authorizers.map((authorizer) => `- ${authorizer}\n`).join('')}`;
  const RBAC = '{ type: RBAC, name: rbac }';
  const hook = (name: string, more = ''): string =>
    `{ type: Webhook, name: ${name}, webhook: { timeout: 3s, subjectAccessReviewVersion: v1, matchConditionSubjectAccessReviewVersion: v1, failurePolicy: NoOpinion, connectionInfo: { type: KubeConfig, kubeConfigFile: /${name} }${more} } }`;

  /** A server configured by a file that the test rewrites. */
  async function followed(text: string, services: Readonly<Record<string, ReturnType<typeof service>>> = {}) {
    let content = text;
    let changed: () => void = () => undefined;
    const connect = ({ kubeConfigFile }: WebhookConnectionInfo): WebhookPost | Promise<WebhookPost> => {
      if (kubeConfigFile === '/hangs') return new Promise(() => undefined);
      const found = services[kubeConfigFile.slice(1)];
      if (found === undefined) throw new Error(`no kubeconfig at ${kubeConfigFile}`);
      return found.post;
    };
    const file = {
      text,
      read: () => content,
      onChange: (callback: () => void) => ((changed = callback), () => undefined),
    };
    const running = await serverWith({ configuration: file, connect });
    const outcome = () =>
      running.lines
        .filter(({ message }) => /authorization config/.test(message))
        .map(({ message, fields }) => [message, fields['error']].filter((part) => part !== undefined).join(': '));
    const rewrite = async (next: string): Promise<string | undefined> => {
      const before = outcome().length;
      content = next;
      changed();
      await expect.poll(() => outcome().length).toBe(before + 1);
      return outcome().at(-1);
    };
    return Object.assign(running, { rewrite, write: (next: string) => void (content = next), outcome });
  }

  test('in a file is reloaded when the file changes', async () => {
    const services = { a: service({ alice: { allowed: true } }), b: service({ bob: { allowed: true } }) };
    await using running = await followed(yaml(RBAC), services);
    expect([await running.statusOf('alice'), await running.statusOf('bob')]).toEqual([403, 403]);
    expect(await running.rewrite(yaml(hook('a'), RBAC))).toBe('reloaded authorization config');
    expect([await running.statusOf('alice'), await running.statusOf('bob')]).toEqual([200, 403]);
    expect(await running.rewrite(yaml(RBAC, hook('b')))).toBe('reloaded authorization config');
    expect([await running.statusOf('alice'), await running.statusOf('bob')]).toEqual([403, 200]);
  });

  test('in a file is also read every minute', async () => {
    await using running = await followed(yaml(RBAC), { a: service({ alice: { allowed: true } }) });
    running.write(yaml(hook('a'), RBAC));
    await running.clock.advance(60_000);
    await expect.poll(() => running.outcome()).toEqual(['reloaded authorization config']);
    expect(await running.statusOf('alice')).toBe(200);
  });

  test.each<[string, string, string]>([
    [
      'is wrong',
      yaml(hook('a').replace('3s', '31s'), RBAC),
      'failed to load authorization config: authorizers[0].timeout: Invalid value: "31s": must be > 0s and <= 30s',
    ],
    [
      'has a duplicate field',
      yaml(RBAC).replace('kind:', 'kind: x\nkind:'),
      'failed to load authorization config: failed to load AuthorizationConfiguration from file: ',
    ],
    ['takes roles away', yaml(hook('a')), 'failed to validate authorization config: missing required types: [RBAC]'],
    [
      'adds the node authorizer',
      yaml('{ type: Node, name: node }', RBAC),
      'failed to validate authorization config: authorizer type Node is not allowed if it was not enabled at initial server startup',
    ],
    ['leads nowhere', yaml(hook('nowhere'), RBAC), 'failed to update authorization config: no kubeconfig at /nowhere'],
  ])('that %s is rejected and counted; the previous one stays in force', async (_case, text, message) => {
    await using running = await followed(yaml(hook('a'), RBAC), { a: service({ alice: { allowed: true } }) });
    expect(await running.rewrite(text)).toContain(message);
    expect([await running.statusOf('alice'), await running.statusOf('bob')]).toEqual([200, 403]);
    const metrics = textOf(await ask(running.server, 'GET', '/metrics'));
    expect(metrics).toMatch(
      /^apiserver_authorization_config_controller_automatic_reloads_total\{apiserver_id_hash="sha256:[^"]+",status="failure"\} 1$/m,
    );
    expect(metrics).toMatch(
      /^apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds\{apiserver_id_hash="sha256:[^"]+",status="failure"\} \d/m,
    );
  });

  test('with a webhook that is never reached still accepts the next file', async () => {
    await using running = await followed(yaml(RBAC), { a: service({ alice: { allowed: true } }) });
    running.write(yaml(hook('hangs'), RBAC));
    await running.clock.advance(60_000);
    await running.clock.advance(60_000);
    await expect
      .poll(() => running.outcome())
      .toEqual(['failed to update authorization config: it took longer than 60000 ms']);
    expect(await running.rewrite(yaml(hook('a'), RBAC))).toBe('reloaded authorization config');
    expect(await running.statusOf('alice')).toBe(200);
  });

  test('keeps the cached answers of unchanged webhooks, and of no others', async () => {
    const services = { a: service({ alice: { allowed: true } }), b: service({}) };
    await using running = await followed(yaml(hook('a'), hook('b'), RBAC), services);
    await running.statusOf('alice');
    await running.rewrite(yaml(hook('b'), hook('a'), RBAC));
    await running.statusOf('alice');
    expect([services.a.asked, services.b.asked]).toEqual([['alice'], ['alice']]);
    await running.rewrite(yaml(hook('b', ', authorizedTTL: 1m'), hook('a', ', authorizedTTL: 1m'), RBAC));
    await running.statusOf('alice');
    expect([services.a.asked, services.b.asked]).toEqual([
      ['alice', 'alice'],
      ['alice', 'alice'],
    ]);
  });

  test('that starts to allow everything rejects requests without credentials', async () => {
    await using running = await followed(yaml(RBAC));
    expect(await running.statusOf('', '/healthz')).toBe(200);
    await running.rewrite(yaml(RBAC, '{ type: AlwaysAllow, name: alwaysallow }'));
    expect([
      await running.statusOf('', '/healthz'),
      await running.statusOf('', MAPS),
      await running.statusOf('bob', MAPS),
    ]).toEqual([401, 401, 200]);
  });
});
