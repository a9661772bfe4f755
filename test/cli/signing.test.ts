/** The `--cluster-signing-*` flags, and the certificates that a server without them issues itself. */
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { systemClock } from '../../src/foundation/index.js';
import {
  createCertificateRequest,
  encodePem,
  encodePrivateKey,
  generateKeyPair,
  parseCertificateBundle,
  type Certificate,
} from '../../src/security/pki/index.js';
import { authority, client, CN, DAY, O } from '../security/pki/support/issue.js';
import { createFakeHost } from './fake-host.js';
import { asOwner, authorityOf, plain, ServingTests, today, whoami, type Serving } from './serving.js';

const now = systemClock.now();
const valid = { notBefore: now - DAY, notAfter: now + 1000 * DAY };
const cluster = authority('cluster', valid);
const other = authority('other', valid);

const tests = new ServingTests();
const REQUESTS = '/apis/certificates.orch.io/v1/certificatesigningrequests';
const CLIENT = { signerName: 'orch.io/orch-apiserver-client', usages: ['digital signature', 'client auth'] };
const NODE = { signerName: 'orch.io/orch-apiserver-client-orchlet', usages: ['digital signature', 'client auth'] };

interface Request {
  readonly spec: object;
  readonly status: { readonly conditions?: object[]; readonly certificate?: string };
}

/** Posts a request as the administrator, and approves it. */
async function askApproved(
  server: Serving,
  { keyPair, subject = { commonName: 'alice', organizations: ['dev'] }, ...spec }: RequestFields,
): Promise<string> {
  const request = Buffer.from(
    encodePem(
      'CERTIFICATE REQUEST',
      await createCertificateRequest({ subject, keyPair: keyPair ?? (await generateKeyPair()) }),
    ),
  ).toString('base64');
  const name = `r-${(asked += 1)}`;
  const made = await asOwner<Request>(server, 'POST', REQUESTS, {
    metadata: { name },
    spec: { request, ...CLIENT, ...spec },
  });
  await asOwner(server, 'PUT', `${REQUESTS}/${name}/approval`, {
    ...made,
    status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }] },
  });
  return name;
}

interface RequestFields {
  readonly keyPair?: CryptoKeyPair;
  readonly subject?: { readonly commonName: string; readonly organizations: readonly string[] };
  readonly signerName?: string;
  readonly usages?: readonly string[];
}

let asked = 0;

/** The certificate of a request; empty if there is none yet. */
const pemOf = async (server: Serving, name: string): Promise<string> =>
  Buffer.from(
    (await asOwner<Request>(server, 'GET', `${REQUESTS}/${name}`)).status.certificate ?? '',
    'base64',
  ).toString();

/** Requests and obtains a certificate. */
async function issued(
  server: Serving,
  fields: RequestFields = {},
): Promise<{ pem: string; key: string; certificate: Certificate | undefined }> {
  const keyPair = await generateKeyPair();
  const name = await askApproved(server, { keyPair, ...fields });
  await expect.poll(() => pemOf(server, name)).not.toBe('');
  const pem = await pemOf(server, name);
  return { pem, key: await encodePrivateKey(keyPair.privateKey), certificate: parseCertificateBundle(pem)[0] };
}

const pair = async (
  name: string,
  { pem, keyPem }: { pem: string; keyPem: string },
  flag = 'cluster-signing',
): Promise<string[]> => [
  `--${flag}-cert-file=${await tests.file(`${name}.crt`, pem)}`,
  `--${flag}-key-file=${await tests.file(`${name}.key`, keyPem)}`,
];

/** The user that the secure port derives from a certificate. */
async function userOfCertificate(server: Serving, cert?: { pem: string; key: string }): Promise<unknown> {
  const user = await whoami(
    server.https,
    {},
    { ca: authorityOf(server), ...(cert === undefined ? {} : { cert: cert.pem, key: cert.key }) },
  );
  return typeof user === 'number' ? user : user.username;
}

describe('without an authority', () => {
  it('the server generates one, and trusts its certificates on the secure port', async () => {
    const server = await tests.start(['--secure-port=auto'], today());
    const alice = await issued(server);
    expect(alice.certificate?.issuer.commonName).toMatch(/^orch-csr-signer@\d+$/);
    expect(await userOfCertificate(server, alice)).toBe('alice');
    const stranger = client([O('system:masters'), CN('mallory')], cluster, valid);
    expect(await userOfCertificate(server, { pem: stranger.pem, key: stranger.keyPem })).toBe(401);
  });

  it('requests of node agents are approved and signed automatically', async () => {
    const server = await tests.start(plain, today());
    const der = await createCertificateRequest({
      subject: { commonName: 'system:node:n1', organizations: ['system:nodes'] },
      keyPair: await generateKeyPair(),
    });
    await asOwner(server, 'POST', REQUESTS, {
      metadata: { name: 'n1' },
      spec: { request: Buffer.from(encodePem('CERTIFICATE REQUEST', der)).toString('base64'), ...NODE },
    });
    await expect.poll(() => pemOf(server, 'n1')).not.toBe('');
  });
});

