/**
 * Expressions as trees with expanded macros: the syntax of cel-spec's `syntax.proto`, with offsets instead of ids.
 *
 * @module
 */
import type { Steps, Work } from '../../../foundation/index.js';
import type { CelValue } from '../evaluate/values.js';

interface Node {
  /** The offset that messages show, in UTF-16 units: the operator of an operation, the parenthesis of a call. */
  readonly offset: number;
}

/** A constant in the text. */
export interface LiteralExpression extends Node {
  readonly kind: 'literal';
  readonly value: CelValue;
}

/** A name: of a variable, a type or a loop's variable. */
export interface IdentifierExpression extends Node {
  readonly kind: 'identifier';
  readonly name: string;
}

/** `operand.field`, or `has(operand.field)`. */
export interface SelectExpression extends Node {
  readonly kind: 'select';
  readonly operand: Expression;
  readonly field: string;
  readonly testOnly: boolean;
}

/** `f(…)`, `target.f(…)`, and every operator: `_+_(a, b)`. */
export interface CallExpression extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly target?: Expression | undefined;
  readonly arguments: readonly Expression[];
}

/** `[a, b]`. */
export interface ListExpression extends Node {
  readonly kind: 'list';
  readonly elements: readonly Expression[];
  /** Indices of the elements `?e`, which are omitted when the optional value `e` is absent. */
  readonly optional: ReadonlySet<number>;
}

/** `{k: v}`. */
export interface MapExpression extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

/** `key: value`, or `?key: value`. */
export interface MapEntry {
  readonly key: Expression;
  readonly value: Expression;
  readonly isOptional: boolean;
}

/** The expansion of `all`, `map` and similar macros: a loop with an accumulator. */
export interface ComprehensionExpression extends Node {
  readonly kind: 'comprehension';
  readonly range: Expression;
  readonly variable: string;
  readonly accumulator: string;
  readonly initial: Expression;
  /** The loop continues while this is true. */
  readonly condition: Expression;
  /** The accumulator after each item. */
  readonly step: Expression;
  readonly result: Expression;
}

/** An expression. */
export type Expression =
  | LiteralExpression
  | IdentifierExpression
  | SelectExpression
  | CallExpression
  | ListExpression
  | MapExpression
  | ComprehensionExpression;

/** `_?._`: selection of a field that may be absent. */
export const OPTIONAL_SELECT = '_?._';
/** The accumulator of expanded macros; it is not a valid identifier in expressions. */
export const ACCUMULATOR = '@result';

/** Returns the qualified name of an expression such as `a.b.c`; undefined for any other expression. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === 'identifier') return expression.name;
  if (expression.kind !== 'select' || expression.testOnly) return undefined;
  const operand = qualifiedName(expression.operand);
  return operand === undefined ? undefined : `${operand}.${expression.field}`;
}

/** Returns the direct parts of an expression. */
export function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'identifier':
      return [];
    case 'select':
      return [expression.operand];
    case 'call':
      return expression.target === undefined ? expression.arguments : [expression.target, ...expression.arguments];
    case 'list':
      return expression.elements;
    case 'map':
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case 'comprehension':
      return [expression.range, expression.initial, expression.condition, expression.step, expression.result];
  }
}

/**
 * Calls a function with each part of an expression, inner parts first. It pauses between parts.
 *
 * @param visit returns the units of the visit
 * @param enters returns false for a part that is not visited, nor are its parts. Default true
 */
export function* visitParts(
  expression: Expression,
  work: Work,
  visit: (part: Expression) => number,
  enters: (part: Expression) => boolean = () => true,
): Steps<void> {
  const open: { readonly part: Expression; readonly children: readonly Expression[]; next: number }[] = [];
  const enter = (part: Expression): void => {
    if (enters(part)) open.push({ part, children: childrenOf(part), next: 0 });
  };
  enter(expression);
  for (let current = open.at(-1); current !== undefined; current = open.at(-1)) {
    const child = current.children[current.next++];
    if (child !== undefined) {
      enter(child);
      continue;
    }
    open.pop();
    if (work.spend(visit(current.part))) yield;
  }
}

/**
 * Returns true when any part of the expression is a name. A loop's own variable of that name counts, as in Kubernetes.
 */
export function namesVariable(expression: Expression, name: string): boolean {
  if (expression.kind === 'identifier' && expression.name === name) return true;
  return childrenOf(expression).some((child) => namesVariable(child, name));
}

/**
 * Returns true when any part of the expression selects a field of a variable: `variable.field`, `variable.?field` or
 * `has(variable.field)`. An index (`variable['field']`) does not count, as in Kubernetes.
 */
export function selectsField(expression: Expression, variable: string, field: string): boolean {
  const isVariable = (operand: Expression | undefined): boolean =>
    operand?.kind === 'identifier' && operand.name === variable;
  if (expression.kind === 'select' && expression.field === field && isVariable(expression.operand)) return true;
  if (expression.kind === 'call' && expression.name === OPTIONAL_SELECT && isVariable(expression.arguments[0])) {
    const [, name] = expression.arguments;
    if (name?.kind === 'literal' && name.value === field) return true;
  }
  return childrenOf(expression).some((child) => selectsField(child, variable, field));
}
