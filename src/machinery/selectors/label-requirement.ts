import {
  aggregateText,
  atOnce,
  appendErrors,
  errors,
  FieldErrorList,
  invalid,
  labelValue,
  notSupported,
  qualifiedName,
  sortedSteps,
  UNBOUNDED_WORK,
  type FieldError,
  type Steps,
  type Work,
} from '../../foundation/index.js';

/** The operator of a requirement on a label. */
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

/** The labels of an object. */
export type Labels = Readonly<Record<string, string | undefined>>;

interface OperatorRule {
  /** Returns the problem of a number of values; undefined when it is valid. */
  count(values: number): string | undefined;
  /** Returns true when a label satisfies the requirement. `value` is undefined for an absent label. */
  matches(requirement: LabelRequirement, value: string | undefined): boolean;
  text(requirement: LabelRequirement): string;
}

const SINGLE = 'exact-match compatibility requires one single value';
const SET = "for 'in', 'notin' operators, values set can't be empty";
const NO_VALUES = 'values set must be empty for exists and does not exist';
const ONE_NUMBER = "for 'Gt', 'Lt' operators, exactly one value is required";
const INT64_LIMIT = 1n << 63n;
/** Maximum size of sets that are searched value by value. */
const SMALL_SET = 8;

const unless = (holds: boolean, text: string): string | undefined => (holds ? undefined : text);
const one =
  (text: string) =>
  (values: number): string | undefined =>
    unless(values === 1, text);
const some = (values: number): string | undefined => unless(values > 0, SET);
const none = (values: number): string | undefined => unless(values === 0, NO_VALUES);
const infix =
  (operator: string) =>
  (requirement: LabelRequirement): string =>
    `${requirement.key}${operator}${requirement.values.join(',')}`;
const set =
  (operator: string) =>
  (requirement: LabelRequirement): string =>
    `${requirement.key} ${operator} (${requirement.values.join(',')})`;
const isIn = (requirement: LabelRequirement, value: string | undefined): boolean =>
  value !== undefined && requirement.has(value);
// An object without the label is not in any set.
const isNotIn = (requirement: LabelRequirement, value: string | undefined): boolean =>
  value === undefined || !requirement.has(value);

/** The rule of each operator, in the order in which errors list them. */
const OPERATORS: Readonly<Record<LabelOperator, OperatorRule>> = {
  in: { count: some, matches: isIn, text: set('in') },
  notin: { count: some, matches: isNotIn, text: set('notin') },
  '=': { count: one(SINGLE), matches: isIn, text: infix('=') },
  '==': { count: one(SINGLE), matches: isIn, text: infix('==') },
  '!=': { count: one(SINGLE), matches: isNotIn, text: infix('!=') },
  gt: { count: one(ONE_NUMBER), matches: (requirement, value) => compares(requirement, value, 1), text: infix('>') },
  lt: { count: one(ONE_NUMBER), matches: (requirement, value) => compares(requirement, value, -1), text: infix('<') },
  exists: { count: none, matches: (_, value) => value !== undefined, text: (requirement) => requirement.key },
  '!': { count: none, matches: (_, value) => value === undefined, text: (requirement) => `!${requirement.key}` },
};

const ALL_OPERATORS = Object.keys(OPERATORS);
/** The operators between a key and values, in the order in which errors list them. */
export const BINARY_OPERATORS: readonly string[] = ALL_OPERATORS.slice(0, 7);

