/**
 * Second opinions on written and parsed data: `@peculiar/x509`, which creates our certificates, reads them as they were
 * meant; our own parser reads what it creates by itself; and `pkijs` with `asn1js`, another implementation, produces the
 * same bytes from the same facts.
 */
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import * as asn1js from 'asn1js';
import fc from 'fast-check';
import * as pkijs from 'pkijs';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  CertificateAuthority,
  CertificatePool,
  checkRequestSignature,
  createCertificateRequest,
  encodePem,
  encodePublicKey,
  ExtendedKeyUsage,
  ExtensionType,
  generateKeyPair,
  keyUsages,
  parseCertificate,
  parseCertificateRequest,
  parsePrivateKey,
  verifyCertificate,
  type CertificateTemplate,
  type KeyKind,
  type KeyUsage,
  type SubjectNames,
} from '../../../src/security/pki/index.js';

const NOT_BEFORE = Date.UTC(2025, 0, 1);
const NOT_AFTER = Date.UTC(2045, 0, 1);
const NOW = Date.UTC(2026, 0, 1);
const validity = { notBefore: NOT_BEFORE, notAfter: NOT_AFTER };
const kinds: readonly KeyKind[] = ['ECDSA-P256', 'ECDSA-P384', 'ECDSA-P521', 'RSA-2048', 'Ed25519'];

const subject: SubjectNames = {
  countries: ['DE'],
  organizations: ['system:nodes', 'Müller & Söhne'],
  organizationalUnits: ['unit'],
  commonName: 'system:node:one',
};
const alternativeNames = {
  dnsNames: ['one.example.com', '*.example.com'],
  emailAddresses: ['one@example.com'],
  ipAddresses: ['10.0.0.1', '2001:db8::1'],
  uris: ['spiffe://example.com/one'],
};

let authority: CertificateAuthority;
let leafKey: Uint8Array;
beforeAll(async () => {
  x509.cryptoProvider.set(crypto);
  authority = await CertificateAuthority.create({ commonName: 'authority', ...validity });
  leafKey = await encodePublicKey((await generateKeyPair()).publicKey);
});

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
const read = (der: Uint8Array): x509.X509Certificate => new x509.X509Certificate(bufferOf(der));

/** The bit of each usage in `@peculiar/x509`. */
const flags: Readonly<Record<KeyUsage, number>> = {
  digitalSignature: x509.KeyUsageFlags.digitalSignature,
  contentCommitment: x509.KeyUsageFlags.nonRepudiation,
  keyEncipherment: x509.KeyUsageFlags.keyEncipherment,
  dataEncipherment: x509.KeyUsageFlags.dataEncipherment,
  keyAgreement: x509.KeyUsageFlags.keyAgreement,
  keyCertSign: x509.KeyUsageFlags.keyCertSign,
  cRLSign: x509.KeyUsageFlags.cRLSign,
  encipherOnly: x509.KeyUsageFlags.encipherOnly,
  decipherOnly: x509.KeyUsageFlags.decipherOnly,
};

