import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CertificateAuthority,
  CertificatePool,
  createCertificateRequest,
  checkRequestSignature,
  encodePem,
  encodePrivateKey,
  encodePublicKey,
  ExtendedKeyUsage,
  ExtensionType,
  generateKeyPair,
  parseCertificate,
  parseCertificateRequest,
  verifyCertificate,
  X509Error,
  type CertificateTemplate,
  type KeyKind,
  type SubjectNames,
} from '../../../src/security/pki/index.js';
import {
  bits,
  boolean,
  der,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octets,
  sequence,
  set,
  time,
  utf8,
} from './support/der-writer.js';
import { authority as foreignAuthority, DAY, extension, issue as foreignCertificate, NOW } from './support/issue.js';
import { opensslInDirectory } from './support/openssl.js';

const openssl = opensslInDirectory();
const entropy = { uuid: () => '', bytes: (length: number) => new Uint8Array(length).fill(0xab) };
const kinds: readonly KeyKind[] = ['ECDSA-P256', 'ECDSA-P384', 'ECDSA-P521', 'RSA-2048', 'RSA-3072', 'Ed25519'];
const validity = { notBefore: NOW - DAY, notAfter: NOW + DAY };
const create = (commonName = 'root', keyKind: KeyKind = 'ECDSA-P256') =>
  CertificateAuthority.create({ commonName, keyKind, notBefore: NOW - 2 * DAY, notAfter: NOW + 2 * DAY });

const root = await create();
const pair = await generateKeyPair();
const publicKey = await encodePublicKey(pair.publicKey);
const issue = async (template: Partial<CertificateTemplate> = {}, by = root): Promise<Uint8Array> =>
  by.issue({ subject: { commonName: 'alice' }, publicKey, ...validity, ...template });
const refusal = async (template: Partial<CertificateTemplate>): Promise<string> =>
  issue(template).then(
    () => 'issued',
    (error: unknown) => (error instanceof X509Error ? error.message : String(error)),
  );

describe('certificate requests', () => {
  test.each(kinds)('verify with openssl for a key of %s', async (kind) => {
    const keyPair = await generateKeyPair(kind);
    const request = await createCertificateRequest({
      subject: { commonName: 'system:node:a', organizations: ['system:nodes'] },
      alternativeNames: {
        dnsNames: ['a.example'],
        ipAddresses: ['10.0.0.1', 'fd00::1'],
        emailAddresses: ['a@b.c'],
        uris: ['spiffe://x'],
      },
      keyPair,
    });
    const text = openssl.run([
      'req',
      '-in',
      openssl.file('request.pem', encodePem('CERTIFICATE REQUEST', request)),
      '-verify',
      '-noout',
      '-text',
      '-subject',
    ]);
    expect(text).toContain('subject=O = system:nodes, CN = system:node:a');
    expect(text).toContain(
      'DNS:a.example, email:a@b.c, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1, URI:spiffe://x',
    );
    expect(await checkRequestSignature(parseCertificateRequest(request))).toBeUndefined();
    const changed = Uint8Array.from(request);
    changed[40] = (changed[40] ?? 0) ^ 1;
    expect(() =>
      openssl.run([
        'req',
        '-in',
        openssl.file('changed.pem', encodePem('CERTIFICATE REQUEST', changed)),
        '-verify',
        '-noout',
      ]),
    ).toThrow();
  });

  test('have the bytes that Kubernetes writes', async () => {
    const extensions = [{ type: '1.2.3', critical: true, value: Uint8Array.of(5, 0) }];
    const read = parseCertificateRequest(
      await createCertificateRequest({
        subject: { commonName: 'a@b', organizations: ['bb', 'a'] },
        alternativeNames: { dnsNames: ['a'] },
        extensions,
        keyPair: pair,
      }),
    );
    const part = (type: string, value: Uint8Array): Uint8Array => sequence(objectIdentifier(type), value);
    const printable = (text: string): Uint8Array => der(0x13, Buffer.from(text));
    const name = sequence(
      set(part('2.5.4.10', printable('a')), part('2.5.4.10', printable('bb'))),
      set(part('2.5.4.3', utf8('a@b'))),
    );
    const list = sequence(
      extension('2.5.29.17', sequence(implicit(2, Buffer.from('a')))),
      extension('1.2.3', Uint8Array.of(5, 0), true),
    );
    expect(read.signed).toEqual(
      sequence(
        integer(0),
        name,
        publicKey,
        explicit(0, sequence(objectIdentifier('1.2.840.113549.1.9.14'), set(list))),
      ),
    );
  });

  test('without extensions have no attributes', async () => {
    const read = parseCertificateRequest(await createCertificateRequest({ subject: {}, keyPair: pair }));
    expect(read.signed).toEqual(sequence(integer(0), sequence(), publicKey, explicit(0)));
  });

  test('use names given as an extension in place of others', async () => {
    const extensions = [
      { type: ExtensionType.subjectAlternativeName, critical: true, value: sequence(implicit(2, Buffer.from('b'))) },
    ];
    expect(
      parseCertificateRequest(
        await createCertificateRequest({
          subject: {},
          alternativeNames: { dnsNames: ['a'] },
          extensions,
          keyPair: pair,
        }),
      ),
    ).toMatchObject({ dnsNames: ['b'], extensions });
  });

  test('reject keys for other purposes', async () => {
    const keyPair = await crypto.subtle.generateKey(
      { name: 'RSA-PSS', modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1), hash: 'SHA-256' },
      true,
      ['sign', 'verify'],
    );
    await expect(createCertificateRequest({ subject: {}, keyPair })).rejects.toThrow(
      new TypeError('a key for RSA-PSS with SHA-256 cannot sign certificates'),
    );
    const weak = await crypto.subtle.generateKey(
      { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1), hash: 'SHA-1' },
      true,
      ['sign', 'verify'],
    );
    await expect(createCertificateRequest({ subject: {}, keyPair: weak })).rejects.toThrow(
      new TypeError('a key for RSASSA-PKCS1-v1_5 with SHA-1 cannot sign certificates'),
    );
  });
});

