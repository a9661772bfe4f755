/** The same certificates checked by this library and by openssl. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CertificatePool,
  ExtendedKeyUsage,
  parseCertificate,
  parseCertificateBundle,
  verifyCertificate,
} from '../../../src/security/pki/index.js';
import {
  alternativeNames,
  authority,
  basicConstraints,
  client,
  clientAuth,
  dnsName,
  extendedKeyUsage,
  extension,
  intermediate,
  ipName,
  issue,
  keyUsage,
  nameConstraints,
  newKey,
  NOW,
  serverAuth,
  signings,
  type Identity,
} from './support/issue.js';
import { nothing } from './support/der-writer.js';

const run = promisify(execFile);
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pki-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

interface Case {
  readonly leaf: Identity;
  readonly between?: readonly Identity[];
  readonly roots: readonly Identity[];
}

async function byOpenssl({ leaf, between = [], roots }: Case): Promise<boolean> {
  const file = async (name: string, identities: readonly Identity[]): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, identities.map(({ pem }) => pem).join(''));
    return path;
  };
  const paths = await Promise.all([file('roots.pem', roots), file('between.pem', between), file('leaf.pem', [leaf])]);
  const [trusted, untrusted, last] = paths as [string, string, string];
  const options = [
    '-purpose',
    'sslclient',
    '-attime',
    String(NOW / 1000),
    '-partial_chain',
    '-no-CApath',
    '-no-CAstore',
    '-CAfile',
    trusted,
  ];
  try {
    await run('openssl', ['verify', ...options, ...(between.length === 0 ? [] : ['-untrusted', untrusted]), last]);
    return true;
  } catch {
    return false;
  }
}

async function byUs({ leaf, between = [], roots }: Case): Promise<boolean> {
  const parse = ({ der }: Identity): ReturnType<typeof parseCertificate> => parseCertificate(der);
  const result = await verifyCertificate(parse(leaf), {
    authorities: new CertificatePool(roots.map(parse)),
    intermediates: between.map(parse),
    now: NOW,
  });
  return result.error === undefined;
}

const root = authority('root');
const middle = intermediate('middle', root);
const frontProxy = authority('front proxy');
const narrow = authority('narrow', { extensions: [basicConstraints(true, 0), keyUsage(0x06)] });
const below = intermediate('below', narrow);
const plain = client('plain', root);
const bound = intermediate('bound', root, {
  extensions: [
    basicConstraints(true),
    keyUsage(0x06),
    nameConstraints([dnsName('example.com'), ipName(10, 0, 0, 0, 255, 0, 0, 0)], [dnsName('bad.example.com')]),
  ],
});
const forServers = intermediate('servers', root, { extensions: [basicConstraints(true), keyUsage(0x06), serverAuth] });
const noSigner = authority('no signer', { extensions: [basicConstraints(true), keyUsage(0x80)] });
const old = issue({ subject: 'old', version: undefined });
const oldBetween = issue({ subject: 'old between', by: root, version: undefined });
const odd = extension('1.2.3.4', nothing(), true);
const named = (...names: readonly Uint8Array[]): Identity =>
  client('a', bound, { extensions: [clientAuth, alternativeNames(...names)] });

describe('openssl agrees', () => {
  test.each<[string, boolean, Case]>([
    ['a client certificate', true, { leaf: client('a', root), roots: [root] }],
    ['one through an intermediate', true, { leaf: client('a', middle), between: [middle], roots: [root] }],
    ['one of several authorities', true, { leaf: client('a', root), roots: [frontProxy, root] }],
    ['one without purposes', true, { leaf: client('a', root, { extensions: [] }), roots: [root] }],
    ['one from an authority with version 1', true, { leaf: client('a', old), roots: [old] }],
    ['one whose intermediate is trusted', true, { leaf: client('a', middle), roots: [middle] }],
    ['one for servers only', false, { leaf: client('a', root, { extensions: [serverAuth] }), roots: [root] }],
    ['an expired one', false, { leaf: client('a', root, { notAfter: NOW - 1000 }), roots: [root] }],
    ['one not yet valid', false, { leaf: client('a', root, { notBefore: NOW + 1000 }), roots: [root] }],
    ['one from another authority', false, { leaf: client('a', frontProxy), roots: [root] }],
    ['a self-signed one with the fields of the authority', false, { leaf: authority('root'), roots: [root] }],
    ['one whose intermediate is missing', false, { leaf: client('a', middle), roots: [root] }],
    ['one whose intermediate is no CA', false, { leaf: client('a', plain), between: [plain], roots: [root] }],
    [
      'one whose intermediate has version 1',
      false,
      { leaf: client('a', oldBetween), between: [oldBetween], roots: [root] },
    ],
    ['one beyond the path length', false, { leaf: client('a', below), between: [below], roots: [narrow] }],
    ['one from a key without signing rights', false, { leaf: client('a', noSigner), roots: [noSigner] }],
    [
      'one below an authority for servers',
      false,
      { leaf: client('a', forServers), between: [forServers], roots: [root] },
    ],
    [
      'one with an unknown critical extension',
      false,
      { leaf: client('a', root, { extensions: [clientAuth, odd] }), roots: [root] },
    ],
    [
      'a permitted name',
      true,
      { leaf: named(dnsName('a.example.com'), ipName(10, 1, 2, 3)), between: [bound], roots: [root] },
    ],
    ['a name that is not permitted', false, { leaf: named(dnsName('example.org')), between: [bound], roots: [root] }],
    ['an excluded name', false, { leaf: named(dnsName('x.bad.example.com')), between: [bound], roots: [root] }],
    ['an address that is not permitted', false, { leaf: named(ipName(11, 1, 2, 3)), between: [bound], roots: [root] }],
    ['RSA', true, rsa(signings.rsaSha256)],
    ['RSA-PSS', true, rsa(signings.rsaPssSha256)],
    ['Ed25519', true, of(newKey('Ed25519'), signings.ed25519)],
    ['P-384', true, of(newKey('P-384'), signings.ecdsaSha384)],
    ['P-521', true, of(newKey('P-521'), signings.ecdsaSha512)],
  ])('%s: %s', async (_name, expected, example) => {
    expect({ ours: await byUs(example), openssl: await byOpenssl(example) }).toEqual({
      ours: expected,
      openssl: expected,
    });
  });
});

function of(key: ReturnType<typeof newKey>, signing: (typeof signings)[keyof typeof signings]): Case {
  const signer = authority('signer', { key, signing });
  return { leaf: client('a', signer, { signing }), roots: [signer] };
}

function rsa(signing: (typeof signings)[keyof typeof signings]): Case {
  return of(newKey('RSA'), signing);
}

describe('where openssl and Kubernetes differ, the result is that of Kubernetes', () => {
  test.each<[string, Case]>([
    [
      'any purpose includes client authentication',
      { leaf: client('a', root, { extensions: [extendedKeyUsage(ExtendedKeyUsage.any)] }), roots: [root] },
    ],
    [
      'key usages of the leaf are ignored',
      { leaf: client('a', root, { extensions: [clientAuth, keyUsage(0x06)] }), roots: [root] },
    ],
  ])('%s', async (_name, example) => {
    expect({ ours: await byUs(example), openssl: await byOpenssl(example) }).toEqual({ ours: true, openssl: false });
  });

  test('MD5 and SHA-1 are rejected, whatever the settings of openssl', async () => {
    expect([
      await byUs(rsa(signings.rsaMd5)),
      await byUs(rsa(signings.rsaSha1)),
      await byUs(of(newKey(), signings.ecdsaSha1)),
    ]).toEqual([false, false, false]);
  });
});

describe('the output of openssl is parsed', () => {
  test.each([
    ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
    ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
    ['-newkey', 'rsa:2048'],
    ['-newkey', 'ed25519'],
  ])('%s %s %s %s', async (...key) => {
    const path = join(directory, 'made.pem');
    const extensions = [
      'basicConstraints=critical,CA:TRUE,pathlen:2',
      'keyUsage=critical,keyCertSign,digitalSignature',
      'extendedKeyUsage=clientAuth,serverAuth',
      'subjectAltName=DNS:a.example,IP:::1,email:a@b.c,URI:https://x/',
      'crlDistributionPoints=URI:http://x/',
      'certificatePolicies=1.2.3',
      'authorityInfoAccess=OCSP;URI:http://x/',
    ];
    const options = [
      ...key.filter((word) => word !== undefined),
      '-nodes',
      '-keyout',
      '/dev/null',
      '-out',
      path,
      '-days',
      '3650',
      '-subj',
      '/O=one/O=two/CN=jürgen',
      '-utf8',
    ];
    await run('openssl', ['req', '-x509', ...options, ...extensions.flatMap((line) => ['-addext', line])]);
    const [certificate] = parseCertificateBundle(await readFile(path, 'utf8'));
    if (certificate === undefined) throw new Error('nothing was made');
    expect(certificate).toMatchObject({
      version: 3,
      subject: { commonName: 'jürgen', organizations: ['one', 'two'] },
      basicConstraints: { isAuthority: true, pathLength: 2 },
      keyUsages: new Set(['digitalSignature', 'keyCertSign']),
      extendedKeyUsages: [ExtendedKeyUsage.clientAuth, ExtendedKeyUsage.serverAuth],
      alternativeNames: { dnsNames: ['a.example'], emailAddresses: ['a@b.c'], uris: ['https://x/'] },
      unhandledCritical: [],
    });
    const { stdout } = await run('openssl', [
      'x509',
      '-in',
      path,
      '-noout',
      '-serial',
      '-startdate',
      '-enddate',
      '-dateopt',
      'iso_8601',
    ]);
    const facts = Object.fromEntries(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/).slice(0, 2)),
    );
    expect([facts['serial'], facts['notBefore'], facts['notAfter']]).toEqual([
      certificate.serialNumber
        .toString(16)
        .toUpperCase()
        .padStart(facts['serial']?.length ?? 0, '0'),
      ...[certificate.notBefore, certificate.notAfter].map((ms) =>
        new Date(ms).toISOString().replace('T', ' ').replace('.000', ''),
      ),
    ]);
    expect(
      await verifyCertificate(certificate, {
        authorities: new CertificatePool([certificate]),
        now: certificate.notBefore,
      }),
    ).toMatchObject({ chains: [[certificate]] });
  });
});
