import { afterAll, describe, expect, it, test } from 'vitest';
import { encodePem, parsePem } from '../../../../src/security/pki/index.js';
import { base64, keyPairOf, requestPem } from '../../../support/certificates.js';
import { openssl } from '../../../security/tokens/openssl.js';
import { goodSpec, world } from './world.js';

const running = await world();
afterAll(() => running[Symbol.asyncDispose]());

let serial = 0;
const post = async (spec: object): Promise<string> => (await running.post(`rule-${(serial += 1)}`, spec)).text;

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

describe('usages', () => {
  it('are required', async () => {
    for (const usages of [undefined, [], null]) expect(await post({ usages })).toBe('422 spec.usages: Required value');
  });

  it('are known values, all of which may be requested together', async () => {
    expect(await post({ usages: USAGES })).toBe('201');
    expect(await post({ usages: ['Client auth'] })).toBe(
      `422 spec.usages[0]: Unsupported value: "Client auth": supported values: ${USAGES.map((usage) => `"${usage}"`).join(', ')}`,
    );
  });

  it('must be unique', async () => {
    expect(await post({ usages: ['any', 'client auth', 'any', 'any'] })).toBe(
      '422 spec.usages[2]: Duplicate value: "any"; spec.usages[3]: Duplicate value: "any"',
    );
  });

  it('that are unknown and duplicated get both errors', async () => {
    expect(await post({ usages: ['x', 'x'] })).toMatch(
      /^422 spec.usages\[0\]: Unsupported value: "x".*; spec.usages\[1\]: Unsupported value: "x".*; spec.usages\[1\]: Duplicate value: "x"$/,
    );
  });
});

describe('signerName', () => {
  const LABEL =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
  const SUBDOMAIN =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  const FORM = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
  const long = (length: number): string => 'a'.repeat(length);
  const domain = [long(63), long(63), long(63), long(61)].join('.');

  it.each([
    ['none', undefined, 'Required value'],
    ['an empty name', '', 'Required value'],
    ['without a path', 'example.com', `Invalid value: "example.com": ${FORM}`],
    ['with two slashes', 'example.com/a/b', `Invalid value: "example.com/a/b": ${FORM}`],
    [
      'with a bare word for a domain',
      'example/a',
      'Invalid value: "example": should be a domain with at least two segments separated by dots',
    ],
    [
      'with a capital letter in the domain',
      'Example.com/a',
      `Invalid value: "Example.com": validating label "Example": ${LABEL}`,
    ],
    [
      'with an empty domain',
      '/a',
      `Invalid value: "": validating label "": ${LABEL}; spec.signerName: Invalid value: "": should be a domain with at least two segments separated by dots`,
    ],
    ['with an empty path', 'example.com/', `Invalid value: "": validating label "": ${SUBDOMAIN}`],
    ['with an underscore in the path', 'example.com/a_b', `Invalid value: "a_b": validating label "a_b": ${SUBDOMAIN}`],
    ['with a dot at the end of the path', 'example.com/a.', `Invalid value: "a.": validating label "": ${SUBDOMAIN}`],
    [
      'with a label that is too long',
      `${long(64)}.com/a`,
      `Invalid value: "${long(64)}.com": validating label "${long(64)}": must be no more than 63 characters`,
    ],
    ['with a domain that is too long', `${domain}.abc/a`, 'Too long: must have at most 253 bytes'],
    [
      'with a path segment that is too long',
      `example.com/${long(254)}`,
      `Invalid value: "${long(254)}": validating label "${long(254)}": must be no more than 253 characters`,
    ],
    ['that is too long', `${domain}/${long(253)}.${long(64)}a`, 'Too long: must have at most 571 bytes'],
    [
      'a legacy name',
      'orch.io/legacy-unknown',
      'Invalid value: "orch.io/legacy-unknown": the legacy signerName is not allowed via this API version',
    ],
  ])('%s is rejected', async (_case, signerName, why) => {
    expect(await post({ signerName })).toBe(`422 spec.signerName: ${why}`);
  });

  it.each([
    'example.com/a',
    'a.b/c.d',
    `${domain}/${long(63)}.${long(253)}`,
    'orch.io/orchlet-serving',
    'orch.io/anything',
    'xn--bcher-kva.example/1',
  ])('%s is accepted', async (signerName) => {
    expect(await post({ signerName })).toBe('201');
  });
});

test('expirationSeconds is at least 600', async () => {
  const short = (value: number): string =>
    `422 spec.expirationSeconds: Invalid value: ${value}: may not specify a duration less than 600 seconds (10 minutes)`;
  for (const value of [599, 0, -1, -2147483648]) expect(await post({ expirationSeconds: value })).toBe(short(value));
  for (const value of [600, 2147483647, undefined]) expect(await post({ expirationSeconds: value })).toBe('201');
});

