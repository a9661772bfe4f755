import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isSelfIssued,
  parseCertificate,
  parseCertificateBundle,
  X509Error,
  type Certificate,
} from '../../../src/security/pki/index.js';
import {
  bits,
  der,
  explicit,
  implicit,
  integer,
  nothing,
  objectIdentifier,
  octets,
  sequence,
  time,
  utf8,
} from './support/der-writer.js';
import {
  alternativeNames,
  attribute,
  authority,
  basicConstraints,
  client,
  clientAuth,
  CN,
  DAY,
  dnsName,
  emailName,
  extendedKeyUsage,
  extension,
  ipName,
  issue,
  keyUsage,
  nameConstraints,
  newKey,
  NOW,
  O,
  signings,
  uriName,
  type Order,
} from './support/issue.js';

const root = authority('root');
const parse = (order: Partial<Order>): Certificate => parseCertificate(issue({ subject: 'x', by: root, ...order }).der);
const refusal = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(X509Error);
    return (error as X509Error).message;
  }
  throw new Error('was not refused');
};

describe('parseCertificate', () => {
  test('reads all fields of a certificate', () => {
    const issued = issue({
      subject: [O('dev'), CN('ignored'), O('ops'), CN('alice')],
      by: root,
      extensions: [
        basicConstraints(true, 3),
        keyUsage(0x86),
        extendedKeyUsage('1.3.6.1.5.5.7.3.2', '1.2.3'),
        alternativeNames(
          dnsName('a.example'),
          emailName('a@b.c'),
          uriName('spiffe://x'),
          ipName(10, 0, 0, 1),
          der(0xa4, sequence()),
        ),
      ],
    });
    const certificate = parseCertificate(issued.der);
    expect(certificate).toMatchObject({
      version: 3,
      notBefore: NOW - DAY,
      notAfter: NOW + DAY,
      subject: { commonName: 'alice', organizations: ['dev', 'ops'], raw: issued.subject },
      issuer: { commonName: 'root', organizations: [] },
      basicConstraints: { isAuthority: true, pathLength: 3 },
      keyUsages: new Set(['digitalSignature', 'keyCertSign', 'cRLSign']),
      extendedKeyUsages: ['1.3.6.1.5.5.7.3.2', '1.2.3'],
      alternativeNames: {
        dnsNames: ['a.example'],
        emailAddresses: ['a@b.c'],
        uris: ['spiffe://x'],
        ipAddresses: [Uint8Array.of(10, 0, 0, 1)],
        others: 1,
      },
      subjectKeyIdentifier: issued.keyIdentifier,
      authorityKeyIdentifier: root.keyIdentifier,
      unhandledCritical: [],
      publicKey: { facts: { algorithm: 'ECDSA', curve: 'P-256' } },
      signatureAlgorithm: { name: 'ECDSA-SHA256', scheme: 'ECDSA', hash: 'SHA-256' },
    });
    expect([isSelfIssued(certificate), isSelfIssued(parseCertificate(root.der))]).toEqual([false, true]);
  });

  test('keeps no reference to its input', () => {
    const bytes = Uint8Array.from(root.der);
    const certificate = parseCertificate(bytes);
    bytes.fill(0);
    expect([...certificate.raw]).toEqual([...root.der]);
  });

  test('accepts version 1 without extensions', () => {
    const certificate = parse({ version: undefined });
    expect(certificate).toMatchObject({ version: 1, extensions: [], extendedKeyUsages: [] });
    expect('basicConstraints' in certificate).toBe(false);
    expect(parse({ version: 1 }).version).toBe(2);
  });

  test.each([
    ['a negative number', der(0x02, Uint8Array.of(0x80)), -128n],
    ['zero', integer(0), 0n],
    ['twenty octets', der(0x02, new Uint8Array(20).fill(0x7f)), BigInt(`0x${'7f'.repeat(20)}`)],
  ])('accepts as serial number %s', (_name, serial, expected) => {
    expect(parse({ serial }).serialNumber).toBe(expected);
  });

  test('reads times: two digits of a year up to 2049, four after it', () => {
    const validity = (from: string, to: string): Uint8Array =>
      sequence(...[from, to].map((text) => der(text.length === 13 ? 0x17 : 0x18, Buffer.from(text))));
    expect(parse({ validity: validity('500101000000Z', '491231235959Z') })).toMatchObject({
      notBefore: Date.UTC(1950, 0, 1),
      notAfter: Date.UTC(2049, 11, 31, 23, 59, 59),
    });
    expect(parse({ validity: validity('00010101000000Z', '99991231235959Z') })).toMatchObject({
      notAfter: Date.UTC(9999, 11, 31, 23, 59, 59),
    });
    for (const text of [
      '300230000000Z',
      '301301000000Z',
      '300101240000Z',
      '300101006000Z',
      '300101000000+0100',
      '3001010000Z',
      '300101000000',
    ]) {
      expect(
        refusal(() => parse({ validity: validity(text, '491231235959Z') })),
        text,
      ).toMatch(/malformed (UTC|Generalized)Time/);
    }
    expect(refusal(() => parse({ validity: sequence(integer(1), integer(2)) }))).toBe('x509: unsupported time format');
  });

  test('reads strings of names, by their types', () => {
    const named = (tag: number, bytes: readonly number[]): string =>
      parse({ subject: [attribute('2.5.4.3', der(tag, Uint8Array.from(bytes)))] }).subject.commonName;
    expect(named(0x13, [...Buffer.from("Al-ice (1)*&+,./:=?'")])).toBe("Al-ice (1)*&+,./:=?'");
    expect(named(0x14, [0x4a, 0xfc])).toBe('Jü');
    expect(named(0x1e, [0x00, 0x4a, 0x20, 0xac, 0, 0])).toBe('J€');
    expect(named(0x16, [0x40])).toBe('@');
    expect(named(0x12, [0x31, 0x20])).toBe('1 ');
    expect(named(0x0c, [...Buffer.from('\ufeffжука')])).toBe('\ufeffжука');
  });

  test.each([
    ['a NUL in a PrintableString', 0x13, [0x61, 0, 0x62], 'invalid PrintableString'],
    ['an at sign in a PrintableString', 0x13, [0x40], 'invalid PrintableString'],
    ['an overlong encoding in UTF-8', 0x0c, [0xc0, 0xae], 'invalid UTF-8 string'],
    ['half a surrogate pair in UTF-8', 0x0c, [0xed, 0xa0, 0x80], 'invalid UTF-8 string'],
    ['half a surrogate pair in UCS-2', 0x1e, [0xd8, 0x00], 'invalid BMPString'],
    ['half a character in UCS-2', 0x1e, [0x00], 'invalid BMPString'],
    ['a high byte in ASCII', 0x16, [0x80], 'invalid IA5String'],
    ['a letter in a NumericString', 0x12, [0x61], 'invalid NumericString'],
    ['a UniversalString', 0x1c, [0, 0, 0, 0x61], 'unsupported string type: 28'],
  ])('rejects %s', (_name, tag, bytes, problem) => {
    expect(refusal(() => parse({ subject: [attribute('2.5.4.3', der(tag, Uint8Array.from(bytes)))] }))).toBe(
      `x509: invalid RDNSequence: invalid attribute value: ${problem}`,
    );
  });

  test.each<[string, Partial<Order>, string]>([
    ['an empty serial number', { serial: new Uint8Array(0) }, 'x509: malformed serial number'],
    ['a padded serial number', { serial: der(0x02, Uint8Array.of(0, 1)) }, 'x509: malformed serial number'],
    ['version 4', { version: 3 }, 'x509: invalid version'],
    [
      'a duplicate extension',
      { extensions: [clientAuth, clientAuth] },
      'x509: certificate contains duplicate extension with OID "2.5.29.37"',
    ],
    [
      'a subject key identifier marked critical',
      { withoutIdentifiers: true, extensions: [extension('2.5.29.14', octets(Uint8Array.of(1)), true)] },
      'x509: subject key identifier incorrectly marked critical',
    ],
    [
      'an invalid boolean',
      { extensions: [extension('2.5.29.19', sequence(der(0x01, Uint8Array.of(1))))] },
      'x509: invalid basic constraints',
    ],
    [
      'a negative path length',
      { extensions: [extension('2.5.29.19', sequence(der(0x02, Uint8Array.of(0xff))))] },
      'x509: invalid basic constraints',
    ],
    [
      'key usages with trailing bits',
      { extensions: [extension('2.5.29.15', bits(Uint8Array.of(0x81), 1))] },
      'x509: invalid key usage',
    ],
    [
      'invalid extended key usages',
      { extensions: [extension('2.5.29.37', sequence(utf8('x')))] },
      'x509: invalid extended key usages',
    ],
    [
      'an address of three bytes',
      { extensions: [alternativeNames(ipName(1, 2, 3))] },
      'x509: cannot parse IP address of length 3',
    ],
    ['a host that is not ASCII', { extensions: [alternativeNames(dnsName('ü'))] }, 'x509: SAN dNSName is malformed'],
    ['empty name constraints', { extensions: [nameConstraints([])] }, 'x509: empty name constraints extension'],
    [
      'a mask with a gap',
      { extensions: [nameConstraints([ipName(10, 0, 0, 0, 255, 0, 255, 0)])] },
      'x509: IP constraint contained invalid mask',
    ],
    [
      'a key on an unknown curve',
      {
        publicKey: sequence(
          sequence(objectIdentifier('1.2.840.10045.2.1'), objectIdentifier('1.3.132.0.10')),
          bits(new Uint8Array(65).fill(4)),
        ),
      },
      'x509: unsupported elliptic curve',
    ],
    [
      'a compressed point',
      {
        publicKey: sequence(
          sequence(objectIdentifier('1.2.840.10045.2.1'), objectIdentifier('1.2.840.10045.3.1.7')),
          bits(new Uint8Array(33).fill(2)),
        ),
      },
      'x509: failed to unmarshal elliptic curve point',
    ],
    [
      'an RSA key without its NULL parameters',
      {
        publicKey: sequence(sequence(objectIdentifier('1.2.840.113549.1.1.1')), bits(sequence(integer(9), integer(3)))),
      },
      'x509: RSA key missing NULL parameters',
    ],
    [
      'an empty RSA key',
      {
        publicKey: sequence(
          sequence(objectIdentifier('1.2.840.113549.1.1.1'), nothing()),
          bits(sequence(integer(0), integer(3))),
        ),
      },
      'x509: RSA modulus is not a positive number',
    ],
  ])('rejects %s', (_name, order, problem) => {
    expect(refusal(() => parse(order))).toBe(problem);
  });

  test('rejects BER that is not DER', () => {
    const { der: whole } = root;
    const body = whole.subarray(4);
    expect(refusal(() => parseCertificate(Buffer.concat([whole, Uint8Array.of(0)])))).toBe('x509: trailing data');
    expect(refusal(() => parseCertificate(Buffer.concat([Uint8Array.of(0x30, 0x83, 0), whole.subarray(2)])))).toBe(
      'x509: malformed certificate',
    );
    expect(refusal(() => parseCertificate(Buffer.concat([Uint8Array.of(0x30, 0x80), body, Uint8Array.of(0, 0)])))).toBe(
      'x509: malformed certificate',
    );
    expect(refusal(() => parseCertificate(whole.subarray(0, -1)))).toBe('x509: malformed certificate');
    expect(refusal(() => parseCertificate(new Uint8Array(0)))).toBe('x509: malformed certificate');
    expect(refusal(() => parseCertificate(new Uint8Array(70_000)))).toBe(
      'x509: certificate of 70000 bytes is longer than 65536',
    );
  });

  test('requires the signed algorithm to equal the one beside the signature', () => {
    const other = sequence(objectIdentifier('1.2.840.10045.4.3.3'));
    const signed = sequence(
      explicit(0, integer(2)),
      integer(1),
      other,
      root.subject,
      sequence(time(0), time(NOW)),
      root.subject,
      newKey().publicKey.export({ type: 'spki', format: 'der' }),
    );
    expect(
      refusal(() => parseCertificate(sequence(signed, signings.ecdsaSha256.algorithm, bits(Uint8Array.of(1))))),
    ).toBe("x509: inner and outer signature algorithm identifiers don't match");
  });

  test('reports unknown critical extensions', () => {
    const noted = (...extensions: Uint8Array[]): readonly string[] => parse({ extensions }).unhandledCritical;
    expect(noted(extension('1.2.3.4', nothing()))).toEqual([]);
    expect(noted(extension('1.2.3.4', nothing(), true))).toEqual(['1.2.3.4']);
    expect(noted(extension('2.5.29.36', sequence(), true))).toEqual(['2.5.29.36']);
    // Only directory names; and constraints on them.
    expect(noted(extension('2.5.29.17', sequence(der(0xa4, sequence())), true))).toEqual(['2.5.29.17']);
    expect(noted(nameConstraints([der(0xa4, sequence())]))).toEqual(['2.5.29.30']);
    expect(noted(extension('2.5.29.17', sequence(dnsName('a'), implicit(8, Uint8Array.of(1))), true))).toEqual([]);
  });

  test('parses or rejects any input with one byte changed, without further effects', () => {
    const { der: whole } = client([O('a'), CN('b')], root, {
      extensions: [clientAuth, alternativeNames(dnsName('x')), nameConstraints([dnsName('x')])],
    });
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, value) => {
        const changed = Uint8Array.from(whole);
        changed[at] = value;
        try {
          parseCertificate(changed);
        } catch (error) {
          expect(error).toBeInstanceOf(X509Error);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('parseCertificateBundle', () => {
  test('reads certificates, and skips other blocks', () => {
    const bundle = `# ours\n${root.keyPem}${root.pem}\n${client('a', root).pem}-----BEGIN CERTIFICATE-----\nName: x\n\n${'AAAA'}\n-----END CERTIFICATE-----\n`;
    expect(parseCertificateBundle(bundle).map(({ subject }) => subject.commonName)).toEqual(['root', 'a']);
  });

  test('rejects an unreadable certificate, and input without any', () => {
    expect(() => parseCertificateBundle('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')).toThrow(
      new X509Error('Malformed', 'x509: malformed certificate'),
    );
    expect(() => parseCertificateBundle(root.keyPem)).toThrow(
      'data does not contain any valid RSA or ECDSA certificates',
    );
  });

  test('limits the foreign text in a message to a thousand characters', () => {
    expect(new X509Error('Malformed', 'x'.repeat(5_000)).message).toHaveLength(1_025);
  });
});
