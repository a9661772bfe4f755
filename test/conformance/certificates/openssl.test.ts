/** Requests as openssl makes them, through the whole API: what is taken and what is not is production's; what is issued openssl finds good, and for the same key and names. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiServer } from '../../../src/api-server.js';
import { systemClock } from '../../../src/meta/index.js';
import { kubernetes } from '../../../src/names/index.js';
import { CertificateAuthority, type KeyKind } from '../../../src/pki/index.js';
import { opensslInDirectory } from '../../pki/support/openssl.js';
import { Caller } from './caller.js';

const HOUR_MS = 3_600_000;
const USAGES = ['digital signature', 'key encipherment', 'client auth'];
const openssl = opensslInDirectory();
const { signers } = kubernetes;

/** A server that signs by an authority of a kind. */
async function start(keyKind: KeyKind) {
  const now = systemClock.now();
  const authority = await CertificateAuthority.create({
    commonName: `signer ${keyKind}`,
    keyKind,
    notBefore: now - HOUR_MS,
    notAfter: now + 1000 * HOUR_MS,
  });
  const server = new ApiServer({
    dialect: kubernetes,
    tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }],
    certificates: { authority: { certificatePem: authority.certificatePem, keyPem: await authority.privateKeyPem() } },
  });
  const admin = Caller.of(server, 'admin');
  const approval = {
    status: { conditions: [{ type: 'Approved', status: 'True', reason: 'ByTheTest', message: 'x' }] },
  };
  return {
    server,
    admin,
    authority: openssl.file(`${keyKind}.crt`, authority.certificatePem),
    /** The certificate for a request, as a file; or why there is none. */
    async issue(name: string, pem: string): Promise<{ readonly file: string } | { readonly refusal: string }> {
      const { status, body } = await admin.ask(name, pem, { signerName: signers.apiServerClient, usages: USAGES });
      if (status !== 201) return { refusal: body.message };
      await admin.send('PATCH', admin.path(name, 'approval'), approval, 'application/merge-patch+json');
      await server.settled();
      return { file: openssl.file(`${name}.crt`, await admin.certificate(name)) };
    },
  };
}

type Signing = Awaited<ReturnType<typeof start>>;

/** Openssl takes the certificate for one of the authority, for clients, and by the letter of RFC 5280. */
function expectGood({ authority }: Signing, file: string): void {
  expect(
    openssl.run([
      'verify',
      '-x509_strict',
      '-purpose',
      'sslclient',
      '-no-CApath',
      '-no-CAstore',
      '-CAfile',
      authority,
      file,
    ]),
  ).toBe(`${file}: OK\n`);
}

let count = 0;

/** A key and a request. @param lines of the section of extensions */
function request(
  keyWords: readonly string[],
  lines: readonly string[] = [],
  words: readonly string[] = [],
  sections = '',
): { readonly key: string; readonly pem: string } {
  const name = `case-${(count += 1)}`;
  const key = openssl.file(`${name}.key`, openssl.run(['genpkey', ...keyWords]));
  const head = [
    '[req]',
    'prompt = no',
    'distinguished_name = dn',
    ...(lines.length === 0 ? [] : ['req_extensions = extensions']),
  ];
  const config = openssl.file(
    `${name}.cnf`,
    [...head, '[dn]', 'CN = alice', '[extensions]', ...lines, sections, ''].join('\n'),
  );
  return { key, pem: openssl.run(['req', '-new', '-config', config, '-key', key, ...words]) };
}

const ec = (curve: string): string[] => ['-algorithm', 'EC', '-pkeyopt', `ec_paramgen_curve:${curve}`];
const rsa = (bits: number): string[] => ['-algorithm', 'RSA', '-pkeyopt', `rsa_keygen_bits:${bits}`];
const P256 = ec('P-256');

