import { encodePem, systemEntropy, type Entropy } from '../../foundation/index.js';
import { parseCertificateBundle } from './certificate-bundle.js';
import type { CertificateTemplate } from './certificate-template.js';
import { parseCertificate, type Certificate } from './certificate.js';
import type { Issuer } from './issuing/certificate.js';
import { encodePrivateKey, encodePublicKey, generateKeyPair, type KeyKind } from './keys/key-pair.js';
import { parsePrivateKey } from './keys/private-key.js';
import { isKeyPair, signingWith } from './keys/signing.js';

/** Options of a new authority. */
export interface CertificateAuthorityOptions {
  readonly commonName: string;
  /** Default `ECDSA-P256`. */
  readonly keyKind?: KeyKind | undefined;
  /** Milliseconds since the epoch; cut to seconds. */
  readonly notBefore: number;
  /** Milliseconds since the epoch; cut to seconds. */
  readonly notAfter: number;
  /** Maximum number of authorities between this one and a certificate. Default: unlimited. */
  readonly maxPathLength?: number | undefined;
  /** Source of serial numbers; keys always come from the platform. Default: the system's. */
  readonly entropy?: Entropy | undefined;
}

/** A CA certificate and its key. The key is in a private field, so printing the object does not reveal it. */
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

  /** Creates a self-signed authority with a new key. */
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
    const { encodeCertificate } = await import('./issuing/index.js');
    const der = await encodeCertificate(template, { signing: signingWith(privateKey) }, entropy);
    return new CertificateAuthority(parseCertificate(der), privateKey, entropy);
  }

  /**
   * Loads an existing authority.
   *
   * @param certificatePem one certificate
   * @param keyPem its private key, in a form that {@link parsePrivateKey} accepts
   * @param entropy source of serial numbers; default: the system's
   * @throws Error when there are several certificates, the certificate is not a CA, or the key does not match; the
   *   message never contains the key
   * @throws X509Error when the certificate is invalid
   */
  static async open(
    certificatePem: string,
    keyPem: string,
    entropy: Entropy = systemEntropy,
  ): Promise<CertificateAuthority> {
    const [certificate, ...others] = parseCertificateBundle(certificatePem);
    if (certificate === undefined || others.length > 0)
      throw new Error(`expected 1 certificate, found ${others.length + 1}`);
    if (!canSignCertificates(certificate)) throw new Error('the certificate is not a CA certificate');
    const key = await parsePrivateKey(keyPem);
    if (!(await isKeyPair(key, certificate.publicKey.raw)))
      throw new Error("the private key does not match the authority's certificate");
    return new CertificateAuthority(certificate, key, entropy);
  }

  /** Returns the private key as PKCS #8 PEM, for storage. Secret. */
  privateKeyPem(): Promise<string> {
    return encodePrivateKey(this.#key);
  }

  /**
   * Issues a certificate. The caller must validate its contents.
   *
   * @returns DER
   * @throws X509Error when a name, time, number or key cannot be encoded
   */
  async issue(template: CertificateTemplate): Promise<Uint8Array> {
    const { encodeCertificate } = await import('./issuing/index.js');
    return encodeCertificate(template, this.#issuer, this.#entropy);
  }
}

function canSignCertificates({ basicConstraints, keyUsages }: Certificate): boolean {
  return (
    basicConstraints?.isAuthority === true &&
    (keyUsages === undefined || keyUsages.size === 0 || keyUsages.has('keyCertSign'))
  );
}
