import { encodePem } from '../../foundation/index.js';
import { encodePrivateKey, encodePublicKey, generateKeyPair } from '../pki/index.js';
import { frontProxyPurpose, GeneratedAuthority, type GeneratedAuthorityParts } from './generated-authority.js';

/** A client certificate and its key, in PEM. */
export interface ProxyCertificate {
  readonly certificate: string;
  readonly key: string;
}

const HOUR_MS = 3_600_000;
const LIFE_MS = 365 * 24 * HOUR_MS;
/** Part of the lifetime after which a new certificate is issued. */
const RENEW_AFTER = 0.8;
/** Common name of the certificate. */
export const FRONT_PROXY_NAME = 'front-proxy-client';

/**
 * The certificate with which a server calls the servers of other API groups. It is issued on first use by an authority
 * that all servers of a store share, and again before it expires. The key never leaves the process.
 */
export class FrontProxyCertificate {
  readonly #parts: GeneratedAuthorityParts;
  readonly #authority: GeneratedAuthority;
  #issuing: Promise<ProxyCertificate> | undefined;
  #renewAt = -Infinity;

  constructor(parts: GeneratedAuthorityParts) {
    this.#parts = parts;
    this.#authority = new GeneratedAuthority({ ...parts, purpose: frontProxyPurpose });
  }

  /**
   * Returns the trusted authority certificates, PEM, after creating the authority if necessary.
   *
   * @throws StorageError when the storage fails
   */
  async authorities(): Promise<string> {
    await this.#authority.current();
    return this.#authority.certificates();
  }

  /** Returns the current certificate. @throws StorageError when the storage fails */
  current(): Promise<ProxyCertificate> {
    const now = this.#parts.clock.now();
    if (this.#issuing !== undefined && now < this.#renewAt) return this.#issuing;
    this.#renewAt = now + LIFE_MS * RENEW_AFTER;
    const issuing = this.#issue(now);
    this.#issuing = issuing;
    issuing.catch(() => {
      if (this.#issuing === issuing) this.#issuing = undefined;
    });
    return issuing;
  }

  /** Stops following the authority. */
  close(): void {
    this.#authority.close();
  }

  async #issue(now: number): Promise<ProxyCertificate> {
    const authority = await this.#authority.current();
    const { publicKey, privateKey } = await generateKeyPair('ECDSA-P256');
    const der = await authority.issue({
      subject: { commonName: FRONT_PROXY_NAME },
      publicKey: await encodePublicKey(publicKey),
      notBefore: now - HOUR_MS,
      notAfter: now + LIFE_MS,
      keyUsages: ['digitalSignature'],
      extendedKeyUsages: ['clientAuth'],
    });
    return { certificate: encodePem('CERTIFICATE', der), key: await encodePrivateKey(privateKey) };
  }
}
