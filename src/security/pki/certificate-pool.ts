import { appendTo, equalBytes, latin1 } from '../../foundation/index.js';
import type { Certificate } from './certificate.js';

const NONE: Uint8Array = new Uint8Array(0);

/** Certificates by subject: authorities or intermediates. */
export class CertificatePool {
  readonly #bySubject = new Map<string, Certificate[]>();
  #size = 0;

  /** @param certificates certificates of the pool; duplicates are dropped */
  constructor(certificates: Iterable<Certificate>) {
    for (const certificate of certificates) {
      if (this.has(certificate)) continue;
      appendTo(this.#bySubject, latin1(certificate.subject.raw), certificate);
      this.#size += 1;
    }
  }

  get size(): number {
    return this.#size;
  }

  /** Returns true when the pool contains exactly this certificate. */
  has({ raw, subject }: Certificate): boolean {
    return this.#bySubject.get(latin1(subject.raw))?.some((other) => equalBytes(other.raw, raw)) ?? false;
  }

  /**
   * Returns the certificates that may have signed a certificate: their subject is its issuer. Those with the key
   * identifier that the certificate names come first, those with another one last. A key identifier is only a hint.
   */
  candidatesFor({ issuer, authorityKeyIdentifier = NONE }: Certificate): Certificate[] {
    const rank = ({ subjectKeyIdentifier = NONE }: Certificate): number => {
      if (equalBytes(subjectKeyIdentifier, authorityKeyIdentifier)) return 0;
      return (subjectKeyIdentifier.length === 0) === (authorityKeyIdentifier.length === 0) ? 2 : 1;
    };
    const namesakes = this.#bySubject.get(latin1(issuer.raw)) ?? [];
    return namesakes.length < 2 ? namesakes : namesakes.toSorted((a, b) => rank(a) - rank(b));
  }
}
