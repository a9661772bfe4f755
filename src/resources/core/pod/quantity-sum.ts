import type { Quantity } from '../../../meta/quantity.js';

const rescaled = ({ unscaled, scale }: Quantity, to: number): bigint => unscaled * 10n ** BigInt(scale - to);

/** The exact sum of two amounts, in the form of the first. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const scale = Math.min(a.scale, b.scale);
  return { unscaled: rescaled(a, scale) + rescaled(b, scale), scale, format: a.format };
}
