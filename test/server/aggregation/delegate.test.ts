/** Two servers, one API: the users and the rights of one server, and kinds that another serves. */
import * as z from 'zod';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ApiServer, defineResource, delegateTo, kubernetes, type Delegation } from '../../../src/entries/index.js';
import { connect, type Client } from '../../../src/entries/client.js';
import { APIService, ClusterRole, ClusterRoleBinding, ConfigMap, RoleBinding } from '../../../src/entries/kinds.js';
import {
  createServingCertificate,
  listen,
  nodeHttpClient,
  type Listener,
  type ServingCertificate,
} from '../../../src/transport/node/index.js';
import { PATIENCE } from '../../support/patience.js';

const Ferry = defineResource({
  group: 'ships.example.com',
  version: 'v1',
  kind: 'Ferry',
  plural: 'ferries',
  scope: 'Namespaced',
  schema: () => z.object({ spec: z.object({ seats: z.number().int().optional() }).optional() }),
});
const USERS = ['alice', 'bob', 'extension'].map((username) => ({ token: username, user: { username, groups: [] } }));

let main: ApiServer;
let mainListener: Listener;
let other: ApiServer;
let otherListener: Listener;
let certificate: ServingCertificate;
let delegation: Delegation;
let extensionClient: Client;
const http = nodeHttpClient();

const clientOf = (listener: Listener, token: string): Promise<Client> =>
  connect({ url: listener.url, token, authority: certificate.caPem }, { dialect: kubernetes });
const ferriesOf = async (listener: Listener, token: string) =>
  (await clientOf(listener, token)).resource(Ferry).namespace('default');

/** Grants what the documentation of an extension server grants to its user. */
async function grantToExtension(owner: Client): Promise<void> {
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'extension' }];
  const [apiGroup, roleName] = ['rbac.authorization.k8s.io', 'extension-apiserver-authentication-reader'];
  await owner.resource(ClusterRoleBinding).create({
    metadata: { name: 'extension' },
    ...{ subjects, roleRef: { apiGroup, kind: 'ClusterRole', name: 'system:auth-delegator' } },
  });
  await owner
    .resource(RoleBinding)
    .namespace('kube-system')
    .create({ metadata: { name: 'extension' }, subjects, roleRef: { apiGroup, kind: 'Role', name: roleName } });
}

beforeAll(async () => {
  certificate = await createServingCertificate({ names: ['127.0.0.1', 'ferries.default.svc'] });
  const { certPem: cert, keyPem: key, caPem } = certificate;
  main = new ApiServer({
    dialect: kubernetes,
    authentication: { tokens: USERS },
    network: { httpClient: http, resolveService: () => new URL(otherListener.url) },
  });
  mainListener = await listen(main, { tls: { cert, key } });
  const owner = main.client();
  await grantToExtension(owner);
  await owner.resource(ClusterRole).create({
    metadata: { name: 'sailor' },
    rules: [{ apiGroups: ['ships.example.com'], resources: ['ferries'], verbs: ['create', 'get'] }],
  });
  await owner.resource(ClusterRoleBinding).create({
    metadata: { name: 'sailor' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'sailor' },
  });
  extensionClient = await clientOf(mainListener, 'extension');
  delegation = await delegateTo(extensionClient);
  other = new ApiServer({ dialect: kubernetes, ...delegation.options, resources: [Ferry] });
  otherListener = await listen(other, { tls: { cert, key, ca: [delegation.authorities] } });
  await owner.resource(APIService).create({
    metadata: { name: 'v1.ships.example.com' },
    spec: {
      ...{ group: 'ships.example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 },
      service: { namespace: 'default', name: 'ferries' },
      caBundle: Buffer.from(caPem).toString('base64'),
    },
  });
  await main.settled();
});

afterAll(async () => {
  await delegation.close();
  await mainListener.close();
  await otherListener.close();
  await Promise.all([main.close(), other.close()]);
  http.close();
});

test('a user of the one server works with the kinds of the other, through either', async () => {
  const through = await ferriesOf(mainListener, 'alice');
  await through.create({ metadata: { name: 'one' }, spec: { seats: 5 } });
  const direct = await ferriesOf(otherListener, 'alice');
  expect((await direct.get('one')).spec).toEqual({ seats: 5 });
});

test('the rights are those of the one server', async () => {
  const message =
    'ferries.ships.example.com "one" is forbidden: User "bob" cannot get resource "ferries" in API group "ships.example.com" in the namespace "default"';
  for (const listener of [mainListener, otherListener])
    await expect((await ferriesOf(listener, 'bob')).get('one')).rejects.toThrow(message);
  await expect((await ferriesOf(otherListener, 'alice')).delete('one')).rejects.toMatchObject({ code: 403 });
});

test('a token that the one server does not know is refused by the other', async () => {
  await expect((await ferriesOf(otherListener, 'nobody')).get('one')).rejects.toMatchObject({ code: 401 });
});

test('the credentials are followed', async () => {
  const maps = main.client().resource(ConfigMap).namespace('kube-system');
  const { data } = await maps.get('extension-apiserver-authentication');
  expect(delegation.authorities.replaceAll(/\s/g, '')).toBe(
    (data?.['requestheader-client-ca-file'] ?? '').replaceAll(/\s/g, ''),
  );
  const added = (await createServingCertificate({ names: ['a'] })).caPem;
  await maps.patch(
    'extension-apiserver-authentication',
    { data: { 'requestheader-client-ca-file': `${data?.['requestheader-client-ca-file']}${added}` } },
    { type: 'merge' },
  );
  const authorities = delegation.options.authentication?.requestHeader?.certificateAuthorities;
  await vi.waitFor(
    () => expect(typeof authorities === 'function' && authorities()).toContain(added.slice(40, 80)),
    PATIENCE,
  );
});

test('a server without the ConfigMap, or a user who may not read it, is an error', async () => {
  await expect(delegateTo(await clientOf(mainListener, 'bob'))).rejects.toThrow(
    'configmaps "extension-apiserver-authentication" is forbidden: User "bob" cannot get',
  );
});
