// The server under measurement: an ApiServer over node http with the objects that the parent requests.
import { ApiServer, ClusterRole, ClusterRoleBinding, ConfigMap, RoleBinding } from 'orch-apiserver';
import { listen } from 'orch-apiserver/node';
import { benchConfigMap } from '../object.mjs';

const objects = Number(process.argv[2]);
const tokens = [
  { token: 'bench', user: { username: 'bench', groups: ['system:masters'] } },
  { token: 'bound', user: { username: 'bound', groups: ['dev'] } },
];
const server = new ApiServer({ dialect: 'kubernetes', authentication: { tokens } });
const client = server.client().resource(ConfigMap).namespace('default');
for (let index = 0; index < objects; index += 1)
  await client.create(benchConfigMap(`object-${String(index).padStart(6, '0')}`));
if (process.argv[3] === 'roles') await fillRoles();
const listener = await listen(server, { port: 0 });
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }));
process.send?.({ url: listener.url });

/**
 * A thousand roles and two thousand bindings, of which five are for one user: two cluster-wide, three in the namespace.
 */
async function fillRoles() {
  const apiGroup = 'rbac.authorization.k8s.io';
  const roles = server.client().resource(ClusterRole);
  const bindings = server.client().resource(RoleBinding).namespace('default');
  for (let index = 0; index < 1000; index += 1) {
    const resources = index === 4 ? ['configmaps'] : [`kind-${index}`];
    await roles.create({
      metadata: { name: `role-${index}` },
      rules: [{ verbs: ['get', 'list'], apiGroups: [''], resources }],
    });
  }
  const binding = (index, user) => ({
    metadata: { name: `binding-${index}` },
    subjects: [{ kind: 'User', apiGroup, name: user }],
    roleRef: { apiGroup, kind: 'ClusterRole', name: `role-${index % 1000}` },
  });
  for (const index of [0, 1]) await server.client().resource(ClusterRoleBinding).create(binding(index, 'bound'));
  for (let index = 2; index < 2000; index += 1)
    await bindings.create(binding(index, index < 5 ? 'bound' : `user-${index}`));
}