describe('certificates', () => {
  test.each(kinds)('verify with openssl under an authority with a key of %s, strictly', async (kind) => {
    const by = await create('signer', kind);
    const keyPair = await generateKeyPair(kind);
    const certificate = await issue(
      {
        publicKey: await encodePublicKey(keyPair.publicKey),
        keyUsages: ['digitalSignature'],
        extendedKeyUsages: [ExtendedKeyUsage.clientAuth],
      },
      by,
    );
    const files = [
      openssl.file('root.pem', by.certificatePem),
      openssl.file('leaf.pem', encodePem('CERTIFICATE', certificate)),
    ] as const;
    const options = ['-x509_strict', '-check_ss_sig', '-purpose', 'sslclient', '-attime', String(NOW / 1000)];
    expect(openssl.run(['verify', ...options, '-CAfile', ...files])).toBe(`${files[1]}: OK\n`);
    const result = await verifyCertificate(parseCertificate(certificate), {
      authorities: new CertificatePool([by.certificate]),
      now: NOW,
    });
    expect(result.error).toBeUndefined();
    expect(openssl.run(['pkey', '-pubout'], await by.privateKeyPem())).toBe(
      openssl.run(['x509', '-noout', '-pubkey'], by.certificatePem),
    );
  });

  test('are printed by openssl as expected, in the order of Kubernetes', async () => {
    const certificate = await issue({
      subject: { commonName: 'jürgen', organizations: ['dev', 'ops'], countries: ['DE'], serialNumber: '7' },
      serialNumber: Uint8Array.of(0, 0xff, 1),
      keyUsages: ['keyEncipherment', 'digitalSignature'],
      extendedKeyUsages: ['serverAuth', '1.2.3.4', ExtendedKeyUsage.clientAuth],
      alternativeNames: {
        uris: ['x://y'],
        ipAddresses: ['::ffff:10.0.0.1', Uint8Array.of(1, 2, 3, 4), '::1'],
        dnsNames: ['a', '*.b'],
        emailAddresses: ['a@b'],
      },
    });
    const text = openssl.run(
      [
        'x509',
        '-inform',
        'der',
        '-noout',
        '-text',
        '-nameopt',
        'utf8,sep_comma_plus',
        '-certopt',
        'no_pubkey,no_sigdump',
      ],
      certificate,
    );
    const hex = (bytes: Uint8Array | undefined): string =>
      Buffer.from(bytes ?? [])
        .toString('hex')
        .toUpperCase()
        .match(/../g)
        ?.join(':') ?? '';
    expect(
      text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    ).toEqual([
      'Certificate:',
      'Data:',
      'Version: 3 (0x2)',
      'Serial Number: 65281 (0xff01)',
      'Signature Algorithm: ecdsa-with-SHA256',
      'Issuer: CN=root',
      'Validity',
      'Not Before: Dec 31 00:00:00 2029 GMT',
      'Not After : Jan  2 00:00:00 2030 GMT',
      'Subject: C=DE,O=dev+O=ops,CN=jürgen,serialNumber=7',
      'X509v3 extensions:',
      'X509v3 Key Usage: critical',
      'Digital Signature, Key Encipherment',
      'X509v3 Extended Key Usage:',
      'TLS Web Server Authentication, 1.2.3.4, TLS Web Client Authentication',
      'X509v3 Basic Constraints: critical',
      'CA:FALSE',
      'X509v3 Subject Key Identifier:',
      hex(createHash('sha1').update(publicKey.subarray(-65)).digest()),
      'X509v3 Authority Key Identifier:',
      hex(root.certificate.subjectKeyIdentifier),
      'X509v3 Subject Alternative Name:',
      'DNS:a, DNS:*.b, email:a@b, IP Address:10.0.0.1, IP Address:1.2.3.4, IP Address:0:0:0:0:0:0:0:1, URI:x://y',
    ]);
  });

  test('have the bytes that Kubernetes writes', async () => {
    const late = Date.UTC(2050, 0, 1) + 999;
    const read = parseCertificate(
      await issue({
        subject: {},
        notBefore: Date.UTC(2049, 11, 31, 23, 59, 59),
        notAfter: late,
        alternativeNames: { dnsNames: ['a'] },
        keyUsages: ['decipherOnly', 'digitalSignature'],
      }),
    );
    const identifier = (bytes: Uint8Array | undefined): Uint8Array => bytes ?? new Uint8Array(0);
    const extensions = [
      extension('2.5.29.15', bits(Uint8Array.of(0x80, 0x80), 7), true),
      extension('2.5.29.19', sequence(), true),
      extension('2.5.29.14', octets(identifier(read.subjectKeyIdentifier))),
      extension('2.5.29.35', sequence(implicit(0, identifier(root.certificate.subjectKeyIdentifier)))),
      // Nothing else identifies its holder.
      extension('2.5.29.17', sequence(implicit(2, Buffer.from('a'))), true),
    ];
    const times = sequence(time(Date.UTC(2049, 11, 31, 23, 59, 59)), der(0x18, Buffer.from('20500101000000Z')));
    const algorithm = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
    expect(read.signed).toEqual(
      sequence(
        explicit(0, integer(2)),
        integer(read.serialNumber),
        algorithm,
        root.certificate.subject.raw,
        times,
        sequence(),
        publicKey,
        explicit(3, sequence(...extensions)),
      ),
    );
  });

  test.each<[string, number]>([
    ['0001-01-01T00:00:00Z', 0x18],
    ['1949-12-31T23:59:59Z', 0x18],
    ['1950-01-01T00:00:00Z', 0x17],
    ['2049-12-31T23:59:59Z', 0x17],
    ['2050-01-01T00:00:00Z', 0x18],
    ['9999-12-31T23:59:59Z', 0x18],
  ])('have the time %s in the form of RFC 5280', async (text, tag) => {
    const ms = Date.parse(text);
    const { signed, notAfter } = parseCertificate(await issue({ notBefore: ms, notAfter: ms + 999 }));
    expect(notAfter).toBe(ms);
    const digits = text.replace(/[-:T]/g, '').slice(tag === 0x17 ? 2 : 0);
    expect(Buffer.from(signed).includes(Buffer.from(der(tag, Buffer.from(digits))))).toBe(true);
  });

  test.each<[string, number]>([
    ["system:node:a (b) '+,-./=?", 0x13],
    ['#61', 0x0c],
    ['"a"', 0x0c],
    ['a\\0a', 0x0c],
    ['a@b', 0x0c],
    ['*', 0x0c],
    ['a&b', 0x0c],
    ['a_b', 0x0c],
    ['jürgen', 0x0c],
    ['\u{1f600}', 0x0c],
    ['\n', 0x0c],
  ])('have the string %j with the type that Kubernetes gives it, and as it is', async (commonName, tag) => {
    const { subject } = parseCertificate(await issue({ subject: { commonName } }));
    expect(subject.raw).toEqual(
      sequence(set(sequence(objectIdentifier('2.5.4.3'), der(tag, Buffer.from(commonName))))),
    );
  });

  test('have the values of one attribute in the order of their encodings, as a DER set', async () => {
    const value = (text: string): Uint8Array =>
      sequence(objectIdentifier('2.5.4.10'), der(/[_@]/.test(text) ? 0x0c : 0x13, Buffer.from(text)));
    const { subject } = parseCertificate(
      await issue({ subject: { organizations: ['bb', 'b', 'a', 'aa', 'b', 'a@', '_'] } }),
    );
    // By length, then by type and octets.
    const values = ['_', 'a', 'b', 'b', 'a@', 'aa', 'bb'].map(value);
    expect(subject.raw).toEqual(sequence(der(0x31, Buffer.concat(values))));
  });

  test('have at most 100 attributes in their subject, which the library writes in one turn', async () => {
    const organizations = (count: number): string[] => Array.from({ length: count }, (_, index) => `o${index}`);
    const most = await issue({ subject: { commonName: 'a', organizations: organizations(99) } });
    expect(parseCertificate(most).subject.organizations).toHaveLength(99);
    const tooMany = 'x509: a subject of 101 attributes, more than 100';
    expect(await refusal({ subject: { commonName: 'a', organizations: organizations(100) } })).toBe(tooMany);
    const one = (text: string): Uint8Array => set(sequence(objectIdentifier('2.5.4.10'), utf8(text)));
    expect(await refusal({ subject: sequence(...organizations(101).map(one)) })).toBe(tooMany);
    expect(
      parseCertificate(await issue({ subject: sequence(...organizations(100).map(one)) })).subject.attributes,
    ).toHaveLength(100);
  });

  test('have any object identifier', async () => {
    const number = fc.integer({ min: 0, max: 0x7fffffff });
    const first = fc.oneof(
      fc.tuple(fc.constantFrom(0, 1), fc.integer({ min: 0, max: 39 })),
      fc.tuple(fc.constant(2), fc.integer({ min: 0, max: 0x7fffffff - 80 })),
    );
    await fc.assert(
      fc.asyncProperty(first, fc.array(number, { maxLength: 8 }), async (head, rest) => {
        const identifier = [...head, ...rest].join('.');
        const extensions = [{ type: identifier, critical: true, value: Uint8Array.of(5, 0) }];
        const read = parseCertificate(await issue({ extensions, extendedKeyUsages: [identifier] }));
        expect(read.extendedKeyUsages).toEqual([identifier]);
        expect(read.extensions.at(-1)).toEqual(extensions[0]);
      }),
      { numRuns: 50 },
    );
  });

  test('of an authority are self-signed, with CA rights and without an authority key identifier', () => {
    const { certificate } = root;
    expect(certificate.extensions.map(({ type, critical }) => [type, critical])).toEqual([
      [ExtensionType.keyUsage, true],
      [ExtensionType.basicConstraints, true],
      [ExtensionType.subjectKeyIdentifier, false],
    ]);
    expect(certificate).toMatchObject({
      basicConstraints: { isAuthority: true, pathLength: undefined },
      keyUsages: new Set(['keyCertSign', 'cRLSign']),
      notBefore: NOW - 2 * DAY,
      subject: { commonName: 'root' },
    });
    expect(certificate.extensions[1]?.value).toEqual(sequence(boolean(true)));
  });

  test('verify with openssl through intermediates, up to their path length', async () => {
    const intermediate = async (
      commonName: string,
      by: CertificateAuthority,
      maxPathLength: number,
    ): Promise<CertificateAuthority> => {
      const keys = await generateKeyPair('ECDSA-P384');
      const certificate = await issue(
        {
          subject: { commonName },
          publicKey: await encodePublicKey(keys.publicKey),
          keyUsages: ['keyCertSign'],
          isCertificateAuthority: true,
          maxPathLength,
        },
        by,
      );
      return CertificateAuthority.open(encodePem('CERTIFICATE', certificate), await encodePrivateKey(keys.privateKey));
    };
    const first = await intermediate('first', root, 1);
    const second = await intermediate('second', first, 0);
    const third = await intermediate('third', second, 0);
    const verify = async (by: CertificateAuthority): Promise<string> => {
      const leaf = openssl.file('leaf.pem', encodePem('CERTIFICATE', await issue({}, by)));
      const between = openssl.file(
        'between.pem',
        [first, second, third].map(({ certificatePem }) => certificatePem).join(''),
      );
      return openssl.run([
        'verify',
        '-x509_strict',
        '-attime',
        String(NOW / 1000),
        '-CAfile',
        openssl.file('root.pem', root.certificatePem),
        '-untrusted',
        between,
        leaf,
      ]);
    };
    expect(await verify(second)).toContain(': OK');
    await expect(verify(third)).rejects.toThrow('path length constraint exceeded');
  });

  test('encode a parsed name again, or keep its bytes', async () => {
    const foreign = parseCertificate(
      foreignCertificate({
        subject: [
          set(sequence(objectIdentifier('2.5.4.3'), utf8('alice'))),
          set(sequence(objectIdentifier('1.2.3'), utf8('odd'))),
        ],
      }).der,
    ).subject;
    expect(parseCertificate(await issue({ subject: foreign.raw })).subject).toEqual(foreign);
    expect(parseCertificate(await issue({ subject: foreign })).subject).toMatchObject({
      attributes: [{ type: '2.5.4.3', value: 'alice' }],
      raw: sequence(set(sequence(objectIdentifier('2.5.4.3'), der(0x13, Buffer.from('alice'))))),
    });
  });

  test('have random, positive serial numbers of sixteen bytes', async () => {
    const by = await CertificateAuthority.create({ commonName: 'root', ...validity, entropy });
    const expected = BigInt(`0x6b${'ab'.repeat(15)}`);
    expect([by.certificate.serialNumber, parseCertificate(await issue({}, by)).serialNumber]).toEqual([
      expected,
      expected,
    ]);
    expect(parseCertificate(await issue()).serialNumber).not.toBe(parseCertificate(await issue()).serialNumber);
    expect(parseCertificate(await issue({ serialNumber: Uint8Array.of(0xff, 0xff) })).serialNumber).toBe(0xffffn);
  });

  test('have custom extensions after, or in place of, the generated ones', async () => {
    const policies = { type: '1.2.3', critical: false, value: octets(Uint8Array.of(1)) };
    const constraints = { type: ExtensionType.basicConstraints, critical: false, value: sequence() };
    const read = parseCertificate(await issue({ extensions: [policies, constraints] }));
    expect(read.extensions.map(({ type }) => type)).toEqual([
      ExtensionType.subjectKeyIdentifier,
      ExtensionType.authorityKeyIdentifier,
      '1.2.3',
      ExtensionType.basicConstraints,
    ]);
    expect(read.extensions.at(-1)).toEqual(constraints);
  });

  test.each<[string, Partial<CertificateTemplate>, string]>([
    [
      'a host that is not ASCII',
      { alternativeNames: { dnsNames: ['jürgen'] } },
      'x509: "jürgen" cannot be encoded as an IA5String',
    ],
    [
      'an invalid address',
      { alternativeNames: { ipAddresses: ['10.0.0.256'] } },
      'x509: "10.0.0.256" is not an IP address',
    ],
    [
      'an address with a zone',
      { alternativeNames: { ipAddresses: ['fe80::1%eth0'] } },
      'x509: "fe80::1%eth0" is not an IP address',
    ],
    [
      'an address of five bytes',
      { alternativeNames: { ipAddresses: [new Uint8Array(5)] } },
      'x509: a value of 5 octets is not an IP address',
    ],
    ['half a surrogate pair', { subject: { commonName: '\ud800' } }, 'asn1: string not valid UTF-8'],
    [
      'an unknown purpose',
      { extendedKeyUsages: ['serverAuthority'] },
      'x509: invalid object identifier "serverAuthority"',
    ],
    ['a negative path length', { maxPathLength: 0 }, 'x509: only CAs are allowed to specify MaxPathLen'],
    ['a serial number of zero', { serialNumber: new Uint8Array(3) }, 'x509: serial number must be positive'],
    ['an empty serial number', { serialNumber: new Uint8Array(0) }, 'x509: serial number must be positive'],
    [
      'a serial number that is too long',
      { serialNumber: new Uint8Array(20).fill(0xff) },
      'x509: serial number is longer than 20 octets',
    ],
    [
      'a year of five digits',
      { notAfter: Date.UTC(10_000, 0) },
      'asn1: structure error: cannot represent time as GeneralizedTime',
    ],
    ['an invalid time', { notAfter: NaN }, 'asn1: structure error: cannot represent time as GeneralizedTime'],
    ['an invalid key', { publicKey: Uint8Array.of(1) }, 'x509: malformed spki'],
    [
      'a key of another type',
      { publicKey: sequence(sequence(objectIdentifier('1.3.101.113')), bits(new Uint8Array(57))) },
      'x509: unsupported public key type',
    ],
    ['an invalid name', { subject: Uint8Array.of(0x30, 1, 0) }, 'x509: invalid RDNSequence'],
  ])('are not issued with %s', async (_name, template, message) => {
    expect(await refusal(template)).toBe(message);
  });
});

