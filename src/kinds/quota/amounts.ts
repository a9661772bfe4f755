import { compareQuantities, ownMember, parseQuantity, type Quantity } from '../../foundation/index.js';

/** Amounts by the name of a resource. */
export type Amounts = ReadonlyMap<string, Quantity>;

const ZERO: Quantity = { unscaled: 0n, scale: 0, format: 'DecimalSI' };

/** Returns a number of objects as an amount. */
export const countOf = (count: number): Quantity => ({ ...ZERO, unscaled: BigInt(count) });

const rescaled = ({ unscaled, scale }: Quantity, to: number): bigint =>
  scale === to ? unscaled : unscaled * 10n ** BigInt(scale - to);

/** Returns the exact sum, in the notation of the first amount that is not zero. */
export function sumOf(a: Quantity, b: Quantity): Quantity {
  const scale = Math.min(a.scale, b.scale);
  return { unscaled: rescaled(a, scale) + rescaled(b, scale), scale, format: (a.unscaled === 0n ? b : a).format };
}

/** Returns the amount with the opposite sign. */
export const negated = ({ unscaled, scale, format }: Quantity): Quantity => ({ unscaled: -unscaled, scale, format });

/** Returns the amount rounded up to a whole number. */
export function wholeOf(amount: Quantity): Quantity {
  const { unscaled, scale, format } = amount;
  if (scale >= 0) return amount;
  const unit = 10n ** BigInt(-scale);
  return { unscaled: unscaled / unit + (unscaled % unit > 0n ? 1n : 0n), scale: 0, format };
}

/** Adds amounts to a sum in place. */
export function addAmounts(sum: Map<string, Quantity>, amounts: Amounts): void {
  for (const [name, amount] of amounts) {
    const before = sum.get(name);
    sum.set(name, before === undefined ? amount : sumOf(before, amount));
  }
}

/** Raises the amounts of `most` in place to those of `amounts`. */
export function raiseAmounts(most: Map<string, Quantity>, amounts: Amounts): void {
  for (const [name, amount] of amounts) {
    const before = most.get(name);
    if (before === undefined || compareQuantities(amount, before) > 0) most.set(name, amount);
  }
}

/** Returns one of the amounts of an object, of which there may be many. A text that is not a quantity counts as zero. */
export function amountOf(amounts: Readonly<Record<string, string>> | undefined, name: string): Quantity | undefined {
  const text = amounts === undefined ? undefined : ownMember(amounts, name);
  return text === undefined ? undefined : (parseQuantity(text) ?? ZERO);
}

/** Reads the amounts of an object. A text that is not a quantity counts as zero. */
export const readAmounts = (amounts: Readonly<Record<string, string>> | undefined): Map<string, Quantity> =>
  new Map(Object.entries(amounts ?? {}).map(([name, text]) => [name, parseQuantity(text) ?? ZERO]));
