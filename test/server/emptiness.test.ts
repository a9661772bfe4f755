import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { protobufSerializer } from '../../src/server/codec/protobuf/protobuf.js';
import { ClusterRole, Lease, Pod, ServiceAccount } from '../../src/entries/index.js';
import { Node, TokenRequest } from '../../src/entries/kinds.js';
import type { JsonObject } from '../../src/foundation/json/json.js';
import { kubernetes } from '../../src/foundation/index.js';
import type { ResourceDefinition } from '../../src/registry/definition/definition.js';
import { ResourceInfo } from '../../src/registry/definition/resource-info.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ask, jsonOf } from './ask.js';

const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const TYPE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
const YAML = 'application/yaml';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const serializer = protobufSerializer(kubernetes);

let running: TestServer;
const send = async (
  method: string,
  path: string,
  body: string | Uint8Array,
  type = 'application/json',
): Promise<{ status: number; body: Record<string, unknown> }> => {
  const answer = await ask(running.server, method, path, { body, headers: { 'content-type': type } });
  return { status: answer.status, body: jsonOf(answer) };
};
const inProtobuf = (definition: ResourceDefinition, object: JsonObject): Uint8Array =>
  serializer.encode(object, {
    pretty: false,
    schemaFor: () => new ResourceInfo(definition, kubernetes).schema,
  }) as Uint8Array;
/** Whether any manager owns a field. */
const owned = ({ metadata }: Record<string, unknown>, field: string): boolean =>
  JSON.stringify((metadata as { managedFields?: unknown }).managedFields ?? []).includes(`"f:${field}"`);

