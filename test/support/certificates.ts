import {
  CertificateAuthority,
  createCertificateRequest,
  encodePem,
  encodePublicKey,
  generateKeyPair,
  type CertificateRequestOptions,
  type KeyKind,
} from '../../src/security/pki/index.js';

const START = Date.parse('2024-01-01T00:00:00Z');
const YEAR_MS = 365 * 24 * 3600_000;

const keyPairs = new Map<KeyKind, Promise<CryptoKeyPair>>();

/** One key pair of each type: generating some of them takes long. */
export function keyPairOf(kind: KeyKind = 'ECDSA-P256'): Promise<CryptoKeyPair> {
  const made = keyPairs.get(kind) ?? generateKeyPair(kind);
  keyPairs.set(kind, made);
  return made;
}

/** A certificate request as PEM; by default for `alice` in the group `dev`. */
export async function requestPem(fields: Partial<CertificateRequestOptions> = {}): Promise<string> {
  return encodePem(
    'CERTIFICATE REQUEST',
    await createCertificateRequest({
      subject: { commonName: 'alice', organizations: ['dev'] },
      keyPair: await keyPairOf(),
      ...fields,
    }),
  );
}

/** A self-signed authority. */
export function authority(commonName = 'root'): Promise<CertificateAuthority> {
  return CertificateAuthority.create({ commonName, notBefore: START, notAfter: START + 10 * YEAR_MS });
}

/** A certificate for `alice` as PEM. */
export async function certificatePem(issuer?: CertificateAuthority, durationMs = YEAR_MS): Promise<string> {
  const from = issuer ?? (await authority());
  const { publicKey } = await keyPairOf();
  return encodePem(
    'CERTIFICATE',
    await from.issue({
      subject: { commonName: 'alice' },
      publicKey: await encodePublicKey(publicKey),
      notBefore: START,
      notAfter: START + durationMs,
    }),
  );
}

/** Bytes in the JSON form of the API. */
export const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
