/**
 * A node agent joins: bootstrap token, request, approval, certificate, mutual TLS; and a new certificate before this
 * one expires.
 */
import { describe, expect, test } from 'vitest';
import { ApiServer } from '../../../src/apiserver/api-server.js';
import { systemClock } from '../../../src/foundation/index.js';
import { kubernetes, orch, type Dialect } from '../../../src/foundation/index.js';
import { CertificateAuthority, parseCertificateBundle } from '../../../src/security/pki/index.js';
import { ClusterRoleBinding, Node, Secret } from '../../../src/kinds/builtin/index.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { createServingCertificate, listen } from '../../../src/transport/node/index.js';
import { opensslInDirectory } from '../../security/pki/support/openssl.js';
import { Caller, type Credentials } from './caller.js';
import { newRequest } from './requests.js';

const HOUR_MS = 3_600_000;
const TOKEN = '07401b.f395accd246ae52d';
const CLIENT_USAGES = ['digital signature', 'client auth'];
const openssl = opensslInDirectory();

/** A server on a port, with a clock that only moves when advanced, and a given certificate signer. */
async function start(dialect: Dialect) {
  const clock = createManualClock(systemClock.now());
  const authority = await CertificateAuthority.create({
    commonName: 'signer',
    notBefore: clock.now() - HOUR_MS,
    notAfter: clock.now() + 1000 * HOUR_MS,
  });
  const server = new ApiServer({
    dialect,
    clock,
    authentication: { bootstrapTokens: true, clientCertificates: { certificateAuthorities: authority.certificatePem } },
    authorization: { modes: ['Node', 'RBAC'] },
    certificates: { authority: { certificatePem: authority.certificatePem, keyPem: await authority.privateKeyPem() } },
  });
  await joiningAllowed(server);
  const { caPem, certPem, keyPem } = await createServingCertificate();
  const listener = await listen(server, { port: 0, tls: { cert: certPem, key: keyPem } });
  return {
    server,
    clock,
    authority,
    as: (credentials: Credentials) => Caller.overTls(listener.url, caPem, dialect, credentials),
    async [Symbol.asyncDispose]() {
      await server.close();
      await listener.close({ grace: 0 });
    },
  };
}

/**
 * The one-time setup by an administrator: a token for joining machines, and the rights by which their requests are
 * approved.
 */
async function joiningAllowed(server: ApiServer): Promise<void> {
  const client = server.client();
  const { dialect } = server;
  const [tokenId = '', tokenSecret = ''] = TOKEN.split('.');
  await client
    .resource(Secret)
    .namespace(dialect.namespaces.system)
    .create({
      metadata: { name: `bootstrap-token-${tokenId}` },
      type: dialect.secretTypes.bootstrapToken,
      stringData: { 'token-id': tokenId, 'token-secret': tokenSecret, 'usage-bootstrap-authentication': 'true' },
    });
  const bind = (name: string, role: string, group: string) => {
    const apiGroup = `rbac.authorization.${dialect.groupSuffix}`;
    return client.resource(ClusterRoleBinding).create({
      metadata: { name },
      roleRef: { apiGroup, kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'Group', apiGroup, name: group }],
    });
  };
  const requests = `system:certificates.${dialect.groupSuffix}:certificatesigningrequests`;
  await bind('join', 'system:node-bootstrapper', 'system:bootstrappers');
  await bind('approve-joining', `${requests}:nodeclient`, 'system:bootstrappers');
  await bind('approve-renewal', `${requests}:selfnodeclient`, 'system:nodes');
}