beforeEach(async () => {
  running = await startTestServer({
    dialect: kubernetes,
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
});
afterEach(() => running.close());

describe('rules', () => {
  const empty = JSON.stringify({ ...TYPE, metadata: { name: 'role' }, rules: [] });
  const absent = JSON.stringify({ ...TYPE, metadata: { name: 'role', labels: { a: 'b' } } });
  const none = JSON.stringify({ ...TYPE, metadata: { name: 'role' }, rules: null });

  test.each([
    ['POST', 'POST', ROLES, 'application/json'],
    ['POST of a dry run', 'POST', `${ROLES}?dryRun=All`, 'application/json'],
    ['POST of YAML', 'POST', ROLES, YAML],
    ['PUT', 'PUT', `${ROLES}/role`, 'application/json'],
    ['apply', 'PATCH', `${ROLES}/role?fieldManager=me`, 'application/apply-patch+yaml'],
  ])('an empty list in a %s is owned, and answered as null', async (_, method, path, type) => {
    const { status, body } = await send(method, path, empty, type);
    expect([status, body['rules'], owned(body, 'rules')]).toEqual([201, null, true]);
    if (!path.includes('dryRun'))
      expect(await running.client.resource(ClusterRole).get('role')).toMatchObject({ rules: null });
  });

  test.each([absent, none])('a missing list is not owned: %s', async (text) => {
    const { body } = await send('POST', ROLES, text);
    expect([body['rules'], owned(body, 'rules')]).toEqual([null, false]);
  });

  test.each([
    ['PUT', 'PUT', 'application/json', empty],
    ['merge patch', 'PATCH', 'application/merge-patch+json', '{"rules":[]}'],
    ['strategic merge patch', 'PATCH', 'application/strategic-merge-patch+json', '{"rules":[]}'],
    ['JSON Patch', 'PATCH', 'application/json-patch+json', '[{"op":"add","path":"/rules","value":[]}]'],
  ])('fields emptied by %s are owned', async (_, method, type, text) => {
    await send('POST', ROLES, absent);
    const { body } = await send(method, `${ROLES}/role?fieldManager=me`, text, type);
    expect([body['rules'], owned(body, 'rules')]).toEqual([null, true]);
  });

  test('in-process clients and protobuf give the same result', async () => {
    const made = await running.client.resource(ClusterRole).create({ metadata: { name: 'role' }, rules: [] });
    expect([made.rules, owned(made as unknown as Record<string, unknown>, 'rules')]).toEqual([null, true]);
    // Protobuf has no empty lists.
    const { body } = await send(
      'POST',
      ROLES,
      inProtobuf(ClusterRole, { ...TYPE, metadata: { name: 'other' }, rules: [] }),
      PROTOBUF,
    );
    expect([body['rules'], owned(body, 'rules')]).toEqual([null, false]);
  });
});

describe('boundObjectRef', () => {
  const PATH = '/api/v1/namespaces/default/serviceaccounts/robot/token';
  const REQUEST = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' };
  const REFUSED = 'cannot bind token to object of type /, Kind=';
  beforeEach(async () => {
    await running.client
      .resource(ServiceAccount)
      .namespace('default')
      .create({ metadata: { name: 'robot' } });
  });

  test.each<[string, () => [string | Uint8Array, string]]>([
    ['JSON', () => [JSON.stringify({ ...REQUEST, spec: { boundObjectRef: {} } }), 'application/json']],
    ['YAML', () => [`apiVersion: ${REQUEST.apiVersion}\nkind: TokenRequest\nspec:\n  boundObjectRef: {}\n`, YAML]],
    [
      'protobuf',
      () => [inProtobuf(TokenRequest, { ...REQUEST, metadata: {}, spec: { boundObjectRef: {} } }), PROTOBUF],
    ],
  ])('is rejected if it is empty in %s', async (_, body) => {
    const answer = await send('POST', PATH, ...body());
    expect([answer.status, answer.body['message']]).toEqual([400, REFUSED]);
  });

  test('is rejected if it is empty in the client; null binds to no object', async () => {
    const accounts = running.client.resource(ServiceAccount).namespace('default');
    await expect(accounts.perform('robot', TokenRequest, { spec: { boundObjectRef: {} } })).rejects.toMatchObject({
      code: 400,
      message: REFUSED,
    });
    expect(
      (await accounts.perform('robot', TokenRequest, { spec: { boundObjectRef: null } })).spec?.boundObjectRef,
    ).toBeNull();
  });
});

test.each(['application/json', YAML, PROTOBUF])('pointer fields keep their empty values: %s', async (type) => {
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'l' },
    spec: { holderIdentity: '', leaseTransitions: 0 },
  };
  const body = type === PROTOBUF ? inProtobuf(Lease, lease) : JSON.stringify(lease);
  const answer = await send('POST', '/apis/coordination.k8s.io/v1/namespaces/default/leases', body, type);
  expect(answer.body['spec']).toEqual({ holderIdentity: '', leaseTransitions: 0 });
  const role = { ...TYPE, metadata: { name: 'sum' }, aggregationRule: { clusterRoleSelectors: [{}] } };
  const made = await send(
    'POST',
    ROLES,
    type === PROTOBUF ? inProtobuf(ClusterRole, role) : JSON.stringify(role),
    type,
  );
  expect(made.body['aggregationRule']).toEqual({ clusterRoleSelectors: [{}] });
  const map = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'm' },
    immutable: false,
    data: { a: '' },
    binaryData: { b: '' },
  };
  const { ConfigMap } = await import('../../src/entries/index.js');
  const kept = await send(
    'POST',
    '/api/v1/namespaces/default/configmaps',
    type === PROTOBUF ? inProtobuf(ConfigMap, map) : JSON.stringify(map),
    type,
  );
  expect(kept.body).toMatchObject({ immutable: false, data: { a: '' }, binaryData: { b: '' } });
});

test('lists and strings without omitempty are null when they are missing', async () => {
  const volumes = [
    { name: 'v', projected: {} },
    {
      name: 'w',
      ephemeral: {
        volumeClaimTemplate: {
          metadata: {},
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1' } },
            dataSource: { kind: 'PersistentVolumeClaim', name: 'c' },
          },
        },
      },
    },
  ];
  const pod = await running.client
    .resource(Pod)
    .namespace('default')
    .create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }], volumes } });
  expect(pod.spec?.volumes?.[0]?.projected).toMatchObject({ sources: null });
  expect(pod.spec?.volumes?.[1]?.ephemeral?.volumeClaimTemplate?.spec?.dataSource).toEqual({
    apiGroup: null,
    kind: 'PersistentVolumeClaim',
    name: 'c',
  });
  const node = await running.client
    .resource(Node)
    .create({ metadata: { name: 'node' }, status: { images: [{ sizeBytes: 1 }, { names: [] }, { names: ['a'] }] } });
  expect(node.status?.images).toEqual([{ names: null, sizeBytes: 1 }, { names: null }, { names: ['a'] }]);
});
