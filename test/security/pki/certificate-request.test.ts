import { describe, expect, test } from 'vitest';
import {
  checkRequestSignature,
  checkSignature,
  encodePem,
  ExtensionType,
  parseCertificateRequest,
  parsePem,
  readCertificateRequestPem,
  readExtensions,
  X509Error,
  type CertificateRequest,
} from '../../../src/security/pki/index.js';
import {
  bits,
  boolean,
  der,
  explicit,
  implicit,
  integer,
  nothing,
  objectIdentifier,
  octets,
  sequence,
  set,
  utf8,
} from './support/der-writer.js';
import {
  alternativeNames,
  attribute,
  authority,
  CN,
  dnsName,
  extension,
  ipName,
  newKey,
  O,
  signings,
} from './support/issue.js';
import { opensslInDirectory, requestBy, type RequestOrder } from './support/openssl.js';

const openssl = opensslInDirectory();
const made = (order: RequestOrder = {}): CertificateRequest => readCertificateRequestPem(requestBy(openssl, order));

describe('the output of openssl is parsed', () => {
  test.each<[name: string, key: readonly string[], facts: object, signature: string]>([
    ['P-256', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], { algorithm: 'ECDSA', curve: 'P-256' }, 'ECDSA-SHA256'],
    [
      'P-384',
      ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384', '-sha384'],
      { algorithm: 'ECDSA', curve: 'P-384' },
      'ECDSA-SHA384',
    ],
    [
      'P-521',
      ['ec', '-pkeyopt', 'ec_paramgen_curve:P-521', '-sha512'],
      { algorithm: 'ECDSA', curve: 'P-521' },
      'ECDSA-SHA512',
    ],
    [
      'P-256 with another hash',
      ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-sha512'],
      { algorithm: 'ECDSA', curve: 'P-256' },
      'ECDSA-SHA512',
    ],
    ['RSA', ['rsa:2048'], { algorithm: 'RSA', modulusBits: 2048, exponent: 65537 }, 'SHA256-RSA'],
    [
      'RSA with SHA-384',
      ['rsa:2048', '-sha384'],
      { algorithm: 'RSA', modulusBits: 2048, exponent: 65537 },
      'SHA384-RSA',
    ],
    [
      'RSA of 1024 bits with SHA-512',
      ['rsa:1024', '-sha512'],
      { algorithm: 'RSA', modulusBits: 1024, exponent: 65537 },
      'SHA512-RSA',
    ],
    [
      'RSA-PSS',
      ['rsa:2048', '-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:32'],
      { algorithm: 'RSA', modulusBits: 2048, exponent: 65537 },
      'SHA256-RSAPSS',
    ],
    ['Ed25519', ['ed25519'], { algorithm: 'Ed25519' }, 'Ed25519'],
  ])('%s', async (_name, key, facts, signature) => {
    const request = made({ key, subject: '/O=one/OU=unit/CN=jürgen/serialNumber=7' });
    expect(request).toMatchObject({
      publicKey: { facts },
      signatureAlgorithm: { name: signature },
      subject: { commonName: 'jürgen', organizations: ['one'], organizationalUnits: ['unit'], serialNumber: '7' },
    });
    expect(await checkSignature(request, request.publicKey)).toBeUndefined();
    expect(await checkRequestSignature(request)).toBeUndefined();
    const other = made();
    expect((await checkRequestSignature({ ...request, signed: other.signed }))?.problem).toBe('InvalidSignature');
  });

  test.each<[name: string, key: readonly string[], facts: object]>([
    ['P-224', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-224'], { algorithm: 'ECDSA', curve: 'P-224' }],
    ['Ed448', ['ed448'], { algorithm: 'unknown', identifier: '1.3.101.113' }],
    [
      'a key for PSS only',
      ['rsa-pss', '-pkeyopt', 'rsa_keygen_bits:2048'],
      { algorithm: 'unknown', identifier: '1.2.840.113549.1.1.10' },
    ],
  ])('%s, whose signature cannot be verified', async (_name, key, facts) => {
    const request = made({ key });
    expect(request).toMatchObject({ publicKey: { facts }, subject: { commonName: 'alice' } });
    expect((await checkRequestSignature(request))?.message).toBe(
      'x509: cannot verify signature: algorithm unimplemented',
    );
  });

  test('a curve without a name is rejected, as in Kubernetes', () => {
    expect(() => made({ key: ['ec', '-pkeyopt', 'ec_paramgen_curve:secp256k1'] })).toThrow(
      new X509Error('Malformed', 'x509: unsupported elliptic curve'),
    );
  });

  test.each<[name: string, key: readonly string[], signature: string]>([
    ['RSA', ['rsa:2048', '-sha1'], 'SHA1-RSA'],
    ['ECDSA', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-sha1'], 'ECDSA-SHA1'],
  ])(
    '%s with SHA-1 proves possession of the key, and is no valid signature elsewhere',
    async (_name, key, signature) => {
      const request = made({ key });
      expect(await checkRequestSignature(request)).toBeUndefined();
      expect((await checkRequestSignature({ ...request, signed: made().signed }))?.problem).toBe('InvalidSignature');
      expect((await checkSignature(request, request.publicKey))?.message).toBe(
        `x509: cannot verify signature: insecure algorithm ${signature}`,
      );
    },
  );

  test('MD5 proves nothing', async () => {
    expect((await checkRequestSignature(made({ key: ['rsa:2048', '-md5'] })))?.message).toBe(
      'x509: cannot verify signature: insecure algorithm MD5-RSA',
    );
  });

  test('names of every type besides the subject', () => {
    const request = made({
      extensions: [
        'subjectAltName = DNS:a.example,DNS:*.b.example,email:a@b.c,IP:10.0.0.1,IP:fd00::1,URI:spiffe://x/y,RID:1.2.3.4,otherName:1.2.3;UTF8:other,dirName:name',
      ],
      sections: '[name]\nCN = somebody',
    });
    expect(request).toMatchObject({
      dnsNames: ['a.example', '*.b.example'],
      emailAddresses: ['a@b.c'],
      uris: ['spiffe://x/y'],
      others: 3,
    });
    expect(request.ipAddresses).toEqual([
      Uint8Array.of(10, 0, 0, 1),
      Uint8Array.of(0xfd, ...Array.from({ length: 14 }, () => 0), 1),
    ]);
  });

  test('extensions of every type, including unknown ones', () => {
    const request = made({
      extensions: [
        'basicConstraints = critical,CA:TRUE,pathlen:3',
        'keyUsage = critical,digitalSignature,keyCertSign',
        'extendedKeyUsage = clientAuth,1.2.3.4',
        'subjectKeyIdentifier = hash',
        'nsComment = remark',
        'tlsfeature = status_request',
        'certificatePolicies = 1.2.3',
        '1.2.3.4.5 = critical,ASN1:UTF8String:odd',
        '2.999.1 = DER:0500',
      ],
    });
    expect(request.extensions.map(({ type, critical }) => [type, critical])).toEqual([
      [ExtensionType.basicConstraints, true],
      [ExtensionType.keyUsage, true],
      [ExtensionType.extendedKeyUsage, false],
      [ExtensionType.subjectKeyIdentifier, false],
      ['2.16.840.1.113730.1.13', false],
      ['1.3.6.1.5.5.7.1.24', false],
      [ExtensionType.certificatePolicies, false],
      ['1.2.3.4.5', true],
      ['2.999.1', false],
    ]);
    expect(request.extensions.find(({ type }) => type === '1.2.3.4.5')?.value).toEqual(utf8('odd'));
    expect(readExtensions(request.extensions)).toMatchObject({
      basicConstraints: { isAuthority: true, pathLength: 3 },
      keyUsages: new Set(['digitalSignature', 'keyCertSign']),
      extendedKeyUsages: ['1.3.6.1.5.5.7.3.2', '1.2.3.4'],
      unhandledCritical: ['1.2.3.4.5'],
    });
  });

  test('other attributes are ignored', async () => {
    const request = made({
      attributes: ['challengePassword = secret word', 'unstructuredName = me'],
      extensions: ['subjectAltName = DNS:a'],
    });
    expect(request).toMatchObject({ dnsNames: ['a'], extensions: [{ type: ExtensionType.subjectAlternativeName }] });
    expect(await checkRequestSignature(request)).toBeUndefined();
  });

  test('an empty subject', () => {
    expect(made({ subject: '/' }).subject).toMatchObject({
      attributes: [],
      commonName: '',
      organizations: [],
      raw: Uint8Array.of(0x30, 0),
    });
  });

  test('several attributes in one relative name', () => {
    expect(made({ subject: '/C=DE+O=b+O=a+CN=first/O=c/CN=last' }).subject).toMatchObject({
      countries: ['DE'],
      organizations: ['a', 'b', 'c'],
      commonName: 'last',
    });
  });
});

const key = newKey();
const SPKI = Uint8Array.from(key.publicKey.export({ type: 'spki', format: 'der' }));
const EXTENSION_REQUEST = objectIdentifier('1.2.840.113549.1.9.14');
const asking = (...extensions: readonly Uint8Array[]): Uint8Array =>
  sequence(EXTENSION_REQUEST, set(sequence(...extensions)));

interface Parts {
  readonly version: Uint8Array;
  readonly subject: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly attributes: readonly Uint8Array[];
  /** Replacements for the attributes and the data after them. */
  readonly rest: readonly Uint8Array[];
  readonly behind: readonly Uint8Array[];
  readonly signature: (plain: Uint8Array) => Uint8Array;
}

/** A request assembled from parts, and signed as it is. */
function request(parts: Partial<Parts> = {}): Uint8Array {
  const {
    version = integer(0),
    subject = sequence(CN('alice')),
    publicKey = SPKI,
    attributes = [],
    rest = [explicit(0, ...attributes)],
    behind = [],
    signature = (plain) => bits(plain),
  } = parts;
  const signed = sequence(version, subject, publicKey, ...rest);
  return sequence(
    signed,
    signings.ecdsaSha256.algorithm,
    signature(signings.ecdsaSha256.sign(signed, key.privateKey)),
    ...behind,
  );
}

const field = (tag = '<nil>'): string =>
  `{optional:false explicit:false application:false private:false defaultValue:<nil> tag:${tag} stringType:0 timeType:0 set:false omitEmpty:false}`;
const refusal = (bytes: Uint8Array): string => {
  try {
    parseCertificateRequest(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(X509Error);
    return (error as X509Error).message;
  }
  throw new Error('was not refused');
};

describe('unusual requests that are accepted, as in Kubernetes', () => {
  test.each<[string, Uint8Array]>([
    ['an unknown version', request({ version: integer(41) })],
    ['a negative version', request({ version: der(2, Uint8Array.of(0xff)) })],
    ['data after the attributes', request({ rest: [explicit(0), integer(1)] })],
    ['data after the signature', request({ behind: [integer(1)] })],
    ['an invalid attribute', request({ attributes: [integer(1)] })],
    ['an attribute with a multi-byte tag', request({ attributes: [Uint8Array.of(0xbf, 0x81, 0x01, 0)] })],
    ['an attribute without values', request({ attributes: [sequence(EXTENSION_REQUEST, set())] })],
    [
      'an attribute with values that are not a set',
      request({ attributes: [sequence(EXTENSION_REQUEST, sequence(sequence()))] }),
    ],
    [
      'a value of the subject that is no string',
      request({ subject: sequence(attribute('2.5.4.45', bits(Uint8Array.of(1))), CN('alice')) }),
    ],
  ])('%s', async (_name, bytes) => {
    const read = parseCertificateRequest(bytes);
    expect(read).toMatchObject({ subject: { commonName: 'alice' }, extensions: [], dnsNames: [] });
    expect(await checkRequestSignature(read)).toBeUndefined();
  });

  test('a value that is no string is parsed, and ignored', () => {
    expect(
      parseCertificateRequest(request({ subject: sequence(attribute('2.5.4.3', integer(7)), O('dev')) })).subject,
    ).toMatchObject({
      attributes: [
        { type: '2.5.4.3', value: '' },
        { type: '2.5.4.10', value: 'dev' },
      ],
      commonName: '',
      organizations: ['dev'],
    });
  });

  test('only the first value of an attribute is used, of every attribute', () => {
    const two = sequence(
      EXTENSION_REQUEST,
      set(sequence(alternativeNames(dnsName('a'))), sequence(extension('1.2.3', nothing()))),
    );
    const read = parseCertificateRequest(request({ attributes: [two, asking(extension('1.2.4', nothing(), true))] }));
    expect(read.extensions.map(({ type, critical }) => [type, critical])).toEqual([
      [ExtensionType.subjectAlternativeName, false],
      ['1.2.4', true],
    ]);
    expect(read.dnsNames).toEqual(['a']);
  });

  test('a signature with unused bits is shifted right', () => {
    const read = parseCertificateRequest(
      request({ signature: () => bits(Uint8Array.of(0b1010_0000, 0b1100_1000), 3) }),
    );
    expect(read.signature).toEqual(Uint8Array.of(0b0001_0100, 0b0001_1001));
  });
});

describe('rejected requests, with the error texts of Kubernetes', () => {
  const good = request();
  const certificate = authority('root').der;
  const badText = (tag: number, ...content: readonly number[]): Uint8Array =>
    request({ subject: sequence(attribute('2.5.4.3', der(tag, Uint8Array.from(content)))) });
  test.each<[string, Uint8Array, string]>([
    ['nothing', new Uint8Array(0), 'asn1: syntax error: sequence truncated'],
    [
      'something else',
      integer(1),
      `asn1: structure error: tags don't match (16 vs {class:0 tag:2 length:1 isCompound:false}) ${field()} certificateRequest @2`,
    ],
    [
      'another sequence',
      sequence(integer(1)),
      `asn1: structure error: tags don't match (16 vs {class:0 tag:2 length:1 isCompound:false}) ${field()} tbsCertificateRequest @2`,
    ],
    [
      'a certificate',
      certificate,
      `asn1: structure error: tags don't match (2 vs {class:2 tag:0 length:3 isCompound:true}) ${field()} int @2`,
    ],
    ['a trailing byte', Uint8Array.of(...good, 0), 'asn1: syntax error: trailing data'],
    ['a missing byte', good.subarray(0, -1), 'asn1: syntax error: data truncated'],
    ['only the first byte', good.subarray(0, 1), 'asn1: syntax error: truncated tag or length'],
    ['half of its length', good.subarray(0, 2), 'asn1: syntax error: truncated tag or length'],
    ['an indefinite length', Uint8Array.of(0x30, 0x80, 0, 0), 'asn1: syntax error: indefinite length found (not DER)'],
    [
      'a length in more bytes than necessary',
      Uint8Array.of(0x30, 0x81, 0x02, 5, 0),
      'asn1: structure error: non-minimal length',
    ],
    [
      'a length with leading zeros',
      Uint8Array.of(0x30, 0x82, 0, 0x90),
      'asn1: structure error: superfluous leading zeros in length',
    ],
    ['a length that is too large', Uint8Array.of(0x30, 0x85, 1, 0, 0, 0, 0), 'asn1: structure error: length too large'],
    ['no attributes', request({ rest: [] }), 'asn1: syntax error: sequence truncated'],
    [
      'attributes with another tag',
      request({ rest: [set()] }),
      `asn1: structure error: tags don't match (0 vs {class:0 tag:17 length:0 isCompound:true}) ${field('0')}  @114`,
    ],
    [
      'a truncated attribute',
      request({ rest: [explicit(0, Uint8Array.of(0x30, 5))] }),
      'asn1: syntax error: truncated sequence',
    ],
    [
      'a version in too many bytes',
      request({ version: der(2, Uint8Array.of(0, 1)) }),
      'asn1: structure error: integer not minimally-encoded',
    ],
    ['an empty version', request({ version: der(2) }), 'asn1: structure error: empty integer'],
    [
      'a version that is too large',
      request({ version: der(2, Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0)) }),
      'asn1: structure error: integer too large',
    ],
    [
      'a subject that is not a sequence',
      request({ subject: set() }),
      `asn1: structure error: tags don't match (16 vs {class:0 tag:17 length:0 isCompound:true}) ${field()} RDNSequence @2`,
    ],
    [
      'a subject without sets',
      request({ subject: sequence(sequence()) }),
      'asn1: structure error: sequence tag mismatch',
    ],
    [
      'a type that is not an object identifier',
      request({ subject: sequence(set(sequence(integer(1), utf8('a')))) }),
      `asn1: structure error: tags don't match (6 vs {class:0 tag:2 length:1 isCompound:false}) ${field()} ObjectIdentifier @2`,
    ],
    [
      'an empty type',
      request({ subject: sequence(set(sequence(der(6), utf8('a')))) }),
      'asn1: syntax error: zero length OBJECT IDENTIFIER',
    ],
    [
      'a truncated type',
      request({ subject: sequence(set(sequence(der(6, Uint8Array.of(0x55, 0x84)), utf8('a')))) }),
      'asn1: syntax error: truncated base 128 integer',
    ],
    [
      'a type with a leading zero',
      request({ subject: sequence(set(sequence(der(6, Uint8Array.of(0x55, 0x80, 1)), utf8('a')))) }),
      'asn1: syntax error: integer is not minimally encoded',
    ],
    [
      'a type that is too large',
      request({
        subject: sequence(set(sequence(der(6, Uint8Array.of(0x55, 0xff, 0xff, 0xff, 0xff, 0x7f)), utf8('a')))),
      }),
      'asn1: structure error: base 128 integer too large',
    ],
    ['an invalid PrintableString', badText(0x13, 0), 'asn1: syntax error: PrintableString contains invalid character'],
    ['an invalid IA5String', badText(0x16, 0x80), 'asn1: syntax error: IA5String contains invalid character'],
    ['an invalid NumericString', badText(0x12, 0x41), 'asn1: syntax error: NumericString contains invalid character'],
    ['an invalid UTF8String', badText(0x0c, 0xc0, 0x80), 'asn1: invalid UTF-8 string'],
    ['a BMPString of one and a half characters', badText(0x1e, 0, 0x41, 0), 'invalid BMPString'],
    ['an empty signature', request({ signature: () => der(3) }), 'asn1: syntax error: zero length BIT STRING'],
    [
      'a signature with non-zero padding bits',
      request({ signature: () => bits(Uint8Array.of(1), 1) }),
      'asn1: syntax error: invalid padding bits in BIT STRING',
    ],
    [
      'a duplicate extension',
      request({ attributes: [asking(extension('1.2.3', nothing()), extension('1.2.3', nothing()))] }),
      'x509: certificate request contains duplicate requested extensions',
    ],
    [
      'an extension in two attributes',
      request({ attributes: [asking(extension('1.2.3', nothing())), asking(extension('1.2.3', nothing()))] }),
      'x509: certificate request contains duplicate requested extensions',
    ],
    [
      'an extension with an invalid critical flag',
      request({
        attributes: [asking(sequence(objectIdentifier('1.2.3'), der(1, Uint8Array.of(1)), octets(nothing())))],
      }),
      'asn1: syntax error: invalid boolean',
    ],
    [
      'an extension without a value',
      request({ attributes: [asking(sequence(objectIdentifier('1.2.3'), boolean(true)))] }),
      'asn1: syntax error: sequence truncated',
    ],
    [
      'invalid extensions',
      request({ attributes: [sequence(EXTENSION_REQUEST, set(integer(1)))] }),
      `asn1: structure error: tags don't match (16 vs {class:0 tag:2 length:1 isCompound:false}) ${field()}  @2`,
    ],
    [
      'a host that is not ASCII',
      request({ attributes: [asking(alternativeNames(implicit(2, Uint8Array.of(0xe9))))] }),
      'x509: SAN dNSName is malformed',
    ],
    [
      'an address of five bytes',
      request({ attributes: [asking(alternativeNames(ipName(1, 2, 3, 4, 5)))] }),
      'x509: cannot parse IP address of length 5',
    ],
    [
      'invalid names',
      request({ attributes: [asking(extension(ExtensionType.subjectAlternativeName, integer(1)))] }),
      'x509: invalid subject alternative names',
    ],
    [
      'an RSA key without its parameters',
      request({
        publicKey: sequence(sequence(objectIdentifier('1.2.840.113549.1.1.1')), bits(sequence(integer(5), integer(3)))),
      }),
      'x509: RSA key missing NULL parameters',
    ],
    [
      'a point that is too short',
      request({
        publicKey: sequence(
          sequence(objectIdentifier('1.2.840.10045.2.1'), objectIdentifier('1.2.840.10045.3.1.7')),
          bits(Uint8Array.of(4, 1, 2)),
        ),
      }),
      'x509: failed to unmarshal elliptic curve point',
    ],
  ])('%s', (_name, bytes, message) => {
    expect(refusal(bytes)).toBe(message);
  });

  test('a request that is too long', () => {
    expect(() => parseCertificateRequest(new Uint8Array(70_000))).toThrow(
      expect.objectContaining({
        problem: 'Limit',
        message: 'x509: certificate request of 70000 bytes is longer than 65536',
      }),
    );
  });
});

describe('requests in PEM', () => {
  const pem = encodePem('CERTIFICATE REQUEST', request());
  const other = encodePem('CERTIFICATE REQUEST', request({ subject: sequence(CN('bob')) }));
  const TYPE = 'PEM block type must be CERTIFICATE REQUEST';
  test.each<[string, string, string]>([
    ['text around', `# mine\n${pem}# and more`, 'alice'],
    ['carriage returns', pem.replaceAll('\n', '\r\n'), 'alice'],
    ['headers', pem.replace('-----\n', '-----\nComment: mine\n\n'), 'alice'],
    ['another block after it', pem + other, 'alice'],
    ['a broken block before it', `-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n${pem}`, 'alice'],
    ['a BEGIN line without an END line before it', `-----BEGIN CERTIFICATE REQUEST-----\n${pem}`, 'alice'],
    ['an indented BEGIN line before it', ` ${other}${pem}`, 'alice'],
  ])('%s', (_name, text, commonName) => {
    expect(readCertificateRequestPem(text).subject.commonName).toBe(commonName);
  });

  test.each<[string, string]>([
    ['nothing', ''],
    ['base64 alone', pem.split('\n').slice(1, -2).join('\n')],
    ['another label', pem.replaceAll('CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST')],
    ['a certificate before it', authority('root').pem + pem],
    ['truncated base64', pem.replace(/.\n-----END/, '\n-----END')],
  ])('%s is rejected', (_name, text) => {
    expect(() => readCertificateRequestPem(text)).toThrow(new X509Error('Malformed', TYPE));
  });
});

describe('damaged requests are rejected without further effects', () => {
  const whole =
    parsePem(
      requestBy(openssl, {
        subject: '/C=DE+O=b/CN=jürgen',
        attributes: ['challengePassword = secret'],
        extensions: ['subjectAltName = DNS:a,IP:10.0.0.1,URI:x://y,email:a@b', '1.2.3.4 = critical,DER:0500'],
      }),
    ).blocks[0]?.bytes ?? new Uint8Array(0);
  const outcome = (bytes: Uint8Array): unknown => {
    try {
      return parseCertificateRequest(bytes).raw.length;
    } catch (error) {
      return error instanceof X509Error ? error.problem : error;
    }
  };

  test('truncated anywhere', () => {
    expect(whole.length).toBeGreaterThan(200);
    for (let length = 0; length < whole.length; length += 1)
      expect(outcome(whole.subarray(0, length))).toBe('Malformed');
  });

  test('with any bit flipped', () => {
    for (let bit = 0; bit < 8 * whole.length; bit += 1) {
      const turned = Uint8Array.from(whole);
      turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(['Malformed', whole.length]).toContain(outcome(turned));
    }
  });

  test('with any byte removed, or a zero inserted', () => {
    for (let at = 0; at < whole.length; at += 1) {
      expect(['Malformed', whole.length - 1]).toContain(
        outcome(Uint8Array.of(...whole.subarray(0, at), ...whole.subarray(at + 1))),
      );
      expect(['Malformed', whole.length + 1]).toContain(
        outcome(Uint8Array.of(...whole.subarray(0, at), 0, ...whole.subarray(at))),
      );
    }
  });
});
