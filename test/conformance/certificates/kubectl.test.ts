/** Certificates with the real command-line tool, against a server in a process of its own that is as a user starts it. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { kubernetes } from '../../../src/names/index.js';
import { parseCertificateBundle } from '../../../src/pki/index.js';
import { opensslInDirectory } from '../../pki/support/openssl.js';
import { Kubectl, rowsOf, toolMinor } from '../kubectl/kubectl.js';
import { startServer, type ServerProcess } from '../kubectl/server.js';
import { Caller } from './caller.js';
import { newRequest } from './requests.js';

const { signers, groupSuffix } = kubernetes;
const TOKEN = '07401b.f395accd246ae52d';
const SERVE = [
  '--dialect=kubernetes',
  '--storage=memory',
  '--insecure-loopback-port=0',
  '--enable-bootstrap-token-auth',
  '--authorization-mode=Node,RBAC',
];
const CLIENT_USAGES = ['digital signature', 'client auth'];
const openssl = opensslInDirectory();

const manifest = (name: string, pem: string, spec: object): string =>
  JSON.stringify({
    apiVersion: `certificates.${groupSuffix}/v1`,
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: { request: Buffer.from(pem).toString('base64'), usages: CLIENT_USAGES, ...spec },
  });

/** Text of a base64 field of an object, once it is there. */
async function certificateOf(kubectl: Kubectl, name: string): Promise<string> {
  await kubectl.ok(['wait', `csr/${name}`, '--for=jsonpath={.status.certificate}', '--timeout=10s']);
  return Buffer.from(
    await kubectl.ok(['get', 'csr', name, '-o', 'jsonpath={.status.certificate}']),
    'base64',
  ).toString();
}

