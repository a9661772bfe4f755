import { loading } from '../../foundation/index.js';
import type { TokenAuthenticator } from '../../security/index.js';
import type { Agreement, AgreementParts } from './agreement.js';

/** The {@link Agreement} of the servers of a storage, whose code is loaded when a server joins. */
export class LateAgreement {
  readonly #parts: AgreementParts;
  #agreement: Agreement | undefined;
  #isHalted = false;

  constructor(parts: AgreementParts) {
    this.#parts = parts;
  }

  /** As {@link Agreement.join}. */
  async join(): Promise<void> {
    const { Agreement } = await loading(import('./agreement.js'));
    if (!this.#isHalted) await (this.#agreement ??= new Agreement(this.#parts)).join();
  }

  /** As {@link Agreement.check}. */
  readonly check = (): void => this.#agreement?.check();

  /** As {@link Agreement.owners}; knows nobody before the server has joined. */
  readonly owners: TokenAuthenticator = (token, request) => this.#agreement?.owners(token, request);

  /** As {@link Agreement.isOwnerRevoked}. */
  isOwnerRevoked(): boolean | Promise<boolean> {
    return this.#agreement?.isOwnerRevoked() ?? false;
  }

  /** As {@link Agreement.halt}. */
  halt(): void {
    this.#isHalted = true;
    this.#agreement?.halt();
  }

  /** As {@link Agreement.leave}. */
  async leave(): Promise<void> {
    await this.#agreement?.leave();
  }
}
