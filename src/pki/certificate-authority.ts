import { encodeUtf8 } from '../encoding/utf8.js';
import type { Entropy } from '../meta/clock.js';
import { systemEntropy } from '../meta/system-runtime.js';
import { encodeCertificate, type CertificateTemplate, type Issuer } from './certificate-template.js';
import { parseCertificate, type Certificate } from './certificate.js';
import { parseCertificateBundle } from './certificate-bundle.js';
import { DerTag } from '../encoding/der.js';
import { derReader } from './der.js';
import { encodePrivateKey, encodePublicKey, generateKeyPair, type KeyKind } from './key-pair.js';
import { encodePem } from '../encoding/pem.js';
import { parsePrivateKey } from './private-key.js';
import { parseAlgorithmIdentifier } from './public-key.js';
import { checkSignature } from './signature.js';
import { signatureAlgorithmOf } from './signature-algorithm.js';
import { signingWith } from './signing.js';

/** What a new authority is to be. */
export interface CertificateAuthorityOptions {
  readonly commonName: string;
  /** Default `ECDSA-P256`. */
  readonly keyKind?: KeyKind;
  /** Milliseconds since the epoch; cut to seconds. */
  readonly notBefore: number;
  /** Milliseconds since the epoch; cut to seconds. */
  readonly notAfter: number;
  /** How many authorities may stand between it and a certificate; default any number. */
  readonly maxPathLength?: number;
  /** Source of the serial numbers; keys always come from the platform. Default that of the host. */
  readonly entropy?: Entropy;
}

/** A certificate that signs others, and its key. The key is in a private field, so that no printing of the object shows it. */
export class CertificateAuthority {
  readonly certificate: Certificate;
  readonly certificatePem: string;
  readonly #key: CryptoKey;
  readonly #issuer: Issuer;
  readonly #entropy: Entropy;

  private constructor(certificate: Certificate, key: CryptoKey, entropy: Entropy) {
    this.certificate = certificate;
    this.certificatePem = encodePem('CERTIFICATE', certificate.raw);
    this.#key = key;
    this.#issuer = {
      name: certificate.subject.raw,
      keyIdentifier: certificate.subjectKeyIdentifier,
      signing: signingWith(key),
    };
    this.#entropy = entropy;
  }

  /** Makes an authority that has signed itself, with a fresh key. */
  static async create(options: CertificateAuthorityOptions): Promise<CertificateAuthority> {
    const { commonName, keyKind, notBefore, notAfter, maxPathLength, entropy = systemEntropy } = options;
    const { privateKey, publicKey } = await generateKeyPair(keyKind);
    const template: CertificateTemplate = {
      subject: { commonName },
      publicKey: await encodePublicKey(publicKey),
      notBefore,
      notAfter,
      keyUsages: ['keyCertSign', 'cRLSign'],
      isCertificateAuthority: true,
      maxPathLength,
    };
    const der = await encodeCertificate(template, { signing: signingWith(privateKey) }, entropy);
    return new CertificateAuthority(parseCertificate(der), privateKey, entropy);
  }

  /**
   * Takes up an authority that has been kept.
   *
   * @param certificatePem one certificate
   * @param keyPem its key, as {@link parsePrivateKey} reads it
   * @param entropy source of the serial numbers; default that of the host
   * @throws Error when there are several certificates, it is none of an authority, or the key is another's; nothing of the key is in the message
   * @throws X509Error when the certificate cannot be read
   */
  static async open(
    certificatePem: string,
    keyPem: string,
    entropy: Entropy = systemEntropy,
  ): Promise<CertificateAuthority> {
    const [certificate, ...others] = parseCertificateBundle(certificatePem);
    if (certificate === undefined || others.length > 0)
      throw new Error(`expected 1 certificate, found ${others.length + 1}`);
    if (!maySign(certificate)) throw new Error('the certificate is not one of an authority');
    const key = await parsePrivateKey(keyPem);
    if (!(await belongTogether(key, certificate)))
      throw new Error("the private key is not that of the authority's certificate");
    return new CertificateAuthority(certificate, key, entropy);
  }

  /** Its key, to be kept: PEM of PKCS #8. Secret. */
  privateKeyPem(): Promise<string> {
    return encodePrivateKey(this.#key);
  }

  /**
   * Issues a certificate. What it is to say is not questioned: that is for who calls.
   *
   * @returns DER
   * @throws X509Error for names, times, numbers or a key that cannot be written
   */
  issue(template: CertificateTemplate): Promise<Uint8Array> {
    return encodeCertificate(template, this.#issuer, this.#entropy);
  }
}

function maySign({ basicConstraints, keyUsages }: Certificate): boolean {
  return (
    basicConstraints?.isAuthority === true &&
    (keyUsages === undefined || keyUsages.size === 0 || keyUsages.has('keyCertSign'))
  );
}

/** Whether the private key is that of the certificate: what one signs the other takes. */
async function belongTogether(key: CryptoKey, { publicKey }: Certificate): Promise<boolean> {
  const { algorithm, sign } = signingWith(key);
  const signed = encodeUtf8('whose key is this?');
  const signatureAlgorithm = signatureAlgorithmOf(
    parseAlgorithmIdentifier(derReader(algorithm).enter(DerTag.sequence, '')),
  );
  return (await checkSignature({ signed, signatureAlgorithm, signature: await sign(signed) }, publicKey)) === undefined;
}
