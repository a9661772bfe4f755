/** The names by which the records of field ownership call what the server runs itself. */
import { describe, expect, test } from 'vitest';
import { ClusterRole, CustomResourceDefinition, Deployment } from '../../src/entries/index.js';
import { ReplicaSet } from '../../src/entries/kinds.js';
import { defineDialect, kubernetes, orch } from '../../src/foundation/index.js';
import { startTestServer } from '../../src/entries/testing.js';
import { definition } from '../server/custom/world.js';

/** Returns the managers of an object, with their operations and subresources. */
const managersOf = ({ metadata }: { readonly metadata: { readonly managedFields?: readonly object[] | undefined } }) =>
  (metadata.managedFields ?? [])
    .map((entry) => {
      const { manager, operation, subresource } = entry as Record<string, string | undefined>;
      return [manager, operation, ...(subresource === undefined ? [] : [subresource])].join(' ');
    })
    .sort();

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const acme = defineDialect({ name: 'acme', product: 'acme', groupSuffix: 'acme.example', labelDomain: 'acme.example' });

test.each([
  [kubernetes, 'kube-controller-manager'],
  [orch, 'orch-controller-manager'],
  [acme, 'acme-controller-manager'],
])('controllers write in the name of the controller manager of the dialect', async (dialect, manager) => {
  await using running = await startTestServer({ dialect });
  const deployments = running.client.resource(Deployment).namespace('default');
  await deployments.create(
    { metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } },
    { fieldManager: 'user' },
  );
  await running.settled();
  expect(managersOf(await deployments.get('d'))).toEqual([`${manager} Update status`, 'user Update']);
  const replicas = await running.client.resource(ReplicaSet).namespace('default').list();
  expect(replicas.items.map(managersOf)).toEqual([[`${manager} Update`, `${manager} Update status`]]);
});

test('the server establishes definitions in its own name', async () => {
  await using running = await startTestServer({ dialect: kubernetes });
  const definitions = running.client.resource(CustomResourceDefinition);
  const made = await definitions.create(definition() as never, { fieldManager: 'user' });
  await running.settled();
  expect(managersOf(await definitions.get(made.metadata.name ?? ''))).toEqual([
    'kube-apiserver Update status',
    'user Update',
  ]);
});

describe('the rules of an aggregated role', () => {
  const rule = (resource: string) => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });
  const part = (name: string, resource: string) => ({
    metadata: { name, labels: { aggregate: 'yes' } },
    rules: [rule(resource)],
  });

  test('are applied by the controller, whom a conflict names', async () => {
    await using running = await startTestServer({ dialect: kubernetes });
    const roles = running.client.resource(ClusterRole);
    await roles.create(part('part', 'pods'));
    const whole = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { aggregate: 'yes' } }] } };
    await roles.create({ metadata: { name: 'whole' }, ...whole, rules: [rule('secrets')] }, { fieldManager: 'user' });
    await running.settled();
    const made = await roles.get('whole');
    expect(made.rules).toEqual([rule('pods')]);
    expect(managersOf(made)).toEqual(['clusterrole-aggregation-controller Apply', 'user Update']);
    await expect(
      roles.apply({ metadata: { name: 'whole' }, rules: [rule('nodes')] }, { fieldManager: 'other' }),
    ).rejects.toMatchObject({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "clusterrole-aggregation-controller": .rules',
    });
    await roles.apply({ metadata: { name: 'whole' }, rules: [rule('nodes')] }, { fieldManager: 'other', force: true });
    await running.settled();
    expect((await roles.get('whole')).rules).toEqual([rule('pods')]);
  });

  test('have the same manager in the roles that a server starts with', async () => {
    await using running = await startTestServer({ dialect: kubernetes });
    const roles = running.client.resource(ClusterRole);
    const before = await roles.get('view');
    expect(managersOf(before)).toEqual(['clusterrole-aggregation-controller Apply', 'kube-apiserver Update']);
    await expect(
      roles.apply({ metadata: { name: 'view' }, rules: [rule('nodes')] }, { fieldManager: 'other' }),
    ).rejects.toMatchObject({
      message: 'Apply failed with 1 conflict: conflict with "clusterrole-aggregation-controller": .rules',
    });
    await running.settled();
    expect(await roles.get('view')).toEqual(before);
    expect(managersOf(await roles.get('cluster-admin'))).toEqual(['kube-apiserver Update']);
  });

  test('follow the roles that they are made of, to none', async () => {
    await using running = await startTestServer({ dialect: kubernetes });
    const roles = running.client.resource(ClusterRole);
    await roles.create({
      metadata: { name: 'whole' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { aggregate: 'yes' } }] },
      rules: [],
    });
    for (const resource of ['pods', 'nodes']) await roles.create(part(resource, resource));
    await running.settled();
    expect((await roles.get('whole')).rules).toEqual([rule('nodes'), rule('pods')]);
    for (const resource of ['pods', 'nodes']) await roles.delete(resource);
    await running.settled();
    expect((await roles.get('whole')).rules ?? []).toEqual([]);
  });

  test('do not make a role again that is deleted meanwhile', async () => {
    await using running = await startTestServer({ dialect: kubernetes });
    const roles = running.client.resource(ClusterRole);
    const whole = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { aggregate: 'yes' } }] }, rules: [] };
    await roles.create({ metadata: { name: 'whole' }, ...whole });
    await running.settled();
    await Promise.all([roles.create(part('part', 'pods')), roles.delete('whole')]);
    await running.settled();
    await expect(roles.get('whole')).rejects.toMatchObject({ code: 404 });
  });
});
