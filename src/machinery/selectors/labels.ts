/**
 * Label selectors: as text in queries, and as objects in resources.
 *
 * @module
 */
import {
  appendErrors,
  atOnce,
  checkLabels,
  errors,
  FieldErrorList,
  forbidden,
  goQuote,
  invalid,
  joinedSteps,
  keysInSteps,
  labelValue,
  required,
  sortedSteps,
  UNBOUNDED_WORK,
  validateLabelKey,
  type FieldError,
  type FieldPath,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { parseLabelRequirements } from './label-parser.js';
import { LabelRequirement, type LabelOperator, type Labels } from './label-requirement.js';
import { checkSelectorSize, type SelectorLimits } from './limits.js';

/** One expression of a selector object. */
export interface LabelSelectorExpression {
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

/** A selector in a resource: all labels and all expressions must match. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?: readonly LabelSelectorExpression[] | undefined;
}

interface ExpressionOperator {
  readonly operator: LabelOperator;
  readonly takesValues: boolean;
}

const EXPRESSION_OPERATORS: ReadonlyMap<string, ExpressionOperator> = new Map([
  ['In', { operator: 'in', takesValues: true }],
  ['NotIn', { operator: 'notin', takesValues: true }],
  ['Exists', { operator: 'exists', takesValues: false }],
  ['DoesNotExist', { operator: '!', takesValues: false }],
]);

/** Units of work to check and keep a requirement. */
const REQUIREMENT_UNITS = 20;

const byKey = (a: LabelRequirement, b: LabelRequirement): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/** Requirements on labels that must all hold. Immutable, and safe to share. */
export class LabelSelector {
  /** The requirements, sorted by key. */
  readonly requirements: readonly LabelRequirement[];
  readonly #selectsNothing: boolean;

  /** @param requirements sorted by key */
  private constructor(requirements: readonly LabelRequirement[], selectsNothing = false) {
    this.requirements = requirements;
    this.#selectsNothing = selectsNothing;
  }

  /** Selects every object. */
  static readonly everything = new LabelSelector([]);
  /** Selects no object. */
  static readonly nothing = new LabelSelector([], true);

  /**
   * Parses a selector, such as the query parameter `labelSelector`. The empty string selects everything.
   *
   * @throws ApiError (400) with the message of Kubernetes, or when the selector exceeds a limit
   */
  static parse(text: string, limits?: SelectorLimits): LabelSelector {
    if (text === '') return LabelSelector.everything;
    checkSelectorSize(text, limits);
    return LabelSelector.of(parseLabelRequirements(text, limits));
  }

  /** Returns the selector of the given requirements. */
  static of(requirements: readonly LabelRequirement[]): LabelSelector {
    return new LabelSelector([...requirements].sort(byKey));
  }

  /** Returns a selector of objects with all of these labels. Does not validate the labels. */
  static fromLabels(labels: Readonly<Record<string, string>>): LabelSelector {
    return atOnce(LabelSelector.fromLabelsSteps(labels, UNBOUNDED_WORK));
  }

  /** Does the same as {@link LabelSelector.fromLabels}, in steps. Absent labels select nothing. */
  static *fromLabelsSteps(labels: Readonly<Record<string, string>> | undefined, work: Work): Steps<LabelSelector> {
    if (labels === undefined) return LabelSelector.nothing;
    const requirements: LabelRequirement[] = [];
    for (const key of yield* keysInSteps(labels, work)) {
      if (work.spend(REQUIREMENT_UNITS)) yield;
      requirements.push(LabelRequirement.equal(key, labels[key] ?? ''));
    }
    return new LabelSelector(yield* sortedSteps(requirements, byKey, work));
  }

  /**
   * Converts a selector object. An absent object selects nothing; an empty one selects everything.
   *
   * @throws ApiError (400) when the object is invalid; {@link validateLabelSelector} returns all errors with fields
   */
  static fromObject(object: LabelSelectorObject | null | undefined): LabelSelector {
    return atOnce(LabelSelector.fromObjectSteps(object, UNBOUNDED_WORK));
  }

  /** Does the same as {@link LabelSelector.fromObject}, in steps. */
  static *fromObjectSteps(object: LabelSelectorObject | null | undefined, work: Work): Steps<LabelSelector> {
    if (object === null || object === undefined) return LabelSelector.nothing;
    const { matchLabels = {}, matchExpressions = [] } = object;
    const requirements: LabelRequirement[] = [];
    for (const key of yield* keysInSteps(matchLabels, work)) {
      if (work.spend(REQUIREMENT_UNITS)) yield;
      requirements.push(LabelRequirement.of(key, '=', [matchLabels[key] ?? '']));
    }
    for (const { key, operator, values = [] } of matchExpressions) {
      if (work.spend(REQUIREMENT_UNITS)) yield;
      const rule = EXPRESSION_OPERATORS.get(operator);
      if (rule === undefined) throw errors.badRequest(`${goQuote(operator)} is not a valid label selector operator`);
      requirements.push(yield* LabelRequirement.ofSteps(key, rule.operator, values, work));
    }
    if (requirements.length === 0) return LabelSelector.everything;
    return new LabelSelector(yield* sortedSteps(requirements, byKey, work));
  }

  /** True if the selector selects every object. */
  get empty(): boolean {
    return this.requirements.length === 0 && !this.#selectsNothing;
  }

  /** Returns true when the labels satisfy every requirement. */
  matches(labels: Labels | undefined): boolean {
    if (this.#selectsNothing) return false;
    for (const requirement of this.requirements) if (!requirement.matches(labels)) return false;
    return true;
  }

  /** Returns the value of a label that the selector requires, for an index; undefined when it requires none. */
  exact(key: string): string | undefined {
    for (const requirement of this.requirements) {
      const value = requirement.key === key ? requirement.exactValue : undefined;
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /**
   * Returns the selector as a string, which {@link LabelSelector.parse} accepts. The selector of nothing has no string
   * of its own.
   */
  toString(): string {
    return this.requirements.join(',');
  }

  /** Does the same as {@link LabelSelector.toString}, in steps. */
  textSteps(work: Work): Steps<string> {
    return joinedSteps(this.requirements, String, ',', work);
  }
}

/** Returns the errors of a selector object, in fields below `path`. */
export function validateLabelSelector(object: LabelSelectorObject | null | undefined, path: FieldPath): FieldError[] {
  return object === null || object === undefined ? [] : atOnce(checkLabelSelector(object, path, UNBOUNDED_WORK));
}

/** Does the same as {@link validateLabelSelector}, in steps. */
export function* checkLabelSelector(
  { matchLabels, matchExpressions }: LabelSelectorObject,
  path: FieldPath,
  work: Work,
): Steps<FieldErrorList> {
  const found = new FieldErrorList(work);
  if (matchLabels !== undefined) appendErrors(found, yield* checkLabels(matchLabels, path.child('matchLabels'), work));
  if (matchExpressions === undefined || matchExpressions.length === 0) return found;
  const at = path.child('matchExpressions');
  for (const [index, expression] of matchExpressions.entries()) {
    if (found.spend()) yield;
    yield* checkExpression(found, at.index(index), expression);
  }
  return found;
}

function* checkExpression(
  found: FieldErrorList,
  path: FieldPath,
  { key, operator, values = [] }: LabelSelectorExpression,
): Steps<void> {
  const rule = EXPRESSION_OPERATORS.get(operator);
  if (rule === undefined) {
    found.push(invalid(path.child('operator'), operator, 'not a valid selector operator'));
  } else if (rule.takesValues && values.length === 0) {
    found.push(required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (!rule.takesValues && values.length > 0) {
    found.push(forbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  }
  appendErrors(found, validateLabelKey(key, path.child('key')));
  for (const [index, value] of values.entries()) {
    if (found.spend()) yield;
    for (const text of labelValue(value)) found.push(invalid(path.child('values').index(index), value, text));
  }
}
