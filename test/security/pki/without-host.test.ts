/** Certificates on a platform with no cryptography but WebCrypto. */
import { expect, test } from 'vitest';
import {
  CertificateAuthority,
  CertificatePool,
  checkSignature,
  createCertificateRequest,
  generateKeyPair,
  parseCertificate,
  parseCertificateRequest,
  verifyCertificate,
} from '../../../src/security/pki/index.js';
import { hideHostCrypto } from '../../support/hidden-host-crypto.js';
import { opensslInDirectory } from './support/openssl.js';
import { encodePem } from '../../../src/foundation/der/pem.js';

const hide = hideHostCrypto();

const openssl = opensslInDirectory();
const NOW = Date.UTC(2030, 0, 1);

/** A certificate for a new key, with all signatures on the way to it. */
async function issue() {
  const keyPair = await generateKeyPair();
  const authority = await CertificateAuthority.create({
    commonName: 'root',
    notBefore: NOW - 1000,
    notAfter: NOW + 1000_000,
  });
  const request = parseCertificateRequest(
    await createCertificateRequest({ subject: { commonName: 'alice' }, keyPair }),
  );
  const certificate = parseCertificate(
    await authority.issue({
      subject: request.subject,
      publicKey: request.publicKey.raw,
      notBefore: NOW,
      notAfter: NOW + 1000,
      extendedKeyUsages: ['clientAuth'],
    }),
  );
  return { authority, request, certificate };
}

test.each([
  [false, true],
  [true, false],
])('data made with the host %s is valid with it %s, and for openssl', async (making, checking) => {
  hide(!making);
  const { authority, request, certificate } = await issue();
  const other = await issue();
  hide(!checking);
  expect(await checkSignature(request, request.publicKey)).toBeUndefined();
  expect((await checkSignature(request, other.request.publicKey))?.message).toBe('x509: ECDSA verification failure');
  expect((await checkSignature({ ...request, signed: other.request.signed }, request.publicKey))?.message).toBe(
    'x509: ECDSA verification failure',
  );
  const verified = await verifyCertificate(certificate, {
    authorities: new CertificatePool([authority.certificate]),
    intermediates: [],
    now: NOW,
  });
  expect(verified.error).toBeUndefined();
  const [leaf, root] = [
    openssl.file('leaf.pem', encodePem('CERTIFICATE', certificate.raw)),
    openssl.file('root.pem', authority.certificatePem),
  ];
  expect(openssl.run(['verify', '-x509_strict', '-attime', String(NOW / 1000), '-CAfile', root, leaf])).toMatch(
    /: OK\n$/,
  );
});

test.each([false, true])(
  'a point that is not on the curve is an invalid signature, with the host %s',
  async (present) => {
    hide(!present);
    const { request } = await issue();
    const raw = Uint8Array.from(request.publicKey.raw);
    raw[raw.length - 1] = (raw[raw.length - 1] ?? 0) ^ 1;
    expect((await checkSignature(request, { ...request.publicKey, raw }))?.message).toBe(
      'x509: ECDSA verification failure',
    );
  },
);
