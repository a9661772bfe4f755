/**
 * Label selectors: as text in a query, and as objects inside of resources.
 *
 * @module
 */
import { errors } from '../meta/api-error.js';
import { forbidden, invalid, required, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { goQuote } from '../meta/go-text.js';
import { labelValue } from '../meta/names.js';
import { validateLabelKey, validateLabels } from '../meta/validate-labels.js';
import { parseLabelRequirements } from './label-parser.js';
import { LabelRequirement, type LabelOperator, type Labels } from './label-requirement.js';
import { checkSelectorSize, type SelectorLimits } from './limits.js';

/** One expression of a selector object. */
export interface LabelSelectorExpression {
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: string;
  readonly values?: readonly string[];
}

/** A selector as resources carry it: all of the labels and all of the expressions must hold. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorExpression[];
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

/** Requirements on labels that must all hold. Immutable, and safe to share. */
export class LabelSelector {
  /** The requirements, in the order of their keys. */
  readonly requirements: readonly LabelRequirement[];
  readonly #selectsNothing: boolean;

  private constructor(requirements: readonly LabelRequirement[], selectsNothing = false) {
    this.requirements = [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    this.#selectsNothing = selectsNothing;
  }

  /** Selects every object. */
  static readonly everything = new LabelSelector([]);
  /** Selects no object. */
  static readonly nothing = new LabelSelector([], true);

  /**
   * Reads a selector from its text, as in the query parameter `labelSelector`. The empty text selects everything.
   *
   * @throws ApiError (400) with the production system's words, or when the text is longer than the limit
   */
  static parse(text: string, limits?: SelectorLimits): LabelSelector {
    if (text === '') return LabelSelector.everything;
    checkSelectorSize(text, limits);
    return new LabelSelector(parseLabelRequirements(text));
  }

  /** The selector of requirements that are made already. */
  static of(requirements: readonly LabelRequirement[]): LabelSelector {
    return new LabelSelector(requirements);
  }

  /** Selects the objects that have all of the labels, with these values. The labels are not checked. */
  static fromLabels(labels: Readonly<Record<string, string>>): LabelSelector {
    return new LabelSelector(Object.entries(labels).map(([key, value]) => new LabelRequirement(key, '=', [value])));
  }

  /**
   * Makes a selector of a selector object. None selects nothing; an empty one selects everything.
   *
   * @throws ApiError (400) when the object is wrong; {@link validateLabelSelector} tells all that is wrong, with fields
   */
  static fromObject(object: LabelSelectorObject | null | undefined): LabelSelector {
    if (object === null || object === undefined) return LabelSelector.nothing;
    const requirements = Object.entries(object.matchLabels ?? {}).map(([key, value]) =>
      LabelRequirement.of(key, '=', [value]),
    );
    for (const { key, operator, values = [] } of object.matchExpressions ?? []) {
      const rule = EXPRESSION_OPERATORS.get(operator);
      if (rule === undefined) throw errors.badRequest(`${goQuote(operator)} is not a valid label selector operator`);
      requirements.push(LabelRequirement.of(key, rule.operator, values));
    }
    return requirements.length === 0 ? LabelSelector.everything : new LabelSelector(requirements);
  }

  /** True when the selector selects every object. */
  get empty(): boolean {
    return this.requirements.length === 0 && !this.#selectsNothing;
  }

  /** True when the labels satisfy every requirement. */
  matches(labels: Labels | undefined): boolean {
    if (this.#selectsNothing) return false;
    for (const requirement of this.requirements) if (!requirement.matches(labels)) return false;
    return true;
  }

  /** The one value of a label that every selected object has, when the selector demands one; for an index. */
  exact(key: string): string | undefined {
    for (const requirement of this.requirements) {
      const value = requirement.key === key ? requirement.exactValue : undefined;
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /** The selector as text, which {@link LabelSelector.parse} reads back. The selector of nothing has no text of its own. */
  toString(): string {
    return this.requirements.join(',');
  }
}

/** What is wrong with a selector object, as errors of the fields below `path`. */
export function validateLabelSelector(object: LabelSelectorObject | null | undefined, path: FieldPath): FieldError[] {
  if (object === null || object === undefined) return [];
  const found = object.matchLabels === undefined ? [] : validateLabels(object.matchLabels, path.child('matchLabels'));
  object.matchExpressions?.forEach((expression, index) => {
    found.push(...validateExpression(expression, path.child('matchExpressions').index(index)));
  });
  return found;
}

function validateExpression({ key, operator, values = [] }: LabelSelectorExpression, path: FieldPath): FieldError[] {
  const found: FieldError[] = [];
  const rule = EXPRESSION_OPERATORS.get(operator);
  if (rule === undefined) {
    found.push(invalid(path.child('operator'), operator, 'not a valid selector operator'));
  } else if (rule.takesValues && values.length === 0) {
    found.push(required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (!rule.takesValues && values.length > 0) {
    found.push(forbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  }
  found.push(...validateLabelKey(key, path.child('key')));
  values.forEach((value, index) => {
    for (const text of labelValue(value)) found.push(invalid(path.child('values').index(index), value, text));
  });
  return found;
}