describe.skipIf(toolMinor === undefined)('kubectl, with an authority that the server made', () => {
  let server: ServerProcess;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await startServer(SERVE);
    kubectl = new Kubectl(server);
  }, 30_000);

  afterAll(async () => {
    if (kubectl !== undefined) expect(await server.stop()).toBe(0);
  }, 30_000);

  /** A kubeconfig like the owner's, with other credentials. */
  async function configOf(name: string, user: object): Promise<{ readonly env: { readonly KUBECONFIG: string } }> {
    const config = parse(await readFile(server.kubeconfig, 'utf8')) as { users: { user: object }[] };
    const path = join(server.directory, `${name}.yaml`);
    await writeFile(path, stringify({ ...config, users: config.users.map((entry) => ({ ...entry, user })) }));
    return { env: { KUBECONFIG: path } };
  }

  const byCertificate = (name: string, cert: string, key: string) =>
    configOf(name, {
      'client-certificate-data': Buffer.from(cert).toString('base64'),
      'client-key-data': Buffer.from(key).toString('base64'),
    });

  it('get csr shows who asks whom for what, and what was decided', async () => {
    await kubectl.ok('apply -f -', {
      input: manifest('pending', newRequest(openssl, '/O=dev/CN=alice').pem, {
        signerName: signers.apiServerClient,
        expirationSeconds: 3600,
      }),
    });
    expect(rowsOf(await kubectl.ok('get csr pending'))).toEqual([
      ['pending', expect.stringMatching(/^\d+s$/), signers.apiServerClient, 'system:apiserver', '60m', 'Pending'],
    ]);
    expect(await kubectl.ok('describe csr pending')).toMatch(
      /Status: +Pending\nSubject:\n\s+Common Name: +alice\n\s+Serial Number: *\n\s+Organization: +dev\n/,
    );
  });

  it('certificate approve: the certificate comes, and is good for its owner', async () => {
    const { pem, keyPem } = newRequest(openssl, '/O=dev/CN=alice');
    await kubectl.ok('apply -f -', {
      input: manifest('alice', pem, { signerName: signers.apiServerClient, expirationSeconds: 3600 }),
    });
    expect(await kubectl.ok('certificate approve alice')).toBe(
      'certificatesigningrequest.certificates.k8s.io/alice approved\n',
    );
    const cert = await certificateOf(kubectl, 'alice');
    expect(rowsOf(await kubectl.ok('get csr alice'))[0]?.at(-1)).toBe('Approved,Issued');
    const conditions = JSON.parse(
      await kubectl.ok(['get', 'csr', 'alice', '-o', 'jsonpath={.status.conditions}']),
    ) as unknown;
    expect(conditions).toMatchObject([
      {
        type: 'Approved',
        status: 'True',
        reason: 'KubectlApprove',
        message: 'This CSR was approved by kubectl certificate approve.',
      },
    ]);
    const asAlice = await byCertificate('alice', cert, keyPem);
    expect(await kubectl.fails('get nodes', asAlice)).toContain(
      'nodes is forbidden: User "alice" cannot list resource "nodes"',
    );
    await kubectl.ok('create clusterrolebinding devs --clusterrole=view --group=dev');
    expect(await kubectl.ok('get configmaps -o name', asAlice)).toContain('configmap/kube-root-ca.crt');
  });

  it('certificate deny: there is none, and there will be none', async () => {
    await kubectl.ok('apply -f -', {
      input: manifest('bob', newRequest(openssl, '/CN=bob').pem, { signerName: signers.apiServerClient }),
    });
    expect(await kubectl.ok('certificate deny bob')).toBe('certificatesigningrequest.certificates.k8s.io/bob denied\n');
    expect(rowsOf(await kubectl.ok('get csr bob'))[0]?.at(-1)).toBe('Denied');
    expect(await kubectl.fails('certificate approve bob')).toContain(
      'certificate signing request "bob" is already Denied',
    );
    expect(await kubectl.ok(['get', 'csr', 'bob', '-o', 'jsonpath={.status.certificate}'])).toBe('');
  });

  it('certificate approve is refused to who may not, in the words of the real system', async () => {
    await kubectl.ok('apply -f -', {
      input: manifest('carol', newRequest(openssl, '/CN=carol').pem, { signerName: signers.apiServerClient }),
    });
    await kubectl.ok([
      'create',
      'clusterrole',
      'writer',
      '--verb=get,update,patch',
      `--resource=certificatesigningrequests.certificates.k8s.io,certificatesigningrequests.certificates.k8s.io/approval`,
    ]);
    await kubectl.ok('create clusterrolebinding writer --clusterrole=writer --user=dave');
    expect(await kubectl.fails('certificate approve carol --as dave')).toContain(
      `certificatesigningrequests.certificates.k8s.io "carol" is forbidden: user not permitted to approve requests with signerName "${signers.apiServerClient}"`,
    );
    // The tool makes no role for a resource that no server has.
    const rules = [
      {
        apiGroups: ['certificates.k8s.io'],
        resources: ['signers'],
        resourceNames: [signers.apiServerClient],
        verbs: ['approve'],
      },
    ];
    await kubectl.ok('apply -f -', {
      input: JSON.stringify({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'approver' },
        rules,
      }),
    });
    await kubectl.ok('create clusterrolebinding approver --clusterrole=approver --user=dave');
    expect(await kubectl.ok('certificate approve carol --as dave')).toContain('carol approved');
  });

  it('get csr --field-selector finds those of a signer', async () => {
    await kubectl.ok('apply -f -', {
      input: manifest('shop', newRequest(openssl, '/CN=shop').pem, { signerName: 'example.com/shop' }),
    });
    expect(await kubectl.ok('get csr --field-selector=spec.signerName=example.com/shop -o name')).toBe(
      'certificatesigningrequest.certificates.k8s.io/shop\n',
    );
  });

  it('a node agent joins with a bootstrap token, and comes again with its certificate', async () => {
    const [id = '', secret = ''] = TOKEN.split('.');
    const data = [`token-id=${id}`, `token-secret=${secret}`, 'usage-bootstrap-authentication=true'].map(
      (pair) => `--from-literal=${pair}`,
    );
    await kubectl.ok([
      'create',
      'secret',
      'generic',
      `bootstrap-token-${id}`,
      '-n',
      'kube-system',
      '--type=bootstrap.kubernetes.io/token',
      ...data,
    ]);
    await kubectl.ok(
      'create clusterrolebinding join --clusterrole=system:node-bootstrapper --group=system:bootstrappers',
    );
    await kubectl.ok(
      'create clusterrolebinding approve --clusterrole=system:certificates.k8s.io:certificatesigningrequests:nodeclient --group=system:bootstrappers',
    );
    await kubectl.ok(
      'create clusterrolebinding renew --clusterrole=system:certificates.k8s.io:certificatesigningrequests:selfnodeclient --group=system:nodes',
    );
    const joining = await configOf('joining', { token: TOKEN });
    const first = newRequest(openssl, '/O=system:nodes/CN=system:node:node-1');
    await kubectl.ok('create -f -', {
      ...joining,
      input: manifest('node-1', first.pem, { signerName: signers.apiServerClientNodeAgent }),
    });
    const cert = await certificateOf(kubectl, 'node-1');
    expect(rowsOf(await kubectl.ok('get csr node-1'))[0]?.slice(2)).toEqual([
      signers.apiServerClientNodeAgent,
      'system:bootstrap:07401b',
      '<none>',
      'Approved,Issued',
    ]);

    const agent = await byCertificate('agent', cert, first.keyPem);
    const node = (name: string): string => JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
    expect(await kubectl.ok('create -f -', { ...agent, input: node('node-1') })).toBe('node/node-1 created\n');
    expect(await kubectl.fails('create -f -', { ...agent, input: node('node-2') })).toContain(
      'node "node-1" is not allowed to modify node "node-2"',
    );
    const second = newRequest(openssl, '/O=system:nodes/CN=system:node:node-1');
    await kubectl.ok('create -f -', {
      ...agent,
      input: manifest('node-1-again', second.pem, { signerName: signers.apiServerClientNodeAgent }),
    });
    expect(
      (
        await kubectl.ok(
          'get nodes -o name',
          await byCertificate('renewed', await certificateOf(kubectl, 'node-1-again'), second.keyPem),
        )
      ).trim(),
    ).toBe('node/node-1');
  });

  it('serving certificates of node agents are issued once somebody has approved them', async () => {
    const pem = newRequest(
      openssl,
      '/O=system:nodes/CN=system:node:node-1',
      '-addext',
      'subjectAltName=DNS:node-1.example.com,IP:10.0.0.7',
    ).pem;
    await kubectl.ok('apply -f -', {
      input: manifest('serving', pem, {
        signerName: signers.nodeAgentServing,
        usages: ['digital signature', 'server auth'],
      }),
    });
    expect(rowsOf(await kubectl.ok('get csr serving'))[0]?.at(-1)).toBe('Pending');
    await kubectl.ok('certificate approve serving');
    const [leaf] = parseCertificateBundle(await certificateOf(kubectl, 'serving'));
    expect(leaf?.alternativeNames).toMatchObject({
      dnsNames: ['node-1.example.com'],
      ipAddresses: [Uint8Array.of(10, 0, 0, 7)],
    });
  });
});

