import type { Quantity } from '../meta/quantity.js';
import { addAmounts, negated, writtenAmounts, type Amounts } from './amounts.js';

/** What the objects of one quota use, kept up to date object by object. */
export class QuotaLedger {
  readonly #shares = new Map<string, Amounts>();
  readonly #total = new Map<string, Quantity>();

  /**
   * Replaces what one object uses.
   *
   * @param id unique among all objects of the ledger
   * @param amounts undefined when the object is gone, or is not counted
   * @returns whether any total may have changed
   */
  set(id: string, amounts: Amounts | undefined): boolean {
    const before = this.#shares.get(id);
    if (before === undefined && amounts === undefined) return false;
    if (before !== undefined)
      addAmounts(this.#total, new Map([...before].map(([name, used]) => [name, negated(used)])));
    if (amounts === undefined) this.#shares.delete(id);
    else {
      this.#shares.set(id, amounts);
      addAmounts(this.#total, amounts);
    }
    return true;
  }

  /**
   * Returns the totals of some resources; zero for those that no object uses.
   *
   * @param more amounts to add to the totals
   */
  used(names: Iterable<string>, more: Amounts = new Map()): Record<string, string> {
    const sum = new Map(this.#total);
    addAmounts(sum, more);
    const totals = writtenAmounts(sum);
    return Object.fromEntries([...names].map((name) => [name, totals[name] ?? '0']));
  }
}
