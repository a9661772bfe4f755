import type { AdvertisedListener, ListenerSource } from '../../controllers/index.js';
import { decodeBase64Url, encodeBase32 } from '../../foundation/index.js';
import { tokenDigest } from '../../security/index.js';
import { apiServerListeners } from '../controllers/controller-table.js';
import type { ControllerName } from '../controllers/controller-names.js';
import type { ServerParts } from './server-parts.js';

/** Length of the digest in the name of a Lease, in bytes, as in Kubernetes. */
const NAME_BYTES = 16;

/** The listeners of a server, for its controllers. */
export class Listeners implements ListenerSource {
  readonly current: () => AdvertisedListener | undefined;
  readonly #parts: ServerParts;
  readonly #listeners: (() => void)[] = [];
  #name: string | undefined;
  #holder: string | undefined;

  /** @param current returns the listener that is advertised */
  constructor(current: () => AdvertisedListener | undefined, parts: ServerParts) {
    this.current = current;
    this.#parts = parts;
  }

  onChange(changed: () => void): void {
    this.#listeners.push(changed);
  }

  /**
   * Tells the controllers that a listener has come or gone.
   *
   * @param wake starts controllers that wait for the first listener
   */
  changed(wake: (...names: readonly ControllerName[]) => void): void {
    if (this.current() !== undefined) wake(...apiServerListeners);
    for (const listener of this.#listeners) listener();
  }

  /** The same after a restart with the same owner's token and address. */
  get name(): string {
    const { url = '', addresses = [] } = this.current() ?? {};
    const digest = tokenDigest([this.#parts.owner.token, url, ...addresses].join(' '));
    const bytes = (decodeBase64Url(digest) ?? new Uint8Array(NAME_BYTES)).subarray(0, NAME_BYTES);
    return (this.#name ??= `apiserver-${encodeBase32(bytes)}`);
  }

  get holder(): string {
    return (this.#holder ??= `${this.name}_${this.#parts.entropy.uuid()}`);
  }

  get serviceIP(): string {
    return this.#parts.serviceAllocation.firstAddress;
  }
}