/** One requirement on one label. Immutable. */
export class LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted, without duplicates. */
  readonly values: readonly string[];
  readonly #rule: OperatorRule;
  readonly #set: ReadonlySet<string> | undefined;

  /**
   * Creates a requirement without checks; {@link LabelRequirement.of} checks.
   *
   * @param values sorted, without duplicates
   * @param set the values again, for many of them
   */
  private constructor(key: string, operator: LabelOperator, values: readonly string[], set?: ReadonlySet<string>) {
    this.key = key;
    this.operator = operator;
    this.values = values;
    this.#rule = OPERATORS[operator];
    this.#set = set;
  }

  /**
   * Creates a requirement.
   *
   * @throws ApiError (400) with the message of Kubernetes when key, operator and values are invalid together
   */
  static of(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
    return atOnce(LabelRequirement.ofSteps(key, operator, values, UNBOUNDED_WORK));
  }

  /** Does the same as {@link LabelRequirement.of}, in steps. */
  static *ofSteps(
    key: string,
    operator: LabelOperator,
    values: readonly string[],
    work: Work,
  ): Steps<LabelRequirement> {
    const found = yield* requirementErrors(key, operator, values, work);
    if (found.length > 0) throw errors.badRequest(aggregateText(found));
    if (values.length < 2) return new LabelRequirement(key, operator, values);
    const distinct = new Set<string>();
    for (const value of values) {
      distinct.add(value);
      if (work.spend(VALUE_UNITS)) yield;
    }
    const sorted = yield* sortedSteps([...distinct], compareUnits, work);
    return new LabelRequirement(key, operator, sorted, sorted.length > SMALL_SET ? distinct : undefined);
  }

  /** Creates a requirement that a label has a value, without checks. */
  static equal(key: string, value: string): LabelRequirement {
    return new LabelRequirement(key, '=', [value]);
  }

  /** Returns true when the labels satisfy the requirement. */
  matches(labels: Labels | undefined): boolean {
    return this.#rule.matches(
      this,
      labels !== undefined && Object.hasOwn(labels, this.key) ? labels[this.key] : undefined,
    );
  }

  /** Returns true when the value is one of {@link values}. */
  has(value: string): boolean {
    return this.#set === undefined ? this.values.includes(value) : this.#set.has(value);
  }

  /** The required value of the label; undefined when several values match. */
  get exactValue(): string | undefined {
    const exact = this.operator === '=' || this.operator === '==' || this.operator === 'in';
    return exact && this.values.length === 1 ? this.values[0] : undefined;
  }

  /** Returns the requirement in the grammar of selectors. */
  toString(): string {
    return this.#rule.text(this);
  }
}

const compareUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Units of work to check a value. */
const VALUE_UNITS = 4;

/** Returns the errors of a key, an operator and values together. */
function* requirementErrors(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
  work: Work,
): Steps<FieldErrorList> {
  const found = new FieldErrorList(work);
  const keyTexts = qualifiedName(key);
  if (keyTexts.length > 0) found.push(invalid('key', key, keyTexts.join('; ')));
  const rule: OperatorRule | undefined = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  if (rule === undefined) found.push(notSupported('operator', operator, ALL_OPERATORS));
  const countText = rule?.count(values.length);
  if (countText !== undefined) found.push(invalid('values', values, countText));
  if (operator === 'gt' || operator === 'lt') appendErrors(found, numberErrors(values));
  for (const [index, value] of values.entries()) {
    if (work.spend(VALUE_UNITS)) yield;
    const texts = labelValue(value);
    if (texts.length > 0) found.push(invalid(`values[${index}][${key}]`, value, texts.join('; ')));
  }
  return found;
}

function numberErrors(values: readonly string[]): FieldError[] {
  return values.flatMap((value, index) =>
    parseInt64(value) === undefined
      ? [invalid(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer")]
      : [],
  );
}

function compares(requirement: LabelRequirement, value: string | undefined, wanted: number): boolean {
  const actual = value === undefined ? undefined : parseInt64(value);
  const bound = parseInt64(requirement.values[0] ?? '');
  if (actual === undefined || bound === undefined) return false;
  return wanted > 0 ? actual > bound : actual < bound;
}

/** Parses a decimal integer of 64 bits with an optional sign; undefined for an invalid text. */
function parseInt64(text: string): bigint | undefined {
  const start = text.startsWith('-') || text.startsWith('+') ? 1 : 0;
  if (start === text.length) return undefined;
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x30 || code > 0x39) return undefined;
  }
  // No label value is longer than 63 characters, so the number stays small.
  const number = text.length > 64 ? INT64_LIMIT : BigInt(text.slice(start));
  const signed = text.startsWith('-') ? -number : number;
  return signed >= -INT64_LIMIT && signed < INT64_LIMIT ? signed : undefined;
}
