import { expect, it } from 'vitest';
import { ClusterRole, ClusterRoleBinding } from '../../../src/entries/index.js';
import { definition, world } from './world.js';

it('explanations of access find custom kinds by all their names, as long as they are served', async () => {
  await using own = await world();
  const { server } = own.test;
  const explain = (resource: string) => server.explain('alice', 'get', resource, { namespace: 'default', name: 'one' });
  await expect(explain('rockets')).rejects.toThrow('no resource "rockets" is served');
  await own.define(definition({ names: { shortNames: ['rk'] }, subresources: { status: {} } }));
  const client = server.client();
  await client.resource(ClusterRole).create({
    metadata: { name: 'rockets' },
    rules: [{ apiGroups: ['example.com'], resources: ['rockets'], verbs: ['get'] }],
  });
  await client.resource(ClusterRoleBinding).create({
    metadata: { name: 'rockets' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'alice' }],
    roleRef: { kind: 'ClusterRole', apiGroup: 'rbac.authorization.k8s.io', name: 'rockets' },
  });
  await own.test.settled();
  for (const name of ['rockets', 'rocket', 'rk', 'rockets.example.com', 'rk.example.com'])
    expect(await explain(name)).toMatchObject({ allowed: true });
  expect(await explain('rk/status')).toMatchObject({ allowed: false });
  await own.change('rockets.example.com', { spec: { names: { shortNames: ['rkt'] } } });
  expect(await explain('rkt')).toMatchObject({ allowed: true });
  await expect(explain('rk')).rejects.toThrow('no resource "rk" is served');
  await own.remove('rockets.example.com');
  await expect(explain('rockets')).rejects.toThrow('no resource "rockets" is served');
});
