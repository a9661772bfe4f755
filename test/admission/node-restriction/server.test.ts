import { describe, expect, test } from 'vitest';
import { nodeRestriction } from '../../../src/admission/index.js';
import {
  ApiError,
  ClusterRole,
  ClusterRoleBinding,
  kubernetes,
  Lease,
  orch,
  Pod,
  ServiceAccount,
  type ApiServer,
  type Dialect,
} from '../../../src/entries/index.js';
import { Node, TokenRequest } from '../../../src/entries/kinds.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { ask, textOf } from '../../server/ask.js';
import { agent, ownedBy } from './support.js';

const containers = [{ name: 'main', image: 'image' }];

/** The outcome of a request: the text of the refusal, or `true`. */
async function outcomeOf(request: Promise<unknown>): Promise<string | true> {
  try {
    await request;
    return true;
  } catch (error) {
    if (error instanceof ApiError) return `${error.status.code} ${error.message}`;
    throw error;
  }
}

const look = async <Found>(request: Promise<Found>): Promise<Found | undefined> =>
  request.catch((error: unknown) => {
    if (error instanceof ApiError && error.reason === 'NotFound') return undefined;
    throw error;
  });

/** A server with two nodes, a pod on each, and one unscheduled pod. */
async function world(dialect: Dialect): Promise<TestServer> {
  const holder: { server?: ApiServer } = {};
  const owner = () => {
    if (holder.server === undefined) throw new Error('the server was used before it exists');
    return holder.server.client();
  };
  const restriction = nodeRestriction({
    dialect,
    findPod: (namespace, name) => look(owner().resource(Pod).namespace(namespace).get(name)),
    findNode: (name) => look(owner().resource(Node).get(name)),
  });
  const running = await startTestServer({
    dialect,
    authorization: { modes: ['Node', 'RBAC'] },
    admission: { plugins: [restriction] },
    authentication: { tokens: [{ token: 'agent', user: agent }] },
  });
  holder.server = running.server;
  await running.client
    .resource(ServiceAccount)
    .namespace('default')
    .create({ metadata: { name: 'robot' } });
  for (const name of ['mynode', 'othernode'])
    await running.client
      .resource(Node)
      .create({ metadata: { name }, spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } });
  const pods = running.client.resource(Pod).namespace('default');
  for (const nodeName of ['mynode', 'othernode'])
    await pods.create({
      metadata: { name: `pod-${nodeName}` },
      spec: { nodeName, serviceAccountName: 'robot', containers },
    });
  await pods.create({ metadata: { name: 'pod-nowhere' }, spec: { serviceAccountName: 'robot', containers } });
  return running;
}