test.each([
  '',
  '1',
  '1.',
  '.1',
  '1.40',
  '0.40',
  '3.1',
  '01.2',
  '1.02',
  '1.2.2147483648',
  '2.2147483648',
  '1.-2',
  '1.2a',
  'serverAuth',
  '1.2.99999999999',
])('%j is not an object identifier', async (type) => {
  const extensions = [{ type, critical: false, value: new Uint8Array() }];
  expect(await refusal({ extensions })).toBe(`x509: invalid object identifier "${type}"`);
  await expect(createCertificateRequest({ subject: {}, extensions, keyPair: pair })).rejects.toThrow(X509Error);
});

describe('a stored authority', () => {
  const foreign = foreignAuthority('foreign');
  test('is loaded with its key', async () => {
    const again = await CertificateAuthority.open(root.certificatePem, await root.privateKeyPem());
    expect(again.certificate).toEqual(root.certificate);
    const certificate = parseCertificate(await issue({}, again));
    expect(
      await verifyCertificate(certificate, {
        authorities: new CertificatePool([root.certificate]),
        now: NOW,
        extendedKeyUsages: [ExtendedKeyUsage.any],
      }),
    ).toMatchObject({ chains: [[certificate, root.certificate]] });
    expect(await CertificateAuthority.open(foreign.pem, foreign.keyPem)).toMatchObject({ certificatePem: foreign.pem });
  });

  test.each<[string, string, string, string]>([
    [
      'the key of another one',
      root.certificatePem,
      foreign.keyPem,
      "the private key does not match the authority's certificate",
    ],
    ['no key', foreign.pem, '', 'data does not contain a valid RSA or ECDSA private key'],
    ['no certificate', '', foreign.keyPem, 'data does not contain any valid RSA or ECDSA certificates'],
    ['two certificates', foreign.pem + root.certificatePem, foreign.keyPem, 'expected 1 certificate, found 2'],
  ])('is rejected with %s', async (_name, certificate, key, message) => {
    await expect(CertificateAuthority.open(certificate, key)).rejects.toThrow(new Error(message));
  });

  test('is rejected without CA rights', async () => {
    const leaf = foreignCertificate({ subject: 'leaf' });
    const old = foreignCertificate({ subject: 'old', version: undefined });
    const bound = foreignAuthority('bound', {
      extensions: [
        extension('2.5.29.19', sequence(boolean(true)), true),
        extension('2.5.29.15', bits(Uint8Array.of(0x80), 7), true),
      ],
    });
    for (const { pem, keyPem } of [leaf, old, bound])
      await expect(CertificateAuthority.open(pem, keyPem)).rejects.toThrow(
        new Error('the certificate is not a CA certificate'),
      );
  });

  test('does not print its key', async () => {
    const secret = (await root.privateKeyPem()).split('\n')[1] ?? '';
    expect(secret.length).toBeGreaterThan(40);
    expect(inspect(root, { showHidden: true, depth: 9 })).not.toContain(secret.slice(0, 40));
    expect(Object.keys(root)).toEqual(['certificate', 'certificatePem']);
  });
});