describe('--cluster-signing-cert-file and --cluster-signing-key-file', () => {
  it('set the signing authority and the duration; --client-ca-file sets the trusted ones', async () => {
    const files = await pair('cluster', cluster);
    const server = await tests.start(['--secure-port=auto', ...files, '--cluster-signing-duration=240h'], today());
    const alice = await issued(server);
    expect(alice.certificate?.issuer.commonName).toBe('cluster');
    const { notBefore = 0, notAfter = 0 } = alice.certificate ?? {};
    expect(notAfter - notBefore).toBe(10 * DAY);
    expect(await userOfCertificate(server, alice)).toBe(403);
    const trusting = await tests.start(
      ['--secure-port=auto', ...files, `--client-ca-file=${await tests.file('ca.crt', cluster.pem)}`],
      today(),
    );
    expect(await userOfCertificate(trusting, alice)).toBe('alice');
  });

  it('are reloaded when both have been replaced', async () => {
    const files = await pair('cluster', cluster);
    const [certFile = '', keyFile = ''] = files.map((flag) => flag.slice(flag.indexOf('=') + 1));
    const server = await tests.start([...plain, ...files], today());
    const name = `signing authority csr-controller::${certFile}::${keyFile}`;
    expect((await issued(server)).certificate?.issuer.commonName).toBe('cluster');
    await tests.replace(certFile, other.pem);
    const failed = await server.host.logged(`failed to load ${name}`);
    expect(failed['error']).toBe("the private key does not match the authority's certificate");
    expect((await issued(server)).certificate?.issuer.commonName).toBe('cluster');
    await writeFile(keyFile, other.keyPem);
    await server.host.logged(`reloaded ${name}`);
    expect((await issued(server)).certificate?.issuer.commonName).toBe('other');
    expect(server.host.err()).not.toContain('PRIVATE KEY');
  });

  it('may be set for single signers; the others do not sign then', async () => {
    const server = await tests.start(
      [
        ...plain,
        '--controllers=*,-csrapproving',
        ...(await pair('client', cluster, 'cluster-signing-api-server-client')),
        ...(await pair('node', other, 'cluster-signing-node-agent-client')),
      ],
      today(),
    );
    const subject = { commonName: 'system:node:n1', organizations: ['system:nodes'] };
    const unsigned = await askApproved(server, {
      subject,
      signerName: 'orch.io/orchlet-serving',
      usages: ['digital signature', 'server auth'],
    });
    expect((await issued(server)).certificate?.issuer.commonName).toBe('cluster');
    expect((await issued(server, { subject, ...NODE })).certificate?.issuer.commonName).toBe('other');
    expect(await asOwner(server, 'GET', `${REQUESTS}/${unsigned}`)).toMatchObject({
      status: { conditions: [{ type: 'Approved' }] },
    });
    expect(await pemOf(server, unsigned)).toBe('');
  });

  it.each<readonly [string, (files: readonly string[]) => Promise<readonly string[]> | readonly string[], RegExp]>([
    [
      'a certificate without a key',
      ([cert = '']) => [cert],
      /^orch-apiserver: "cluster-signing": cannot specify cert without key\n/,
    ],
    [
      'a key without a certificate',
      ([, key = '']) => [key],
      /^orch-apiserver: "cluster-signing": cannot specify key without cert\n/,
    ],
    [
      'half of the pair of one signer',
      () => ['--cluster-signing-legacy-unknown-cert-file=x'],
      /^orch-apiserver: "cluster-signing-legacy-unknown": cannot specify cert without key\n/,
    ],
    [
      'a common pair and one for a single signer',
      (files) => [
        ...files,
        '--cluster-signing-node-agent-serving-cert-file=x',
        '--cluster-signing-node-agent-serving-key-file=y',
      ],
      /^orch-apiserver: cannot specify --cluster-signing-\{cert,key\}-file and other --cluster-signing-\*-file flags at the same time\n/,
    ],
    [
      'no duration',
      () => ['--cluster-signing-duration=0'],
      /^orch-apiserver: cluster-signing-duration must be greater than zero\n/,
    ],
    [
      'a missing file',
      ([, key = '']) => ['--cluster-signing-cert-file=/nowhere/ca.crt', key],
      /^orch-apiserver: --cluster-signing-cert-file: .*no such file or directory/,
    ],
    [
      'the key of another certificate',
      async ([cert = '']) => [cert, `--cluster-signing-key-file=${await tests.file('other.key', other.keyPem)}`],
      /^orch-apiserver: --cluster-signing-cert-file, --cluster-signing-key-file: the private key does not match the authority's certificate\n/,
    ],
    [
      'two certificates',
      async ([, key = '']) => [
        `--cluster-signing-cert-file=${await tests.file('two.crt', cluster.pem + other.pem)}`,
        key,
      ],
      /^orch-apiserver: --cluster-signing-cert-file, --cluster-signing-key-file: expected 1 certificate, found 2\n/,
    ],
    [
      'a certificate without CA rights',
      async () => pair('leaf', client('leaf', cluster, valid)),
      /^orch-apiserver: --cluster-signing-cert-file, --cluster-signing-key-file: the certificate is not a CA certificate\n/,
    ],
    [
      'an invalid key',
      async ([cert = '']) => [
        cert,
        `--cluster-signing-key-file=${await tests.file('none.key', 'none of your business')}`,
      ],
      /^orch-apiserver: --cluster-signing-cert-file, --cluster-signing-key-file: (?!.*business)/,
    ],
  ])('are rejected: %s', async (_case, flags, message) => {
    const host = createFakeHost();
    expect(
      await run(
        [
          'serve',
          ...plain,
          `--cert-dir=${tests.directory}`,
          '--kubeconfig-out=',
          ...(await flags(await pair('cluster', cluster))),
        ],
        host,
      ),
    ).toBe(2);
    expect(host.err()).toMatch(message);
  });
});