describe('a request of openssl', () => {
  let signing: Signing;
  beforeAll(async () => {
    signing = await start('ECDSA-P256');
  });
  afterAll(() => signing.server.close());

  test.each<[string, readonly string[], readonly string[]]>([
    ['RSA of 1024 bits', rsa(1024), []],
    ['RSA of 2048 bits', rsa(2048), []],
    ['RSA of 3072 bits', rsa(3072), []],
    ['RSA of 4096 bits', rsa(4096), []],
    ['RSA with SHA-1', rsa(2048), ['-sha1']],
    ['RSA with SHA-384', rsa(2048), ['-sha384']],
    ['RSA with SHA-512', rsa(2048), ['-sha512']],
    ['RSA with PSS', rsa(2048), ['-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:digest']],
    ['P-256', P256, []],
    ['P-256 with SHA-1', P256, ['-sha1']],
    ['P-384', ec('P-384'), ['-sha384']],
    ['P-521', ec('P-521'), ['-sha512']],
    ['Ed25519', ['-algorithm', 'ED25519'], []],
  ])(
    'with a key of the kind %s gets a certificate for that key',
    { timeout: 60_000 },
    async (_case, keyWords, words) => {
      const { key, pem } = request(keyWords, [], words);
      const issued = await signing.issue(`key-${(count += 1)}`, pem);
      if ('refusal' in issued) throw new Error(issued.refusal);
      expectGood(signing, issued.file);
      expect(openssl.run(['x509', '-in', issued.file, '-noout', '-pubkey'])).toBe(
        openssl.run(['pkey', '-in', key, '-pubout']),
      );
    },
  );

  test.each<[string, readonly string[], readonly string[], string]>([
    ['a curve that production does not have', ec('secp256k1'), [], 'x509: unsupported elliptic curve'],
    ['Ed448', ['-algorithm', 'ED448'], [], 'x509: cannot verify signature: algorithm unimplemented'],
    [
      'RSA that is for PSS alone',
      ['-algorithm', 'RSA-PSS', '-pkeyopt', 'rsa_keygen_bits:2048'],
      [],
      'x509: cannot verify signature: algorithm unimplemented',
    ],
    ['MD5', rsa(2048), ['-md5'], 'x509: cannot verify signature: insecure algorithm MD5-RSA'],
    ['SHA-224', rsa(2048), ['-sha224'], 'x509: cannot verify signature: algorithm unimplemented'],
  ])('with %s is refused', async (_case, keyWords, words, message) => {
    const issued = await signing.issue(`key-${(count += 1)}`, request(keyWords, [], words).pem);
    expect(issued).toEqual({ refusal: expect.stringContaining(message) });
  });

  test.each<[string, string]>([
    ['hosts', 'DNS:a.example.com,DNS:*.example.com,DNS:localhost'],
    ['addresses', 'IP:10.0.0.1,IP:2001:db8::1'],
    ['mailboxes', 'email:a@example.com,email:"a b"@example.com'],
    ['URIs', 'URI:spiffe://example.com/ns/a,URI:urn:uuid:00000000-0000-0000-0000-000000000000'],
    ['all of them', 'DNS:a.example.com,email:a@example.com,IP:10.0.0.1,URI:https://example.com'],
  ])('for %s gets a certificate for these', async (_case, names) => {
    const { pem } = request(P256, [`subjectAltName = ${names}`]);
    const issued = await signing.issue(`names-${(count += 1)}`, pem);
    if ('refusal' in issued) throw new Error(issued.refusal);
    expectGood(signing, issued.file);
    const asked = /Subject Alternative Name: \n *(.*)\n/.exec(openssl.run(['req', '-noout', '-text'], pem))?.[1];
    expect(openssl.run(['x509', '-in', issued.file, '-noout', '-ext', 'subjectAltName'])).toBe(
      `X509v3 Subject Alternative Name: \n    ${asked}\n`,
    );
  });

  test('for an address of version 4 in the form of version 6 gets a certificate for that of version 4, as production writes it', async () => {
    const issued = await signing.issue('mapped', request(P256, ['subjectAltName = IP:::ffff:10.0.0.1']).pem);
    if ('refusal' in issued) throw new Error(issued.refusal);
    expect(openssl.run(['x509', '-in', issued.file, '-noout', '-ext', 'subjectAltName'])).toBe(
      'X509v3 Subject Alternative Name: \n    IP Address:10.0.0.1\n',
    );
  });

  test.each<[string, readonly string[], string]>([
    [
      'names of kinds that production does not read',
      ['subjectAltName = otherName:1.2.3.4;UTF8:alice,RID:1.2.3.4,dirName:dir'],
      '[dir]\nCN = bob',
    ],
    ['an extension that nobody knows, marked critical', ['1.2.3.4 = critical,ASN1:UTF8String:x'], ''],
    [
      'constraints of an authority',
      [
        'basicConstraints = critical,CA:TRUE,pathlen:3',
        'keyUsage = critical,keyCertSign,cRLSign',
        'nameConstraints = permitted;DNS:example.com',
      ],
      '',
    ],
    ['purposes of its own', ['extendedKeyUsage = serverAuth,codeSigning,1.2.3.4'], ''],
    [
      'identifiers, policies, revocation and TLS features',
      [
        'subjectKeyIdentifier = hash',
        'certificatePolicies = 1.2.3.4',
        'crlDistributionPoints = URI:http://example.com/crl',
        'tlsfeature = status_request',
      ],
      '',
    ],
  ])('for %s gets a certificate without them', async (_case, lines, sections) => {
    const issued = await signing.issue(`odd-${(count += 1)}`, request(P256, lines, [], sections).pem);
    if ('refusal' in issued) throw new Error(issued.refusal);
    expectGood(signing, issued.file);
    const text = openssl.run([
      'x509',
      '-in',
      issued.file,
      '-noout',
      '-text',
      '-certopt',
      'no_header,no_version,no_serial,no_signame,no_validity,no_subject,no_issuer,no_pubkey,no_sigdump',
    ]);
    expect(
      text
        .split('\n')
        .filter((line) => /^ {12}\S/.test(line))
        .map((line) => line.trim().replace(/: ?(critical)?$/, '')),
    ).toEqual([
      'X509v3 Key Usage',
      'X509v3 Extended Key Usage',
      'X509v3 Basic Constraints',
      'X509v3 Subject Key Identifier',
      'X509v3 Authority Key Identifier',
    ]);
    expect(text).toContain('Digital Signature, Key Encipherment');
    expect(text).toContain('TLS Web Client Authentication\n');
  });

  test.each<[string, readonly string[], string]>([
    [
      'an address of five octets',
      ['subjectAltName = DER:30:07:87:05:01:02:03:04:05'],
      'x509: cannot parse IP address of length 5',
    ],
    ['a host that is not ASCII', ['subjectAltName = DER:30:04:82:02:c3:bc'], 'x509: SAN dNSName is malformed'],
    ['names that are no list', ['subjectAltName = DER:04:00'], 'x509: invalid subject alternative names'],
  ])('for %s is refused', async (_case, lines, message) => {
    expect(await signing.issue(`bad-${(count += 1)}`, request(P256, lines).pem)).toEqual({
      refusal: expect.stringContaining(message),
    });
  });

  test('with subject of every kind of attribute gets the names that production knows', async () => {
    const subject =
      '/C=DE/ST=Berlin/L=Mitte/O=dev/OU=north/serialNumber=7/street=Hof 1/postalCode=10115/CN=alice/emailAddress=a@example.com/DC=com/UID=a';
    const issued = await signing.issue(`subject-${(count += 1)}`, request(P256, [], ['-subj', subject]).pem);
    if ('refusal' in issued) throw new Error(issued.refusal);
    expectGood(signing, issued.file);
    expect(openssl.run(['x509', '-in', issued.file, '-noout', '-subject'])).toBe(
      'subject=C = DE, O = dev, OU = north, L = Mitte, ST = Berlin, street = Hof 1, postalCode = 10115, CN = alice, serialNumber = 7\n',
    );
  });
});

describe.each<KeyKind>(['RSA-2048', 'ECDSA-P384', 'ECDSA-P521', 'Ed25519'])(
  'an authority with a key of the kind %s',
  (keyKind) => {
    test('signs what openssl finds good', { timeout: 60_000 }, async () => {
      const signing = await start(keyKind);
      try {
        const issued = await signing.issue('a', request(P256).pem);
        if ('refusal' in issued) throw new Error(issued.refusal);
        expectGood(signing, issued.file);
      } finally {
        await signing.server.close();
      }
    });
  },
);
