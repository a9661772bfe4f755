import { formatQuantity, type Quantity } from '../../foundation/index.js';
import { addAmounts, negated, sumOf, type Amounts } from './amounts.js';

const ZERO: Quantity = { unscaled: 0n, scale: 0, format: 'DecimalSI' };

/** The amounts that the objects of one quota use, kept up to date object by object. */
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
   * Returns the total of a resource; zero when no object uses it.
   *
   * @param more amounts to add to the total
   */
  used(name: string, more?: Amounts): string {
    const [total, added] = [this.#total.get(name), more?.get(name)];
    if (total === undefined && added === undefined) return '0';
    return formatQuantity(sumOf(total ?? ZERO, added ?? ZERO));
  }
}
