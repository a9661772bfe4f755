import { toError } from '../../meta/error-message.js';
import { report } from '../../meta/report.js';
import { CertificatePool, parseCertificateBundle } from '../../pki/index.js';

/** Authorities as PEM: fixed, or asked for at each use. An empty text means that there are none for now. */
export type CertificateAuthorities = string | (() => string);

/** Where the authorities come from. */
export interface AuthoritiesOptions {
  readonly certificateAuthorities: CertificateAuthorities;
  /** Told once of each text that cannot be read after the first; the authorities before it stay. */
  readonly onReloadFailure?: (error: Error) => void;
}

/** The authorities at this moment. */
export class Authorities {
  readonly #text: () => string;
  readonly #onReloadFailure: ((error: Error) => void) | undefined;
  #read: string;
  #pool: CertificatePool | undefined;

  /** @throws Error when the authorities cannot be read, or a fixed text is empty */
  constructor({ certificateAuthorities, onReloadFailure }: AuthoritiesOptions) {
    if (certificateAuthorities === '') throw new Error('missing content for CA bundle');
    this.#text = typeof certificateAuthorities === 'string' ? () => certificateAuthorities : certificateAuthorities;
    this.#onReloadFailure = onReloadFailure;
    this.#read = this.#text();
    this.#pool = poolOf(this.#read);
  }

  /** The authorities; another pool only when they have changed. Undefined while there are none. */
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