describe('@peculiar/x509 parses our output', () => {
  test.each(kinds)('an authority with a key of %s, and its signature', async (keyKind) => {
    const made = await CertificateAuthority.create({ commonName: 'authority', keyKind, maxPathLength: 1, ...validity });
    const found = new x509.X509Certificate(made.certificatePem);
    expect(found.subject).toBe('CN=authority');
    expect(found.issuer).toBe('CN=authority');
    expect([found.notBefore.getTime(), found.notAfter.getTime()]).toEqual([NOT_BEFORE, NOT_AFTER]);
    expect(hex(new Uint8Array(found.rawData))).toBe(hex(made.certificate.raw));
    const constraints = found.getExtension(x509.BasicConstraintsExtension);
    expect(constraints).toMatchObject({ ca: true, pathLength: 1, critical: true });
    expect(found.getExtension(x509.KeyUsagesExtension)).toMatchObject({
      usages: flags.keyCertSign | flags.cRLSign,
      critical: true,
    });
    expect(await found.isSelfSigned()).toBe(true);
    expect(await found.verify({ date: new Date(NOW) })).toBe(true);
  });

  test('names, addresses, usages, identifiers and the serial number of a certificate', async () => {
    const serialNumber = Uint8Array.of(0x80, 1, 2, 3);
    const der = await authority.issue({
      subject,
      publicKey: leafKey,
      serialNumber,
      ...validity,
      keyUsages: ['digitalSignature', 'keyEncipherment'],
      extendedKeyUsages: ['serverAuth', 'clientAuth'],
      alternativeNames,
    });
    const found = read(der);
    expect(found.serialNumber).toBe('80010203');
    expect(found.subjectName.getField('CN')).toEqual(['system:node:one']);
    expect(found.subjectName.getField('O').sort()).toEqual(['Müller & Söhne', 'system:nodes']);
    expect(found.subjectName.getField('OU')).toEqual(['unit']);
    expect(found.subjectName.getField('C')).toEqual(['DE']);
    const names = found.getExtension(x509.SubjectAlternativeNameExtension);
    expect(names?.critical).toBe(false);
    expect(names?.names.items.map(({ type, value }) => [type, value])).toEqual([
      ['dns', 'one.example.com'],
      ['dns', '*.example.com'],
      ['email', 'one@example.com'],
      ['ip', '10.0.0.1'],
      ['ip', '2001:db8::1'],
      ['url', 'spiffe://example.com/one'],
    ]);
    expect(found.getExtension(x509.BasicConstraintsExtension)).toMatchObject({ ca: false, critical: true });
    expect(found.getExtension(x509.ExtendedKeyUsageExtension)).toMatchObject({
      usages: [ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth],
      critical: false,
    });
    const publicKey = new x509.PublicKey(bufferOf(leafKey));
    expect(found.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId).toBe(
      hex(new Uint8Array(await publicKey.getKeyIdentifier())),
    );
    expect(found.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId).toBe(
      hex(authority.certificate.subjectKeyIdentifier ?? new Uint8Array()),
    );
    const issuer = new x509.X509Certificate(authority.certificatePem);
    expect(await found.verify({ publicKey: issuer, date: new Date(NOW) })).toBe(true);
    const [last = 0] = der.slice(-1);
    const forged = Uint8Array.from([...der.slice(0, -1), last ^ 1]);
    expect(await read(forged).verify({ publicKey: issuer, date: new Date(NOW) })).toBe(false);
  });

  test('any set of key usages', async () => {
    const usages = fc.uniqueArray(fc.constantFrom(...keyUsages), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(usages, async (chosen) => {
        const found = read(
          await authority.issue({ subject: { commonName: 'a' }, publicKey: leafKey, ...validity, keyUsages: chosen }),
        );
        const wanted = chosen.reduce((bits, usage) => bits | flags[usage], 0);
        expect(found.getExtension(x509.KeyUsagesExtension)?.usages).toBe(wanted);
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ['UTCTime', Date.UTC(1950, 0, 1), Date.UTC(2049, 11, 31, 23, 59, 59)],
    ['GeneralizedTime after 2049', Date.UTC(2050, 0, 1), Date.UTC(9999, 11, 31, 23, 59, 59)],
    ['GeneralizedTime before 1950', Date.UTC(1949, 11, 31, 23, 59, 59), Date.UTC(2050, 0, 1)],
  ])('validity in %s', async (_form, notBefore, notAfter) => {
    const found = read(
      await authority.issue({ subject: { commonName: 'a' }, publicKey: leafKey, notBefore, notAfter }),
    );
    expect([found.notBefore.getTime(), found.notAfter.getTime()]).toEqual([notBefore, notAfter]);
  });

  test('a chain', async () => {
    const middleKeys = await generateKeyPair();
    const middle = await authority.issue({
      subject: { commonName: 'middle' },
      publicKey: await encodePublicKey(middleKeys.publicKey),
      ...validity,
      keyUsages: ['keyCertSign'],
      isCertificateAuthority: true,
    });
    const pem = (await crypto.subtle.exportKey('pkcs8', middleKeys.privateKey)) satisfies ArrayBuffer;
    const below = await CertificateAuthority.open(
      encodePem('CERTIFICATE', middle),
      encodePem('PRIVATE KEY', new Uint8Array(pem)),
    );
    const leaf = await below.issue({
      subject,
      publicKey: leafKey,
      ...validity,
      extendedKeyUsages: ['clientAuth'],
      alternativeNames,
    });
    const certificates = [read(middle), new x509.X509Certificate(authority.certificatePem)];
    const chain = await new x509.X509ChainBuilder({ certificates }).build(read(leaf));
    expect(chain.map((certificate) => certificate.subjectName.getField('CN')[0])).toEqual([
      'system:node:one',
      'middle',
      'authority',
    ]);
    const verified = await verifyCertificate(parseCertificate(leaf), {
      authorities: new CertificatePool([authority.certificate]),
      intermediates: [parseCertificate(middle)],
      now: NOW,
    });
    expect(verified.error).toBeUndefined();
  });

  test.each(kinds)('a request with a key of %s, and its signature', async (kind) => {
    const keyPair = await generateKeyPair(kind);
    const der = await createCertificateRequest({ subject, alternativeNames, keyPair });
    const found = new x509.Pkcs10CertificateRequest(bufferOf(der));
    expect(found.subjectName.getField('CN')).toEqual(['system:node:one']);
    const names = found.extensions.find((extension) => extension instanceof x509.SubjectAlternativeNameExtension);
    expect(names?.names.items.map(({ value }) => value)).toEqual([
      'one.example.com',
      '*.example.com',
      'one@example.com',
      '10.0.0.1',
      '2001:db8::1',
      'spiffe://example.com/one',
    ]);
    expect(await found.verify()).toBe(true);
  });
});

describe('the output of @peculiar/x509 is parsed', () => {
  const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

  test('a chain of an authority and a client', async () => {
    const [rootKeys, keys] = await Promise.all([generateKeyPair(), generateKeyPair()]);
    const root = await x509.X509CertificateGenerator.createSelfSigned({
      serialNumber: '01',
      name: 'CN=root, O=Example',
      notBefore: new Date(NOT_BEFORE),
      notAfter: new Date(NOT_AFTER),
      signingAlgorithm: ecdsa,
      keys: rootKeys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
        await x509.SubjectKeyIdentifierExtension.create(rootKeys.publicKey),
      ],
    });
    const leaf = await x509.X509CertificateGenerator.create({
      serialNumber: '7f01',
      subject: 'CN=client, O=system:masters',
      issuer: root.subject,
      notBefore: new Date(NOT_BEFORE),
      notAfter: new Date(NOT_AFTER),
      signingAlgorithm: ecdsa,
      publicKey: keys.publicKey,
      signingKey: rootKeys.privateKey,
      extensions: [
        new x509.ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
        new x509.SubjectAlternativeNameExtension([
          { type: 'dns', value: 'client.example.com' },
          { type: 'ip', value: '10.0.0.2' },
        ]),
        await x509.AuthorityKeyIdentifierExtension.create(rootKeys.publicKey),
      ],
    });
    const [ours, ofRoot] = [leaf, root].map((certificate) => parseCertificate(new Uint8Array(certificate.rawData)));
    if (ours === undefined || ofRoot === undefined) throw new Error('nothing was read');
    expect(ours.subject.commonName).toBe('client');
    expect(ours.subject.organizations).toEqual(['system:masters']);
    expect(ours.alternativeNames?.dnsNames).toEqual(['client.example.com']);
    expect(ours.alternativeNames?.ipAddresses).toEqual([Uint8Array.of(10, 0, 0, 2)]);
    expect(ours.extendedKeyUsages).toEqual([ExtendedKeyUsage.clientAuth]);
    expect(ofRoot.basicConstraints).toMatchObject({ isAuthority: true, pathLength: 0 });
    expect([...(ofRoot.keyUsages ?? [])]).toEqual(['keyCertSign']);
    const { error } = await verifyCertificate(ours, { authorities: new CertificatePool([ofRoot]), now: NOW });
    expect(error).toBeUndefined();
  });

  test('a request', async () => {
    const keys = await generateKeyPair();
    const request = await x509.Pkcs10CertificateRequestGenerator.create({
      name: 'CN=client, O=team',
      keys,
      signingAlgorithm: ecdsa,
      extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'client.example.com' }])],
    });
    const ours = parseCertificateRequest(new Uint8Array(request.rawData));
    expect(ours.subject.commonName).toBe('client');
    expect(ours.dnsNames).toEqual(['client.example.com']);
    expect(await checkRequestSignature(ours)).toBeUndefined();
  });

  test('a private key', async () => {
    const { privateKey } = await generateKeyPair();
    const pem = x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY');
    expect((await parsePrivateKey(pem)).algorithm).toEqual(privateKey.algorithm);
  });
});

