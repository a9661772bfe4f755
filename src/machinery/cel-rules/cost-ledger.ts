import { forbidden, type FieldError } from '../../foundation/index.js';
import { UNBOUNDED } from '../cel/index.js';
import { ESTIMATED_SCHEMA_COST_LIMIT } from './limits.js';

/** Rules that are named when all rules together are too expensive. */
const MAX_NAMED = 4;

/** The estimated cost of all rules of a schema. */
export class CostLedger {
  #total = 0n;
  /** The most expensive rules. Rules under a hundredth of the limit are not among them. */
  readonly #expensive: { readonly path: string; readonly cost: bigint }[] = [];

  /** Adds the cost of an expression. */
  add(path: string, cost: bigint): void {
    this.#total = limited(this.#total + cost);
    if (cost < ESTIMATED_SCHEMA_COST_LIMIT / 100) return;
    this.#expensive.push({ path, cost });
    this.#expensive.sort((a, b) => (a.cost < b.cost ? 1 : a.cost > b.cost ? -1 : 0));
    this.#expensive.splice(MAX_NAMED);
  }

  /**
   * Returns the errors of rules that together are too expensive.
   *
   * @param path the path of the schema
   * @param extension the name of the vendor extension that holds rules
   */
  errors(path: string, extension: string): FieldError[] {
    if (this.#total <= ESTIMATED_SCHEMA_COST_LIMIT) return [];
    const total = budgetText(
      `${extension} estimated rule cost total for entire OpenAPIv3 schema`,
      this.#total,
      ESTIMATED_SCHEMA_COST_LIMIT,
    );
    return [
      ...this.#expensive.map((rule) =>
        forbidden(
          rule.path,
          'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
        ),
      ),
      forbidden(path, total),
    ];
  }
}

const limited = (value: bigint): bigint => (value > UNBOUNDED ? UNBOUNDED : value);

/** Returns the product of a cost and the number of values to which a rule may apply, at most 2^64 - 1. */
export const timesCardinality = (cost: bigint, cardinality: bigint): bigint => limited(cost * cardinality);

/** Returns the text of an exceeded limit. */
export function budgetText(what: string, cost: bigint, limit: number): string {
  const factor = Number(cost) / limit;
  const shown = factor > 100 ? 'more than 100x' : `${fixed(factor, factor < 1.5 ? 6 : 1)}x`;
  return `${what} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** Formats a number with a fixed number of digits after the point. Go rounds a tie to the even digit. */
function fixed(value: number, digits: number): string {
  const isTie = (value * 2 ** (digits + 1)) % 2 === 1;
  const below = Math.floor(value * 10 ** digits);
  return isTie && below % 2 === 0 ? (below / 10 ** digits).toFixed(digits) : value.toFixed(digits);
}
