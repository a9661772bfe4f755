/**
 * Constants of an expression: literals, lists and maps of constants, and conversions of constants. They are evaluated
 * once, at compile time, and cost nothing in an evaluation, as in Kubernetes.
 *
 * @module
 */
import type { Steps, Work } from '../../../foundation/index.js';
import { Meter } from '../cost/meter.js';
import type { CallExpression, Expression, MapEntry } from '../syntax/ast.js';
import type { Checked } from '../types/check.js';
import { isOfType, type CelResult, type CelRuntime } from '../types/declarations.js';
import { CelCompileError, CelFailure, noSuchOverload } from './failures.js';
import { EvaluationPatterns, UNITS_OF_INSTRUCTION, type ExpressionPatterns } from './regular-expressions.js';
import { CelUint, ValueList, ValueMap, type CelValue } from './values.js';

/** Functions that are called at compile time when their argument is constant. */
const CONVERSIONS: ReadonlySet<string> = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
]);
/** Overloads whose second argument is a pattern. */
const PATTERN_FORMS: ReadonlySet<string> = new Set([
  'matches',
  'matches_string',
  'string_find_string',
  'string_find_all_string',
  'string_find_all_string_int',
]);

/** Work of looking at a part of an expression. */
const UNITS_OF_PART = 4;

/** Finds the constants of one checked expression. */
export class Constants {
  readonly #checked: Checked;
  readonly #runtime: CelRuntime;
  readonly #patterns: ExpressionPatterns;
  readonly #known = new Map<Expression, CelValue | undefined>();

  constructor(checked: Checked, patterns: ExpressionPatterns) {
    this.#checked = checked;
    // Evaluating constants takes no longer than parsing them, so their cost has no limit.
    const meter = new Meter(Infinity);
    this.#runtime = { meter, patterns: new EvaluationPatterns(patterns, meter) };
    this.#patterns = patterns;
  }

  /**
   * Returns the value of a constant expression, or undefined. It pauses between parts.
   *
   * @throws CelCompileError for a conversion that fails
   */
  *valueOf(expression: Expression, work: Work): Steps<CelValue | undefined> {
    if (expression.kind === 'literal') return expression.value;
    if (this.#known.has(expression)) return this.#known.get(expression);
    if (work.spend(UNITS_OF_PART)) yield;
    const value = yield* this.#evaluate(expression, work);
    this.#known.set(expression, value);
    return value;
  }

  /** Returns the value of a constant expression that has been planned, or undefined. */
  known(expression: Expression): CelValue | undefined {
    return expression.kind === 'literal' ? expression.value : this.#known.get(expression);
  }

  /** @throws CelCompileError for a call with an invalid constant pattern */
  *checkPattern(call: CallExpression, operands: readonly Expression[], work: Work): Steps<void> {
    const [form] = this.#checked.resolutions.get(call)?.candidates ?? [];
    if (form === undefined || !PATTERN_FORMS.has(form.id)) return;
    const pattern = operands[1] === undefined ? undefined : yield* this.valueOf(operands[1], work);
    const before = this.#patterns.instructions;
    const compiled = typeof pattern === 'string' ? this.#patterns.constant(pattern) : undefined;
    if (compiled instanceof CelFailure) throw instantiationFailed(compiled);
    if (work.spend((this.#patterns.instructions - before) * UNITS_OF_INSTRUCTION)) yield;
  }

  *#evaluate(expression: Expression, work: Work): Steps<CelValue | undefined> {
    const named = this.#checked.constants.get(expression);
    if (named !== undefined) return named;
    if (expression.kind === 'list')
      return expression.optional.size > 0 ? undefined : yield* this.#list(expression.elements, work);
    if (expression.kind === 'map') {
      const hasOptional = expression.entries.some(({ isOptional }) => isOptional);
      return hasOptional ? undefined : yield* this.#map(expression.entries, work);
    }
    return expression.kind === 'call' ? yield* this.#conversion(expression, work) : undefined;
  }

  *#list(elements: readonly Expression[], work: Work): Steps<CelValue | undefined> {
    const items: CelValue[] = [];
    for (const element of elements) {
      if (work.spend(UNITS_OF_PART)) yield;
      const item = yield* this.valueOf(element, work);
      if (item === undefined) return undefined;
      items.push(item);
    }
    return new ValueList(items);
  }

  /** Returns a constant map. An invalid map fails at evaluation time. */
  *#map(entries: readonly MapEntry[], work: Work): Steps<CelValue | undefined> {
    const map = new ValueMap();
    for (const entry of entries) {
      if (work.spend(UNITS_OF_PART)) yield;
      const [key, value] = [yield* this.valueOf(entry.key, work), yield* this.valueOf(entry.value, work)];
      if (key === undefined || value === undefined || map.add(key, value) !== true) return undefined;
    }
    return map;
  }

  *#conversion(call: CallExpression, work: Work): Steps<CelValue | undefined> {
    const [argument, ...others] = call.arguments;
    if (call.target !== undefined || argument === undefined || others.length > 0 || !CONVERSIONS.has(call.name))
      return undefined;
    const value = yield* this.valueOf(argument, work);
    if (value === undefined) return undefined;
    const result = this.#call(call, value);
    if (result instanceof CelFailure) throw instantiationFailed(result);
    return result;
  }

  #call(call: CallExpression, argument: CelValue): CelResult {
    const form = this.#checked.resolutions
      .get(call)
      ?.candidates.find(({ parameters }) => parameters.every((type) => isOfType(type, argument)));
    return form?.call([argument], this.#runtime) ?? noSuchOverload();
  }
}

const instantiationFailed = ({ message }: CelFailure): CelCompileError =>
  new CelCompileError(`program instantiation failed: ${message}`);

/** Returns the identity of a value in a set. Equal numbers of different types have the same identity. */
function identityOf(value: CelValue): string | bigint | boolean | number | undefined {
  if (typeof value === 'string') return `"${value}`;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (value instanceof CelUint) return value.value;
  return typeof value === 'bigint' || typeof value === 'boolean' ? value : undefined;
}

/**
 * Returns the membership test of a constant list, which costs nothing.
 *
 * @returns undefined when the list has values that are compared part by part: then the list is searched
 */
export function membershipOf(list: ValueList): ((value: CelValue) => boolean) | undefined {
  const identities = [...list].map(identityOf);
  if (identities.includes(undefined)) return undefined;
  // NaN is not equal to any number.
  const members = new Set(identities.filter((identity) => !Number.isNaN(identity)));
  return (value) => members.has(identityOf(value) ?? NaN);
}
