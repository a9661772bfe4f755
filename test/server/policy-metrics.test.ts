/** The metrics of policies, match conditions and PodSecurity by the names and labels of Kubernetes. */
import { afterEach, expect, test } from 'vitest';
import { ApiServer, kubernetes, webhook, type ApiServerOptions } from '../../src/entries/index.js';
import { ask, textOf } from './ask.js';

const servers: ApiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const MAPS = '/api/v1/namespaces/default/configmaps';
const GROUP = '/apis/admissionregistration.k8s.io/v1';
const RULES = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE' as const], resources: ['configmaps'] }];

function start(options: ApiServerOptions = {}): ApiServer {
  const server = new ApiServer({
    dialect: kubernetes,
    ...options,
    authentication: { ownerToken: 'admin', ...options.authentication },
  });
  servers.push(server);
  return server;
}

async function post(server: ApiServer, path: string, body: object): Promise<number> {
  return (await ask(server, 'POST', path, { body: JSON.stringify(body) })).status;
}

async function lines(server: ApiServer, name: string): Promise<string[]> {
  const all = textOf(await ask(server, 'GET', '/metrics')).split('\n');
  return all.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `)).sort();
}

interface Given {
  readonly name: string;
  readonly expression: string;
  readonly actions?: readonly string[];
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
}

async function addPolicy(server: ApiServer, { name, expression, actions = ['Deny'], ...rest }: Given): Promise<void> {
  const spec = { ...rest, matchConstraints: { resourceRules: RULES }, validations: [{ expression }] };
  expect(await post(server, `${GROUP}/validatingadmissionpolicies`, { metadata: { name }, spec })).toBe(201);
  const binding = { metadata: { name: `${name}-binding` }, spec: { policyName: name, validationActions: actions } };
  expect(await post(server, `${GROUP}/validatingadmissionpolicybindings`, binding)).toBe(201);
}

test('failed validations are counted by policy, binding, error and action', async () => {
  const server = start();
  await addPolicy(server, { name: 'denies', expression: "object.metadata.name != 'bad'" });
  await addPolicy(server, { name: 'tells', expression: "object.metadata.name != 'bad'", actions: ['Warn', 'Audit'] });
  await addPolicy(server, { name: 'fails', expression: "object.data['none'] == 'a'", failurePolicy: 'Ignore' });
  expect(await post(server, MAPS, { metadata: { name: 'good' } })).toBe(201);
  expect(await post(server, MAPS, { metadata: { name: 'bad' } })).toBe(422);
  const line = (action: string, policy: string, count: number): string =>
    `apiserver_validating_admission_policy_check_total{enforcement_action="${action}",error_type="invalid_error",policy="${policy}",policy_binding="${policy}-binding"} ${count}`;
  expect(await lines(server, 'apiserver_validating_admission_policy_check_total')).toEqual([
    line('allow', 'fails', 2),
    line('audit', 'tells', 1),
    line('deny', 'denies', 1),
    line('warn', 'tells', 1),
  ]);
  expect(await lines(server, 'apiserver_validating_admission_policy_check_duration_seconds_count')).toHaveLength(4);
});

test('match conditions of policies and webhooks are measured', async () => {
  const server = start({
    admission: {
      plugins: [
        webhook({
          name: 'hook.example.com',
          rules: RULES,
          matchConditions: [{ name: 'never', expression: 'false' }],
          handler: () => ({ allowed: true }),
        }),
      ],
    },
  });
  await addPolicy(server, {
    name: 'limited',
    expression: 'true',
    failurePolicy: 'Ignore',
    matchConditions: [{ name: 'broken', expression: "object.data['none'] == 'a'" }],
  });
  expect(await post(server, MAPS, { metadata: { name: 'a' } })).toBe(201);
  const labels = (kind: string, name: string): string =>
    `{kind="${kind}",name="${name}",operation="CREATE",type="validate"}`;
  const prefix = 'apiserver_admission_match_condition';
  expect(await lines(server, `${prefix}_evaluation_seconds_count`)).toEqual([
    `${prefix}_evaluation_seconds_count${labels('policy', 'limited')} 1`,
    `${prefix}_evaluation_seconds_count${labels('webhook', 'hook.example.com')} 1`,
  ]);
  expect(await lines(server, `${prefix}_exclusions_total`)).toEqual([
    `${prefix}_exclusions_total${labels('webhook', 'hook.example.com')} 1`,
  ]);
  expect(await lines(server, `${prefix}_evaluation_errors_total`)).toEqual([
    `${prefix}_evaluation_errors_total${labels('policy', 'limited')} 1`,
  ]);
});

const pod = (name: string, privileged: boolean): object => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', securityContext: { privileged } }] },
});

test('PodSecurity counts evaluations, exemptions and errors', async () => {
  const server = start({ admission: { podSecurity: { exemptions: { namespaces: ['exempt'] } } } });
  const labels = (more: object) =>
    Object.fromEntries(Object.entries(more).map(([mode, level]) => [`pod-security.kubernetes.io/${mode}`, level]));
  const namespaces: [string, object][] = [
    ['free', {}],
    ['strict', labels({ enforce: 'baseline', 'enforce-version': 'v1.30', warn: 'restricted', audit: 'restricted' })],
    ['later', labels({ enforce: 'baseline', 'enforce-version': 'v1.99' })],
    ['exempt', labels({ enforce: 'restricted' })],
  ];
  for (const [name, found] of namespaces)
    expect(await post(server, '/api/v1/namespaces', { metadata: { name, labels: found } })).toBe(201);
  expect(await post(server, '/api/v1/namespaces/free/pods', pod('a', true))).toBe(201);
  expect(await post(server, '/api/v1/namespaces/strict/pods', pod('a', true))).toBe(403);
  expect(await post(server, '/api/v1/namespaces/strict/pods', pod('b', false))).toBe(201);
  expect(await post(server, '/api/v1/namespaces/later/pods', pod('a', false))).toBe(201);
  expect(await post(server, '/api/v1/namespaces/exempt/pods', pod('a', true))).toBe(201);
  const line = (decision: string, mode: string, level: string, version: string, count: number): string =>
    `pod_security_evaluations_total{decision="${decision}",mode="${mode}",policy_level="${level}",policy_version="${version}",request_operation="create",resource="pod",subresource=""} ${count}`;
  expect(await lines(server, 'pod_security_evaluations_total')).toEqual(
    [
      line('allow', 'enforce', 'privileged', 'latest', 1),
      line('deny', 'enforce', 'baseline', 'v1.30', 1),
      line('allow', 'enforce', 'baseline', 'v1.30', 1),
      line('allow', 'enforce', 'baseline', 'future', 1),
      line('deny', 'audit', 'restricted', 'latest', 2),
      line('deny', 'warn', 'restricted', 'latest', 1),
    ].sort(),
  );
  expect(await lines(server, 'pod_security_exemptions_total')).toEqual([
    'pod_security_exemptions_total{request_operation="create",resource="pod",subresource=""} 1',
  ]);
});

test('webhook requests are counted by their outcome', async () => {
  const server = start({
    admission: {
      plugins: [
        webhook({
          name: 'hook.example.com',
          rules: RULES,
          handler: ({ name }) => (name === 'bad' ? { allowed: false, status: { code: 403 } } : { allowed: true }),
        }),
      ],
    },
  });
  await post(server, MAPS, { metadata: { name: 'good' } });
  await post(server, MAPS, { metadata: { name: 'bad' } });
  const line = (code: number, rejected: boolean): string =>
    `apiserver_admission_webhook_request_total{code="${code}",name="hook.example.com",operation="CREATE",rejected="${rejected}",type="validating"} 1`;
  expect(await lines(server, 'apiserver_admission_webhook_request_total')).toEqual([line(200, false), line(403, true)]);
});