describe('request', () => {
  const asked = goodSpec.request;
  const pem = atob(asked);
  const refusal = async (text: string): Promise<string> =>
    (await post({ request: base64(text) })).replace(/\[\]byte\{[^}]*\}/, 'BYTES');

  it.each(['RSA-2048', 'ECDSA-P256', 'ECDSA-P384', 'ECDSA-P521', 'Ed25519'] as const)(
    'for a key %s is accepted',
    async (kind) => {
      expect(await post({ request: base64(await requestPem({ keyPair: await keyPairOf(kind) })) })).toBe('201');
    },
  );

  it('is required', async () => {
    for (const request of [undefined, '', null])
      expect(await post({ request })).toBe(
        '422 spec.request: Invalid value: []byte(nil): PEM block type must be CERTIFICATE REQUEST',
      );
  });

  it('is shown as bytes in an error', async () => {
    expect(await post({ request: base64('no\n\xff') })).toBe(
      '422 spec.request: Invalid value: []byte{0x6e, 0x6f, 0xa, 0xff}: PEM block type must be CERTIFICATE REQUEST',
    );
  });

  it('is base64', async () => {
    expect(await post({ request: 'no base64!' })).toMatch(/^400 .*illegal base64 data at input byte 2/);
  });

  it.each([
    ['is PEM', 'no pem'],
    ['is a certificate', pem.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE')],
    ['has the newer PEM label', pem.replaceAll('CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST')],
    ['is a complete PEM block', pem.slice(0, -10)],
  ])('%s', async (_case, text) => {
    expect(await refusal(text)).toBe(
      '422 spec.request: Invalid value: BYTES: PEM block type must be CERTIFICATE REQUEST',
    );
  });

  it('has a valid signature', async () => {
    const der = Uint8Array.from(parsePem(pem).blocks[0]?.bytes ?? []);
    der[der.length - 1] = (der.at(-1) ?? 0) ^ 1;
    expect(await refusal(encodePem('CERTIFICATE REQUEST', der))).toBe(
      '422 spec.request: Invalid value: BYTES: x509: ECDSA verification failure',
    );
  });

  it('is signed with its own key', async () => {
    const { publicKey } = await keyPairOf('ECDSA-P384');
    const { privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-384' }, true, [
      'sign',
      'verify',
    ]);
    expect(await refusal(await requestPem({ keyPair: { publicKey, privateKey } }))).toBe(
      '422 spec.request: Invalid value: BYTES: x509: ECDSA verification failure',
    );
  });

  it('may have text around it, and further blocks after it', async () => {
    expect(
      await post({
        request: base64(`For Alice.\n${pem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`),
      }),
    ).toBe('201');
  });

  it('with other blocks before it is rejected', async () => {
    expect(await refusal(`-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${pem}`)).toBe(
      '422 spec.request: Invalid value: BYTES: PEM block type must be CERTIFICATE REQUEST',
    );
  });

  it('that is large is shown in part', async () => {
    const { text } = await running.post('large', { request: base64('x'.repeat(100_000)) });
    expect(text).toMatch(/, 0x78, …}: PEM block type must be CERTIFICATE REQUEST$/);
    expect(text.length).toBeLessThan(60_000);
  });

  it.each(['rsa:2048', 'ec -pkeyopt ec_paramgen_curve:prime256v1', 'ed25519', 'rsa:2048 -sha1', 'rsa:2048 -sha512'])(
    'from openssl for a key %s is accepted',
    async (key) => {
      const made = openssl(
        `req -new -newkey ${key} -nodes -keyout /dev/null -subj /O=dev/CN=alice -addext subjectAltName=DNS:shop.example.com,IP:10.0.0.1`,
      );
      expect(await post({ request: base64(made) })).toBe('201');
    },
  );

  it('with an MD5 signature is rejected', async () => {
    const made = openssl('req -new -newkey rsa:2048 -md5 -nodes -keyout /dev/null -subj /CN=alice');
    expect(await refusal(made)).toBe(
      '422 spec.request: Invalid value: BYTES: x509: cannot verify signature: insecure algorithm MD5-RSA',
    );
  });
});

test('all errors are reported, in order', async () => {
  expect(await post({ request: undefined, usages: ['x', 'x'], signerName: 'x', expirationSeconds: 1 })).toMatch(
    /^422 spec.request: .*; spec.usages\[0\]: .*; spec.usages\[1\]: Unsupported.*; spec.usages\[1\]: Duplicate.*; spec.signerName: .*; spec.expirationSeconds: /,
  );
});

test('errors in metadata precede those in the spec', async () => {
  const { text } = await running.send('POST', '/apis/certificates.orch.io/v1/certificatesigningrequests', {
    metadata: { name: 'a', labels: { 'a b': 'c' } },
    spec: {},
  });
  expect(text).toMatch(
    /^422 metadata.labels: .*; spec.request: .*; spec.usages: Required value; spec.signerName: Required value$/,
  );
});

test('any name that fits into a path is valid', async () => {
  for (const name of ['System:node:A_1', 'csr-x7b2z', 'a b']) expect((await running.post(name)).text).toBe('201');
  expect((await running.post('a/b')).text).toBe(`422 metadata.name: Invalid value: "a/b": may not contain '/'`);
});