describe.each([kubernetes, orch])('a node agent, in the dialect $name', (dialect) => {
  const fields = { signerName: dialect.signers.apiServerClientNodeAgent, usages: CLIENT_USAGES };

  test('joins with a token, receives a certificate, and authenticates with it', async () => {
    await using world = await start(dialect);
    using joining = world.as({ token: TOKEN });
    const { pem, keyPem } = newRequest(openssl, '/O=system:nodes/CN=system:node:node-1');

    expect((await joining.ask('node-1', pem, { ...fields, expirationSeconds: 3600 })).status).toBe(201);
    await world.server.settled();
    const request = await joining.look('node-1');
    expect(request.spec).toMatchObject({
      username: 'system:bootstrap:07401b',
      groups: ['system:bootstrappers', 'system:authenticated'],
    });
    expect(request.status?.conditions).toMatchObject([
      {
        type: 'Approved',
        reason: 'AutoApproved',
        message: `Auto approving ${dialect.nodeAgentName} client certificate after SubjectAccessReview.`,
      },
    ]);

    const cert = await joining.certificate('node-1');
    const file = openssl.file('node-1.crt', cert);
    const root = openssl.file('root.crt', world.authority.certificatePem);
    expect(
      openssl.run([
        'verify',
        '-x509_strict',
        '-purpose',
        'sslclient',
        '-no-CApath',
        '-no-CAstore',
        '-CAfile',
        root,
        file,
      ]),
    ).toBe(`${file}: OK\n`);
    expect(
      openssl.run(['x509', '-in', file, '-noout', '-subject', '-ext', 'extendedKeyUsage,basicConstraints,keyUsage']),
    ).toBe(
      'subject=O = system:nodes, CN = system:node:node-1\nX509v3 Key Usage: critical\n    Digital Signature\nX509v3 Extended Key Usage: \n    TLS Web Client Authentication\nX509v3 Basic Constraints: critical\n    CA:FALSE\n',
    );
    expect(openssl.run(['x509', '-in', file, '-noout', '-pubkey'])).toBe(openssl.run(['pkey', '-pubout'], keyPem));

    using agent = world.as({ cert, key: keyPem });
    expect(await agent.whoami()).toEqual(['system:node:node-1', 'system:nodes', 'system:authenticated']);
    expect((await agent.send('POST', '/api/v1/nodes', { metadata: { name: 'node-1' } })).status).toBe(201);
    expect(await agent.send('POST', '/api/v1/nodes', { metadata: { name: 'node-2' } })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('node "node-1" is not allowed to modify node "node-2"') },
    });
    expect((await world.server.client().resource(Node).list()).items.map(({ metadata }) => metadata.name)).toEqual([
      'node-1',
    ]);
  });

  test(
    'renews its certificate before it expires; the old one is valid to its last moment, and not after',
    { timeout: 300_000 },
    async () => {
      await using world = await start(dialect);
      using joining = world.as({ token: TOKEN });
      const first = newRequest(openssl, '/O=system:nodes/CN=system:node:node-1');
      await joining.ask('first', first.pem, { ...fields, expirationSeconds: 10 * 3600 });
      await world.server.settled();
      const cert = await joining.certificate('first');
      const { notAfter } = parseCertificateBundle(cert)[0] ?? { notAfter: 0 };

      await world.clock.advance(8 * HOUR_MS);
      using old = world.as({ cert, key: first.keyPem });
      const second = newRequest(openssl, '/O=system:nodes/CN=system:node:node-1');
      expect((await old.ask('second', second.pem, { ...fields, expirationSeconds: 10 * 3600 })).status).toBe(201);
      await world.server.settled();
      expect((await old.look('second')).status?.conditions).toMatchObject([
        { message: `Auto approving self ${dialect.nodeAgentName} client certificate after SubjectAccessReview.` },
      ]);
      using renewed = world.as({ cert: await old.certificate('second'), key: second.keyPem });
      const self = ['system:node:node-1', 'system:nodes', 'system:authenticated'];
      expect([await old.whoami(), await renewed.whoami()]).toEqual([self, self]);

      await world.clock.advance(notAfter - world.clock.now());
      expect([await old.whoami(), await renewed.whoami()]).toEqual([self, self]);
      await world.clock.advance(1000);
      expect([await old.whoami(), await renewed.whoami()]).toEqual([401, self]);
      using late = world.as({ cert, key: first.keyPem });
      expect(await late.whoami()).toBe(401);
      await world.clock.advance(20 * HOUR_MS);
      expect(await renewed.whoami()).toBe(401);
    },
  );

  test('as a node cannot request a certificate of another node', async () => {
    await using world = await start(dialect);
    using joining = world.as({ token: TOKEN });
    const { pem, keyPem } = newRequest(openssl, '/O=system:nodes/CN=system:node:node-1');
    await joining.ask('node-1', pem, fields);
    await world.server.settled();
    using agent = world.as({ cert: await joining.certificate('node-1'), key: keyPem });
    const other = newRequest(openssl, '/O=system:nodes/CN=system:node:node-2');
    expect(await agent.ask('node-2', other.pem, fields)).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('can only create a node CSR with CN=system:node:node-1') },
    });
  });
});