describe('issued data can be parsed', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 });
  const names: fc.Arbitrary<SubjectNames> = fc.record({
    commonName: text,
    serialNumber: text,
    ...Object.fromEntries(
      [
        'countries',
        'organizations',
        'organizationalUnits',
        'localities',
        'provinces',
        'streetAddresses',
        'postalCodes',
      ].map((list) => [list, fc.array(text, { maxLength: 4 })]),
    ),
  });
  const ascii = fc.string({ unit: 'binary-ascii', maxLength: 20 });
  const alternatives = fc.record({
    dnsNames: fc.array(ascii, { maxLength: 3 }),
    emailAddresses: fc.array(ascii, { maxLength: 3 }),
    uris: fc.array(ascii, { maxLength: 3 }),
    ipAddresses: fc.array(
      fc.oneof(fc.uint8Array({ minLength: 4, maxLength: 4 }), fc.uint8Array({ minLength: 16, maxLength: 16 })),
      { maxLength: 3 },
    ),
  });
  /** Values of one type have no order of their own. */
  const sorted = (subject: SubjectNames): object =>
    Object.fromEntries(
      Object.entries(subject).map(([key, value]) => [key, Array.isArray(value) ? value.toSorted() : value]),
    );

  test('requests, and the certificates issued for them', async () => {
    await fc.assert(
      fc.asyncProperty(names, alternatives, async (subject, alternativeNames) => {
        const request = parseCertificateRequest(
          await createCertificateRequest({ subject, alternativeNames, keyPair: pair }),
        );
        expect(sorted(request.subject)).toMatchObject(sorted(subject));
        expect(request).toMatchObject(alternativeNames);
        expect(request.publicKey.raw).toEqual(publicKey);
        const certificate = parseCertificate(
          await issue({ subject: request.subject, publicKey: request.publicKey.raw, alternativeNames: request }),
        );
        expect(certificate.subject).toEqual(request.subject);
        expect(certificate.alternativeNames ?? alternativeNames).toMatchObject(alternativeNames);
      }),
      { numRuns: 60 },
    );
  });

  test('addresses as text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.ipV4(), fc.ipV6()), async (address) => {
        const request = parseCertificateRequest(
          await createCertificateRequest({ subject: {}, alternativeNames: { ipAddresses: [address] }, keyPair: pair }),
        );
        const hostname = address.includes(':') ? new URL(`http://[${address}]/`).hostname.slice(1, -1) : address;
        const [octetsOfAddress = new Uint8Array(0)] = request.ipAddresses;
        const written =
          octetsOfAddress.length === 4
            ? octetsOfAddress.join('.')
            : new URL(
                `http://[${Buffer.from(octetsOfAddress).toString('hex').match(/.{4}/g)?.join(':') ?? ''}]/`,
              ).hostname.slice(1, -1);
        expect(written).toBe(hostname.startsWith('::ffff:') ? octetsOfAddress.join('.') : hostname);
      }),
    );
  });
});