describe.each([orch, kubernetes])('a node agent of a server in the dialect $name', (dialect) => {
  test('creates mirror pods on its node, and reports and deletes pods of its node only', async () => {
    await using running = await world(dialect);
    const node = running.server.client({ user: agent });
    const pods = node.resource(Pod).namespace('default');
    const { uid = '' } = (await running.client.resource(Node).get('mynode')).metadata;
    const annotation = `${dialect.labelDomain}/config.mirror`;
    const mirror = (name: string, owner: string) =>
      pods.create({
        metadata: { name, annotations: { [annotation]: 'hash' }, ownerReferences: [ownedBy('mynode', { uid: owner })] },
        spec: { nodeName: 'mynode', containers },
      });
    expect(await outcomeOf(pods.create({ metadata: { name: 'web' }, spec: { nodeName: 'mynode', containers } }))).toBe(
      `403 pods "web" is forbidden: pod does not have "${annotation}" annotation, node "mynode" can only create mirror pods`,
    );
    expect(await outcomeOf(mirror('web', 'earlier'))).toBe(
      `403 pods "web" is forbidden: node mynode UID mismatch: expected earlier got ${uid}`,
    );
    expect(await outcomeOf(mirror('web', uid))).toBe(true);

    const status = (name: string) => pods.patch(name, { status: { phase: 'Running' } }, { subresource: 'status' });
    expect(await outcomeOf(status('pod-mynode'))).toBe(true);
    expect(await outcomeOf(status('pod-othernode'))).toBe(
      '403 pods "pod-othernode" is forbidden: node "mynode" can only update pod status for pods with spec.nodeName set to itself',
    );
    expect(
      await outcomeOf(pods.patch('pod-mynode', { metadata: { labels: { role: 'db' } } }, { subresource: 'status' })),
    ).toBe('403 pods "pod-mynode" is forbidden: node "mynode" cannot update labels through pod status');

    for (const name of ['pod-othernode', 'pod-nowhere']) {
      expect(await outcomeOf(pods.delete(name))).toBe(
        `403 pods "${name}" is forbidden: node "mynode" can only delete pods with spec.nodeName set to itself`,
      );
    }
    expect(await outcomeOf(pods.delete('pod-mynode', { gracePeriodSeconds: 0 }))).toBe(true);
    expect(
      (await running.client.resource(Pod).namespace('default').list()).items
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual(['pod-nowhere', 'pod-othernode', 'web']);
  });

  test('maintains its own Node, except for taints, owners and restricted labels', async () => {
    await using running = await world(dialect);
    const nodes = running.server.client({ user: agent }).resource(Node);
    const { labelDomain } = dialect;
    const refused = (why: string, name = 'mynode') => `403 nodes "${name}" is forbidden: ${why}`;
    const patch = (body: object, subresource = '') => outcomeOf(nodes.patch('mynode', body, { subresource }));

    expect(
      await patch(
        {
          metadata: { labels: { [`${labelDomain}/hostname`]: 'mynode', plain: 'yes' } },
          status: { capacity: { cpu: '4' } },
        },
        'status',
      ),
    ).toBe(true);
    expect(await patch({ spec: { taints: null } })).toBe(refused('node "mynode" is not allowed to modify taints'));
    expect(await patch({ spec: { taints: null } }, 'status'), 'where it would change nothing').toBe(
      refused('node "mynode" is not allowed to modify taints'),
    );
    expect(await patch({ metadata: { ownerReferences: [ownedBy('othernode')] } })).toBe(
      refused('node "mynode" is not allowed to modify ownerReferences'),
    );
    const zone = `node-restriction.${labelDomain}/zone`;
    expect(await patch({ metadata: { labels: { [zone]: 'secure' } } }, 'status')).toBe(
      refused(`is not allowed to modify labels: ${zone}`),
    );
    const applied = { metadata: { name: 'mynode', labels: { [zone]: 'secure' } } };
    expect(await outcomeOf(nodes.apply(applied, { fieldManager: 'agent', force: true }))).toBe(
      refused(`is not allowed to modify labels: ${zone}`),
    );
    expect(await outcomeOf(nodes.update({ metadata: { name: 'mynode' } }))).toBe(
      refused('node "mynode" is not allowed to modify taints'),
    );
    const elsewhere = refused('node "mynode" is not allowed to modify node "othernode"', 'othernode');
    expect(
      await outcomeOf(nodes.patch('othernode', { status: { capacity: { cpu: '4' } } }, { subresource: 'status' })),
    ).toBe(elsewhere);

    await running.client.resource(Node).delete('mynode');
    await running.client.resource(Node).delete('othernode');
    expect(await outcomeOf(nodes.create({ metadata: { name: 'othernode' } }))).toBe(elsewhere);
    expect(await outcomeOf(nodes.create({ metadata: { name: 'mynode', labels: { [zone]: 'secure' } } }))).toBe(
      refused(`node "mynode" is not allowed to set the following labels: ${zone}`),
    );
    expect(
      await outcomeOf(
        nodes.create({ metadata: { name: 'mynode' }, spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }),
      ),
    ).toBe(true);
  });

  test('gets tokens for the accounts of its pods, bound to these pods', async () => {
    await using running = await world(dialect);
    const accounts = running.server.client({ user: agent }).resource(ServiceAccount).namespace('default');
    const request = (boundObjectRef?: { kind: string; apiVersion: string; name: string; uid?: string }) =>
      accounts.perform('robot', TokenRequest, { spec: boundObjectRef === undefined ? {} : { boundObjectRef } });
    const refused = (why: string) => `403 serviceaccounts "robot" is forbidden: ${why}`;
    const pod = async (name: string) => {
      const { uid = '' } = (await running.client.resource(Pod).namespace('default').get(name)).metadata;
      return { kind: 'Pod', apiVersion: 'v1', name, uid };
    };
    expect(await outcomeOf(request())).toBe(refused('node requested token not bound to a pod'));
    const { uid: _, ...withoutUid } = await pod('pod-mynode');
    expect(await outcomeOf(request(withoutUid))).toBe(refused('node requested token with a pod binding without a uid'));
    expect(await outcomeOf(request(await pod('pod-othernode')))).toBe(
      refused('node requested token bound to a pod scheduled on a different node'),
    );
    expect(await outcomeOf(request({ kind: 'Pod', apiVersion: 'v1', name: 'nopod', uid: 'u' }))).toBe(
      '404 pod "nopod" not found',
    );
    expect((await request(await pod('pod-mynode'))).status?.token).toMatch(/^ey/);
  });

  test('maintains its own lease, even if a role grants more', async () => {
    await using running = await world(dialect);
    const rules = [{ apiGroups: ['', `coordination.${dialect.groupSuffix}`], resources: ['*'], verbs: ['*'] }];
    await running.client.resource(ClusterRole).create({ metadata: { name: 'wide' }, rules });
    const roleRef = { apiGroup: `rbac.authorization.${dialect.groupSuffix}`, kind: 'ClusterRole', name: 'wide' };
    await running.client.resource(ClusterRoleBinding).create({
      metadata: { name: 'wide' },
      roleRef,
      subjects: [{ kind: 'Group', apiGroup: roleRef.apiGroup, name: 'system:nodes' }],
    });
    const leases = running.server.client({ user: agent }).resource(Lease);
    const { nodeLease } = dialect.namespaces;
    const refused = (name: string, why: string) =>
      `403 leases.coordination.${dialect.groupSuffix} "${name}" is forbidden: ${why}`;
    const lease = (name: string) => ({ metadata: { name }, spec: { holderIdentity: name } });
    expect(await outcomeOf(leases.namespace(nodeLease).create(lease('mynode')))).toBe(true);
    expect(await outcomeOf(leases.namespace(nodeLease).patch('mynode', { spec: { leaseDurationSeconds: 40 } }))).toBe(
      true,
    );
    expect(await outcomeOf(leases.namespace(nodeLease).create(lease('othernode')))).toBe(
      refused('othernode', 'can only access node lease with the same name as the requesting node'),
    );
    expect(await outcomeOf(leases.namespace('default').create(lease('mynode')))).toBe(
      refused('mynode', `can only access leases in the "${nodeLease}" system namespace`),
    );

    const pods = running.server.client({ user: agent }).resource(Pod).namespace('default');
    expect(await outcomeOf(pods.patch('pod-mynode', { metadata: { labels: { a: 'b' } } }))).toBe(
      '403 pods "pod-mynode" is forbidden: unexpected operation "UPDATE", node "mynode" can only create and delete mirror pods',
    );
    const elsewhere =
      '403 pods "pod-othernode" is forbidden: node "mynode" can only delete pods with spec.nodeName set to itself';
    expect(await outcomeOf(pods.deleteCollection({ fieldSelector: 'metadata.name=pod-othernode' }))).toBe(elsewhere);
  });

  test('is denied before its body is validated', async () => {
    await using running = await world(dialect);
    const pods = running.server.client({ user: agent }).resource(Pod).namespace('default');
    expect(await outcomeOf(pods.create({ metadata: { name: 'No Name' }, spec: { containers: [] } }))).toContain(
      '403 pods "No Name" is forbidden: pod does not have',
    );
  });

  test('gets its denials as a Status', async () => {
    await using running = await world(dialect);
    const answer = await ask(running.server, 'DELETE', '/api/v1/namespaces/default/pods/pod-nowhere', {
      token: 'agent',
    });
    expect(JSON.parse(await textOf(answer))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'pods "pod-nowhere" is forbidden: node "mynode" can only delete pods with spec.nodeName set to itself',
      reason: 'Forbidden',
      details: { name: 'pod-nowhere', kind: 'pods' },
      code: 403,
    });
  });
});
