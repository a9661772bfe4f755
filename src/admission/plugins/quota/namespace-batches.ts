import type { QuotaCharges } from '../../../kinds/index.js';

/** Work on the quotas of a namespace that came while other work on them was done. */
type Waiting<Item> = { readonly items: Item[]; readonly done: Promise<void> };

/**
 * Does the work on the quotas of a namespace in batches: what arrives while a batch is done makes the next one, so each
 * quota is written once for all of it.
 *
 * @see release 1.31, the work buckets of pkg/admission/plugin/resourcequota/controller.go of the module apiserver
 */
export class NamespaceBatches<Item> {
  readonly #waiting = new Map<string, Waiting<Item>>();
  readonly #charges: QuotaCharges;
  readonly #run: (namespace: string, items: readonly Item[]) => Promise<void>;

  /** @param run does the work of a batch; when it throws, all of the batch fail */
  constructor(charges: QuotaCharges, run: (namespace: string, items: readonly Item[]) => Promise<void>) {
    this.#charges = charges;
    this.#run = run;
  }

  /** Resolves when the batch has ended to which the item is added. */
  add(namespace: string, item: Item): Promise<void> {
    const waiting = this.#waiting.get(namespace);
    if (waiting !== undefined) {
      waiting.items.push(item);
      return waiting.done;
    }
    const items = [item];
    const done = this.#charges.inTurn(namespace, () => {
      this.#waiting.delete(namespace);
      return this.#run(namespace, items);
    });
    this.#waiting.set(namespace, { items, done });
    return done;
  }
}
