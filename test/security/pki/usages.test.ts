import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CertificateAuthority,
  encodePublicKey,
  generateKeyPair,
  keyUsages,
  parseCertificate,
  requestUsages,
  usageNamesOf,
  usagesOf,
} from '../../../src/security/pki/index.js';
import { NOW } from './support/issue.js';

describe('usagesOf', () => {
  test('returns key usages in the order of the bits, purposes in that of Kubernetes, each once', () => {
    expect(
      usagesOf([
        'client auth',
        's/mime',
        'key encipherment',
        'signing',
        'email protection',
        'digital signature',
        'server auth',
        'any',
      ]),
    ).toEqual({
      keyUsages: ['digitalSignature', 'keyEncipherment'],
      extendedKeyUsages: ['2.5.29.37.0', '1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2', '1.3.6.1.5.5.7.3.4'],
    });
    expect(usagesOf([])).toEqual({ keyUsages: [], extendedKeyUsages: [] });
  });

  test('reports unknown values', () => {
    expect(() => usagesOf(['client auth', 'world domination', 'digitalSignature', '"'])).toThrow(
      new Error('unrecognized usage values: ["world domination" "digitalSignature" "\\""]'),
    );
    expect(() => usagesOf(['constructor'])).toThrow(new Error('unrecognized usage values: ["constructor"]'));
  });

  test('knows the usages of the contract, and no others', () => {
    expect(requestUsages.toSorted()).toEqual([
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
    ]);
    expect(usagesOf(requestUsages)).toEqual({
      keyUsages,
      extendedKeyUsages: [
        '2.5.29.37.0',
        ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `1.3.6.1.5.5.7.3.${number}`),
        '1.3.6.1.4.1.311.10.3.3',
        '2.16.840.1.113730.4.1',
      ],
    });
  });
});

describe('usageNamesOf', () => {
  test('returns one of two aliases, and omits usages that requests cannot name', () => {
    const usages = {
      keyUsages: new Set(['cRLSign', 'digitalSignature'] as const),
      extendedKeyUsages: ['1.2.3', '1.3.6.1.5.5.7.3.4', '1.3.6.1.5.5.7.3.1'],
    };
    expect(usageNamesOf(usages)).toEqual(['digital signature', 'crl sign', 'server auth', 'email protection']);
    expect(usageNamesOf({ extendedKeyUsages: [] })).toEqual([]);
  });

  test('returns the names of given usages, through a certificate and back', async () => {
    const authority = await CertificateAuthority.create({ commonName: 'root', notBefore: NOW, notAfter: NOW + 1000 });
    const publicKey = await encodePublicKey((await generateKeyPair()).publicKey);
    await fc.assert(
      fc.asyncProperty(fc.subarray([...requestUsages]), async (names) => {
        const usages = usagesOf(names);
        const certificate = parseCertificate(
          await authority.issue({ subject: {}, publicKey, notBefore: NOW, notAfter: NOW, ...usages }),
        );
        expect(certificate.keyUsages ?? new Set()).toEqual(new Set(usages.keyUsages));
        expect(certificate.extendedKeyUsages).toEqual(usages.extendedKeyUsages);
        expect(usagesOf(usageNamesOf(certificate))).toEqual(usages);
      }),
      { numRuns: 50 },
    );
  });
});