describe('pkijs and asn1js produce the same bytes', () => {
  /** The signed part of a certificate. */
  function builtByPkijs(template: CertificateTemplate & { readonly serialNumber: Uint8Array }): Uint8Array {
    const certificate = new pkijs.Certificate();
    certificate.version = 2;
    certificate.serialNumber = new asn1js.Integer({ valueHex: bufferOf(template.serialNumber) });
    certificate.signature = new pkijs.AlgorithmIdentifier({ algorithmId: '1.2.840.10045.4.3.2' });
    certificate.issuer.valueBeforeDecode = nameOf([['2.5.4.3', 'authority']]);
    certificate.notBefore = new pkijs.Time({ type: pkijs.TimeType.UTCTime, value: new Date(template.notBefore) });
    certificate.notAfter = new pkijs.Time({ type: pkijs.TimeType.UTCTime, value: new Date(template.notAfter) });
    certificate.subject.valueBeforeDecode = nameOf([
      ['2.5.4.10', 'system:nodes'],
      ['2.5.4.3', 'system:node:one'],
    ]);
    const { result } = asn1js.fromBER(bufferOf(template.publicKey));
    certificate.subjectPublicKeyInfo = new pkijs.PublicKeyInfo({ schema: result });
    certificate.extensions = extensions();
    return new Uint8Array(certificate.encodeTBS().toBER());
  }

  /** One set for each attribute, as Kubernetes writes names. pkijs itself would put all attributes into one. */
  function nameOf(attributes: readonly (readonly [type: string, value: string])[]): ArrayBuffer {
    const sets = attributes.map(([type, value]) => {
      const attribute = new pkijs.AttributeTypeAndValue({ type, value: new asn1js.PrintableString({ value }) });
      return new asn1js.Set({ value: [attribute.toSchema()] });
    });
    return new asn1js.Sequence({ value: sets }).toBER();
  }

  function extensions(): pkijs.Extension[] {
    const extension = (extnID: string, critical: boolean, value: asn1js.BaseBlock): pkijs.Extension =>
      new pkijs.Extension({ extnID, critical, extnValue: value.toBER() });
    const names = [
      new pkijs.GeneralName({ type: 2, value: 'one.example.com' }),
      new pkijs.GeneralName({ type: 1, value: 'one@example.com' }),
      new pkijs.GeneralName({
        type: 7,
        value: new asn1js.OctetString({ valueHex: Uint8Array.of(10, 0, 0, 1).buffer }),
      }),
    ];
    const keyIdentifier = (bytes: Uint8Array | undefined): asn1js.OctetString =>
      new asn1js.OctetString({ valueHex: bufferOf(bytes ?? new Uint8Array()) });
    return [
      extension(
        ExtensionType.keyUsage,
        true,
        new asn1js.BitString({ valueHex: Uint8Array.of(0xa0).buffer, unusedBits: 5 }),
      ),
      extension(
        ExtensionType.extendedKeyUsage,
        false,
        new pkijs.ExtKeyUsage({ keyPurposes: [ExtendedKeyUsage.serverAuth] }).toSchema(),
      ),
      extension(ExtensionType.basicConstraints, true, new pkijs.BasicConstraints({ cA: false }).toSchema()),
      extension(ExtensionType.subjectKeyIdentifier, false, keyIdentifier(subjectKeyIdentifier)),
      extension(
        ExtensionType.authorityKeyIdentifier,
        false,
        new pkijs.AuthorityKeyIdentifier({
          keyIdentifier: keyIdentifier(authority.certificate.subjectKeyIdentifier),
        }).toSchema(),
      ),
      extension(ExtensionType.subjectAlternativeName, false, new pkijs.GeneralNames({ names }).toSchema()),
    ];
  }

  let subjectKeyIdentifier: Uint8Array | undefined;

  test('for a certificate', async () => {
    const template = {
      subject: { commonName: 'system:node:one', organizations: ['system:nodes'] },
      publicKey: leafKey,
      serialNumber: Uint8Array.from({ length: 16 }, (_, index) => 0x41 + index),
      ...validity,
      keyUsages: ['digitalSignature', 'keyEncipherment'],
      extendedKeyUsages: ['serverAuth'],
      alternativeNames: {
        dnsNames: ['one.example.com'],
        emailAddresses: ['one@example.com'],
        ipAddresses: ['10.0.0.1'],
      },
    } as const satisfies CertificateTemplate;
    const ours = parseCertificate(await authority.issue(template));
    subjectKeyIdentifier = ours.subjectKeyIdentifier;
    expect(hex(builtByPkijs(template))).toBe(hex(ours.signed));
  });

  test('from data that it parses from ours and encodes again', async () => {
    const der = await authority.issue({
      subject,
      publicKey: leafKey,
      ...validity,
      keyUsages: ['digitalSignature'],
      extendedKeyUsages: ['clientAuth'],
      alternativeNames,
    });
    const read = pkijs.Certificate.fromBER(bufferOf(der));
    expect(hex(new Uint8Array(read.toSchema(true).toBER()))).toBe(hex(der));
    const request = await createCertificateRequest({ subject, alternativeNames, keyPair: await generateKeyPair() });
    const readRequest = pkijs.CertificationRequest.fromBER(bufferOf(request));
    expect(hex(new Uint8Array(readRequest.toSchema(true).toBER()))).toBe(hex(request));
    expect(await readRequest.verify()).toBe(true);
  });
});
