import { report, toError } from '../../../foundation/index.js';
import { CertificatePool, parseCertificateBundle } from '../../pki/index.js';

/** PEM authorities: fixed, or read at each use. An empty result means that there are none yet. */
export type CertificateAuthorities = string | (() => string);

/** Options of {@link Authorities}. */
export interface AuthoritiesOptions {
  readonly certificateAuthorities: CertificateAuthorities;
  /** Called once for each later text that is invalid; the previous authorities stay in use. */
  readonly onReloadFailure?: ((error: Error) => void) | undefined;
}

/** The current certificate authorities. */
export class Authorities {
  readonly #text: () => string;
  readonly #onReloadFailure: ((error: Error) => void) | undefined;
  #read: string;
  #pool: CertificatePool | undefined;

  /** @throws Error when the authorities are invalid, or a fixed text is empty */
  constructor({ certificateAuthorities, onReloadFailure }: AuthoritiesOptions) {
    if (certificateAuthorities === '') throw new Error('missing content for CA bundle');
    this.#text = typeof certificateAuthorities === 'string' ? () => certificateAuthorities : certificateAuthorities;
    this.#onReloadFailure = onReloadFailure;
    this.#read = this.#text();
    this.#pool = poolOf(this.#read);
  }

  /** Returns the current authorities. The pool changes only with the text. Undefined while there are none. */
  current(): CertificatePool | undefined {
    const text = this.#text();
    if (text !== this.#read) this.#reload(text);
    return this.#pool;
  }

  #reload(text: string): void {
    this.#read = text;
    try {
      this.#pool = poolOf(text);
    } catch (error) {
      report(() => this.#onReloadFailure?.(toError(error)));
    }
  }
}

function poolOf(text: string): CertificatePool | undefined {
  return text === '' ? undefined : new CertificatePool(parseCertificateBundle(text));
}
