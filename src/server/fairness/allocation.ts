/**
 * The division of the seats of a server among its priority levels.
 *
 * @module
 */

/** The seats that a level may get, and those that it wants. */
export interface SeatClaim {
  readonly lowerBound: number;
  readonly upperBound: number;
  /** At least the lower bound. */
  readonly target: number;
}

/** A division of seats. */
export interface SeatAllocation {
  /** The seats of each claim; not rounded. */
  readonly seats: readonly number[];
  /** The fraction of its target that every claim gets whose bounds do not matter. */
  readonly fairFraction: number;
}

/** A target of zero would get nothing of what is left over. */
const MIN_TARGET = 0.001;
const TOLERANCE = 1e-7;

/**
 * Divides seats so that every claim gets the same fraction of its target, within its bounds.
 *
 * @param sum seats to divide
 * @returns undefined when the bounds allow no division with that sum
 */
export function allocateSeats(sum: number, claims: readonly SeatClaim[]): SeatAllocation | undefined {
  const targets = claims.map(({ target }) => Math.max(target, MIN_TARGET));
  const lowest = total(claims.map(({ lowerBound }) => lowerBound));
  const highest = total(claims.map(({ upperBound }) => upperBound));
  if (lowest - sum > TOLERANCE || sum - highest > TOLERANCE) return undefined;
  if (sum === 0) return { seats: claims.map(() => 0), fairFraction: 0 };
  const fairFraction = solve(sum, claims, targets);
  return { seats: seatsAt(fairFraction, claims, targets), fairFraction };
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

function seatsAt(fraction: number, claims: readonly SeatClaim[], targets: readonly number[]): number[] {
  return claims.map(({ lowerBound, upperBound }, index) =>
    Math.max(lowerBound, Math.min(upperBound, fraction * (targets[index] as number))),
  );
}

/**
 * Finds the fraction with the wanted sum. The sum grows with the fraction, in straight lines between the fractions at
 * which a claim leaves its lower bound or reaches its upper one.
 */
function solve(sum: number, claims: readonly SeatClaim[], targets: readonly number[]): number {
  const corners = claims
    .flatMap(({ lowerBound, upperBound }, index) => {
      const target = targets[index] as number;
      return [lowerBound / target, upperBound / target];
    })
    .sort((a, b) => a - b);
  let below = corners[0] ?? 0;
  let belowSum = total(seatsAt(below, claims, targets));
  for (const corner of corners) {
    const cornerSum = total(seatsAt(corner, claims, targets));
    if (cornerSum >= sum) {
      const rise = cornerSum - belowSum;
      return rise <= 0 ? corner : below + ((corner - below) * (sum - belowSum)) / rise;
    }
    below = corner;
    belowSum = cornerSum;
  }
  return below;
}
