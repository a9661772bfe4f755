import { expectProportional } from '../../support/units.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkTrustBundle,
  encodePem,
  mergeTrustBundles,
  parseCertificate,
  parsePem,
} from '../../../src/security/pki/index.js';
import { authority, basicConstraints, issue, newKey, signings } from './support/issue.js';
import { opensslInDirectory, P256_KEY } from './support/openssl.js';

const openssl = opensslInDirectory();
const one = authority('one');
const two = authority('two');
const rsa = authority('rsa', { key: newKey('RSA'), signing: signings.rsaSha256 });
const CA_BIT = 'entry 0 does not have the CA bit set';
const UNREADABLE = 'entry 0 does not parse as X.509';
const NONE = 'at least one trust anchor must be provided';
const withHeader = (pem: string): string => pem.replace('-----\n', '-----\nComment: mine\n\n');

/** The same certificate with an indefinite length, as BER allows. */
function indefinite(der: Uint8Array): Uint8Array {
  const header = (der[1] ?? 0) < 0x80 ? 2 : 2 + ((der[1] ?? 0) & 0x7f);
  return Uint8Array.of(0x30, 0x80, ...der.subarray(header), 0, 0);
}

describe('checkTrustBundle', () => {
  test.each<[string, string]>([
    ['one authority', one.pem],
    ['several', one.pem + two.pem + rsa.pem],
    ['text around and between', `# first\n${one.pem}# second\n\n${two.pem}\n# end`],
    ['carriage returns', (one.pem + two.pem).replaceAll('\n', '\r\n')],
    ['spaces and tabs at the ends of lines', one.pem.replaceAll('\n', ' \t\n')],
    ['no line break at the end', one.pem.trimEnd()],
    ['a truncated block, which is ignored', `${one.pem}-----BEGIN CERTIFICATE-----\nMII`],
    ['a block with truncated base64, which is ignored', one.pem + two.pem.replace(/.\n-----END/, '\n-----END')],
    ['a path length', authority('short', { extensions: [basicConstraints(true, 0)] }).pem],
    [
      'one from openssl',
      openssl.run(['req', '-x509', '-newkey', ...P256_KEY, '-nodes', '-keyout', '/dev/null', '-subj', '/CN=root']),
    ],
  ])('accepts %s', (_name, pem) => {
    expect(checkTrustBundle(pem)).toEqual([]);
  });

  test.each<[string, string, readonly string[]]>([
    ['nothing', '', [NONE]],
    ['text', 'no block', [NONE]],
    ['truncated base64 only', one.pem.replace(/.\n-----END/, '\n-----END'), [NONE]],
    [
      'a certificate without CA rights',
      issue({ subject: 'leaf', extensions: [basicConstraints(false)] }).pem,
      [CA_BIT],
    ],
    ['one without basic constraints', issue({ subject: 'leaf' }).pem, [CA_BIT]],
    ['one of version 1', issue({ subject: 'old', version: undefined }).pem, [CA_BIT]],
    ['headers', withHeader(one.pem), ['entry 0 has PEM block headers']],
    [
      'another label',
      one.pem + one.pem.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE'),
      ['entry 1 has bad block type: TRUSTED CERTIFICATE'],
    ],
    ['a private key', one.keyPem, ['entry 0 has bad block type: PRIVATE KEY']],
    ['another label, with headers', withHeader(one.keyPem), ['entry 0 has bad block type: PRIVATE KEY']],
    ['a block that is not a certificate', encodePem('CERTIFICATE', Uint8Array.of(1, 2, 3)), [UNREADABLE]],
    ['an empty block', encodePem('CERTIFICATE', new Uint8Array(0)), [UNREADABLE]],
    ['BER', encodePem('CERTIFICATE', indefinite(one.der)), [UNREADABLE]],
    ['a certificate with a trailing byte', encodePem('CERTIFICATE', Uint8Array.of(...one.der, 0)), [UNREADABLE]],
    ['two certificates in one block', encodePem('CERTIFICATE', Uint8Array.of(...one.der, ...two.der)), [UNREADABLE]],
    ['a duplicate', one.pem + two.pem + one.pem, ['duplicate trust anchor (indices [0 2])']],
    [
      'several duplicates of two',
      two.pem + one.pem + one.pem + two.pem + one.pem,
      ['duplicate trust anchor (indices [0 3])', 'duplicate trust anchor (indices [1 2 4])'],
    ],
    [
      'every invalid block with its position, and nothing else',
      issue({ subject: 'a' }).pem + one.pem + withHeader(one.pem) + one.pem + issue({ subject: 'b' }).pem,
      [CA_BIT, 'entry 2 has PEM block headers', 'entry 4 does not have the CA bit set'],
    ],
  ])('rejects %s', (_name, pem, problems) => {
    expect(checkTrustBundle(pem)).toEqual(problems);
  });

  test('rejects BER that openssl reads and Kubernetes does not', () => {
    expect(openssl.run(['x509', '-noout', '-subject'], encodePem('CERTIFICATE', indefinite(one.der)))).toBe(
      'subject=CN = one\n',
    );
  });

  test('takes work proportional to the number of blocks', async () => {
    await expectProportional((count) => {
      const bundle = one.pem.repeat(count);
      return () => {
        const [problem = '', ...others] = checkTrustBundle(bundle);
        expect([
          problem.startsWith('duplicate trust anchor (indices [0 1 2 '),
          problem.endsWith(` ${count - 2} ${count - 1}])`),
          others,
        ]).toEqual([true, true, []]);
      };
    }, 5_000);
  });
});

describe('mergeTrustBundles', () => {
  const anchorsOf = (pem: string): string[] =>
    parsePem(pem).blocks.map(({ bytes }) => parseCertificate(bytes).subject.commonName);
  test('keeps each anchor once, without text and headers, in any input order', () => {
    const merged = mergeTrustBundles([
      `# text\n${one.pem}${two.pem}`,
      withHeader(two.pem).replaceAll('\n', '\r\n'),
      rsa.pem,
    ]);
    expect(merged).toBe(mergeTrustBundles([rsa.pem + two.pem, one.pem]));
    expect([anchorsOf(merged).toSorted(), parsePem(merged).junk, checkTrustBundle(merged)]).toEqual([
      ['one', 'rsa', 'two'],
      [],
      [],
    ]);
    expect(mergeTrustBundles([merged])).toBe(merged);
  });

  test('omits invalid certificates', () => {
    expect(mergeTrustBundles([one.keyPem, 'text', one.pem])).toBe(one.pem);
    expect(mergeTrustBundles([])).toBe('');
  });

  test('is the same for every order', () => {
    const all = [one.pem, two.pem, rsa.pem, one.pem + rsa.pem];
    const expected = mergeTrustBundles(all);
    fc.assert(
      fc.property(
        fc.shuffledSubarray(all, { minLength: 4 }),
        (bundles) => void expect(mergeTrustBundles(bundles)).toBe(expected),
      ),
    );
  });
});
