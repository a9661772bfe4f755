import { report, toError } from '../../../foundation/index.js';
import { CertificatePool, parseCertificateBundle } from '../../pki/index.js';
import { currentAuthorities, type CertificateAuthorities } from './certificate-authorities.js';

/** Options of {@link Authorities}. */
export interface AuthoritiesOptions {
  readonly certificateAuthorities: CertificateAuthorities;
  /** Called once for each later text that is invalid; the previous authorities stay in use. */
  readonly onReloadFailure?: ((error: Error) => void) | undefined;
}

/** The current certificate authorities. */
export class Authorities {
  readonly #authorities: CertificateAuthorities;
  readonly #onReloadFailure: ((error: Error) => void) | undefined;
  #read: string;
  #pool: CertificatePool | undefined;

  /** @throws Error when the authorities are invalid, or a fixed text is empty */
  constructor({ certificateAuthorities, onReloadFailure }: AuthoritiesOptions) {
    if (certificateAuthorities === '') throw new Error('missing content for CA bundle');
    this.#authorities = certificateAuthorities;
    this.#onReloadFailure = onReloadFailure;
    this.#read = currentAuthorities(certificateAuthorities);
    this.#pool = poolOf(this.#read);
  }

  /** Returns the current authorities. The pool changes only with the text. Undefined while there are none. */
  current(): CertificatePool | undefined {
    const text = currentAuthorities(this.#authorities);
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