describe.skipIf(toolMinor === undefined)('kubectl, with an authority that was given', () => {
  it('issues chains that openssl verifies, and trusts them by --client-ca-file', { timeout: 60_000 }, async () => {
    const key = openssl.file(
      'ca.key',
      openssl.run(['genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048']),
    );
    const root = openssl.file(
      'ca.crt',
      openssl.run([
        'req',
        '-x509',
        '-key',
        key,
        '-subj',
        '/CN=given',
        '-days',
        '10',
        '-addext',
        'keyUsage=critical,keyCertSign,cRLSign',
      ]),
    );
    const server = await startServer([
      ...SERVE,
      `--cluster-signing-cert-file=${root}`,
      `--cluster-signing-key-file=${key}`,
      '--cluster-signing-duration=2h',
      `--client-ca-file=${root}`,
    ]);
    const kubectl = new Kubectl(server);
    const { pem, keyPem } = newRequest(openssl, '/O=dev/CN=alice');
    await kubectl.ok('apply -f -', { input: manifest('alice', pem, { signerName: signers.apiServerClient }) });
    await kubectl.ok('certificate approve alice');
    const cert = await certificateOf(kubectl, 'alice');
    const file = openssl.file('alice.crt', cert);
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
    const [leaf] = parseCertificateBundle(cert);
    expect((leaf?.notAfter ?? 0) - (leaf?.notBefore ?? 0)).toBe(2 * 3_600_000 + 5 * 60_000);
    const ca = await readFile(join(server.directory, '.orch', 'ca.crt'), 'utf8');
    using alice = Caller.overTls(server.urls[0] ?? '', ca, kubernetes, { cert, key: keyPem });
    expect(await alice.whoami()).toEqual(['alice', 'dev', 'system:authenticated']);
    expect(await server.stop()).toBe(0);
  });
});
