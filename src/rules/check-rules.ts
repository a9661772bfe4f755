/**
 * Checks the rules of a schema before it is used: their texts, their expressions, and their estimated cost.
 *
 * Source: `ValidateCustomResourceDefinitionOpenAPISchema` of Kubernetes 1.31.
 *
 * @module
 */
import {
  forbidden,
  internalField,
  invalid,
  notSupported,
  required,
  ShownAs,
  type FieldError,
} from '../meta/field-error.js';
import { goQuote } from '../meta/go-text.js';
import type { ValidationRule } from '../schema/json-schema.js';
import type { StructuralSchema } from '../schema/structural.js';
import type { CompiledRule, RuleCompiler } from './compile.js';
import { CostLedger, budgetText, timesCardinality } from './cost-ledger.js';
import { declaredType, type DeclaredType } from './declared-type.js';
import { escapedFieldName } from './field-names.js';
import { ESTIMATED_RULE_COST_LIMIT, MAX_REQUEST_BYTES } from './limits.js';
import { resolveReportedPath } from './reported-path.js';

/** Options of {@link checkValidationRules}. */
export interface CheckRulesOptions {
  readonly compiler: RuleCompiler;
  /** The path of the schema in errors: `spec.validation.openAPIV3Schema`. */
  readonly path: string;
  /** The name of the vendor extension that holds rules: `x-…-validations`. */
  readonly extension: string;
  /** Accepts single rules of any cost, as Kubernetes does when an update leaves the schema unchanged. Default false. */
  readonly allowExpensiveRules?: boolean | undefined;
}

/**
 * Checks all rules of a schema.
 *
 * @param root the schema of a resource, as its author wrote it: a valid structural schema
 * @returns the errors in the order of Kubernetes: wrong texts, wrong expressions, then the cost of all rules
 */
export function checkValidationRules(root: StructuralSchema, options: CheckRulesOptions): FieldError[] {
  const check = new RuleCheck(options);
  const { textErrors, expressionErrors } = check.visit({
    schema: root,
    path: options.path,
    declared: () => declaredType(root, 'selfType', true),
    cardinality: 1n,
    uncorrelatable: undefined,
  });
  return [...textErrors, ...expressionErrors, ...check.costs.errors(options.path, options.extension)];
}

/** The errors of a schema and of the schemas in it. */
interface Found {
  /** Errors of messages, reasons and paths. Expressions around them are not checked. */
  readonly textErrors: FieldError[];
  readonly expressionErrors: FieldError[];
}

/** A schema and its surroundings. */
interface Position {
  readonly schema: StructuralSchema;
  readonly path: string;
  /** Returns the type of the schema's values; undefined when expressions cannot see them. */
  readonly declared: () => DeclaredType | undefined;
  /** Maximum number of values in an object; undefined when a list or map around them is not bounded. */
  readonly cardinality: bigint | undefined;
  /** The path of the outermost list whose items have no old values. */
  readonly uncorrelatable: string | undefined;
}

class RuleCheck {
  readonly costs = new CostLedger();
  readonly #options: CheckRulesOptions;
  /** The schemas around the current one: a recursive type is checked once. */
  readonly #enclosing = new Set<StructuralSchema>();

  constructor(options: CheckRulesOptions) {
    this.#options = options;
  }

  visit(position: Position): Found {
    const { schema } = position;
    const found: Found = { textErrors: [], expressionErrors: [] };
    if (this.#enclosing.has(schema)) return found;
    this.#enclosing.add(schema);
    for (const child of childrenOf(position)) {
      const { textErrors, expressionErrors } = this.visit(child);
      found.textErrors.push(...textErrors);
      found.expressionErrors.push(...expressionErrors);
    }
    this.#enclosing.delete(schema);
    const { validations = [] } = schema;
    if (validations.length === 0) return found;
    found.textErrors.push(
      ...validations.flatMap((rule, index) => textErrorsOf(rule, schema, this.#pathOf(position, index))),
    );
    if (found.textErrors.length === 0) this.#checkExpressions(position, validations, found.expressionErrors);
    return found;
  }

  #pathOf({ path }: Position, index: number): string {
    return `${path}.${this.#options.extension}[${index}]`;
  }

  #checkExpressions(position: Position, validations: readonly ValidationRule[], errors: FieldError[]): void {
    const { compiler, extension } = this.#options;
    const declared = position.declared();
    if (declared === undefined) {
      errors.push(
        internalField(
          `${position.path}.${extension}`,
          `internal error: failed to construct type information for ${extension} rules: unable to convert structural schema to CEL declarations`,
        ),
      );
      return;
    }
    for (const [index, rule] of compiler.compile(validations, position.schema, declared).entries())
      errors.push(...this.#errorsOf(rule, position, declared, this.#pathOf(position, index)));
  }

  #errorsOf(compiled: CompiledRule, position: Position, declared: DeclaredType, path: string): FieldError[] {
    const { rule, error, message, messageError, messageMaxCost, usesOldSelf } = compiled;
    const cost = timesCardinality(compiled.maxCost, position.cardinality ?? mostValues(declared));
    const errors = this.#costErrors('estimated rule cost', cost, `${path}.rule`);
    if (error !== undefined) errors.push(invalid(`${path}.rule`, shownRule(rule), error));
    if (messageError !== undefined) errors.push(invalid(`${path}.messageExpression`, shownRule(rule), messageError));
    else if (message !== undefined)
      errors.push(...this.#costErrors('estimated messageExpression cost', messageMaxCost, `${path}.messageExpression`));
    if (usesOldSelf && position.uncorrelatable !== undefined)
      errors.push(
        invalid(
          `${path}.rule`,
          rule.rule,
          `oldSelf cannot be used on the uncorrelatable portion of the schema within ${position.uncorrelatable}`,
        ),
      );
    if (!usesOldSelf && rule.optionalOldSelf !== undefined)
      errors.push(
        invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'),
      );
    return errors;
  }

  #costErrors(what: string, cost: bigint, path: string): FieldError[] {
    this.costs.add(path, cost);
    const isAllowed = this.#options.allowExpensiveRules === true || cost <= ESTIMATED_RULE_COST_LIMIT;
    return isAllowed ? [] : [forbidden(path, budgetText(what, cost, ESTIMATED_RULE_COST_LIMIT))];
  }
}

/** Returns how many values of a type fit in a request. A comma follows each. */
const mostValues = ({ minSize }: DeclaredType): bigint => BigInt(Math.floor(MAX_REQUEST_BYTES / (minSize + 1)));

/** Returns the schemas in a schema, in the order of Kubernetes. */
function childrenOf(position: Position): Position[] {
  const { schema, path, declared, uncorrelatable } = position;
  const { properties, additionalProperties, items, listType } = schema;
  const cardinality = cardinalityOfChildren(position);
  const children: Position[] = [];
  const add = (
    child: StructuralSchema,
    childPath: string,
    known: () => DeclaredType | undefined,
    uncorrelatablePath = uncorrelatable,
  ): void => {
    const own = once(() => known() ?? declaredType(child, 'selfType', child.embeddedResource === true));
    children.push({ schema: child, path: childPath, declared: own, cardinality, uncorrelatable: uncorrelatablePath });
  };
  if (additionalProperties !== undefined)
    add(additionalProperties, `${path}.additionalProperties`, () => declared()?.element);
  for (const [name, property] of properties ?? [])
    add(property, `${path}.properties[${name}]`, () => declared()?.fields?.get(escapedFieldName(name) ?? ''));
  // Only items of lists with keys have old values.
  if (items !== undefined)
    add(
      items,
      `${path}.items`,
      () => declared()?.element,
      listType === 'map' ? uncorrelatable : (uncorrelatable ?? path),
    );
  return children;
}

/** Returns a function that computes its result at the first call. */
function once<Result>(compute: () => Result): () => Result {
  let result: { readonly value: Result } | undefined;
  return () => (result ??= { value: compute() }).value;
}

function cardinalityOfChildren({ schema, cardinality }: Position): bigint | undefined {
  if (cardinality === undefined) return undefined;
  const { type, additionalProperties, maxProperties, maxItems } = schema;
  let most: number | undefined = 1;
  if (type === 'array') most = maxItems;
  else if (type === 'object' && additionalProperties !== undefined) most = maxProperties;
  return most === undefined ? undefined : timesCardinality(cardinality, BigInt(Math.max(0, most)));
}

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text);

/** Returns the errors of a rule that do not need its expressions. */
function textErrorsOf(rule: ValidationRule, schema: StructuralSchema, path: string): FieldError[] {
  const { messageExpression = '', reason } = rule;
  const errors = messageErrorsOf(rule, path);
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  if (reason !== undefined && !REASONS.includes(reason)) errors.push(notSupported(`${path}.reason`, reason, REASONS));
  errors.push(...reportedPathErrors(rule.fieldPath ?? '', schema, `${path}.fieldPath`));
  return errors;
}

/** Returns the first error of the rule's text and its message. */
function messageErrorsOf({ rule, message = '' }: ValidationRule, path: string): FieldError[] {
  const [ruleText, messageText] = [rule.trim(), message.trim()];
  if (ruleText === '') return [required(`${path}.rule`, 'rule is not specified')];
  if (message !== '' && messageText === '')
    return [invalid(`${path}.message`, message, 'message must be non-empty if specified')];
  if (hasLineBreak(messageText)) return [invalid(`${path}.message`, message, 'message must not contain line breaks')];
  return hasLineBreak(ruleText) && messageText === ''
    ? [required(`${path}.message`, 'message must be specified if rule contains line breaks')]
    : [];
}

function reportedPathErrors(text: string, schema: StructuralSchema, path: string): FieldError[] {
  if (text === '') return [];
  const errors: FieldError[] = [];
  if (text.trim() === '') errors.push(invalid(path, text, 'fieldPath must be non-empty if specified'));
  if (hasLineBreak(text)) errors.push(invalid(path, text, 'fieldPath must not contain line breaks'));
  try {
    resolveReportedPath(text, schema);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    errors.push(invalid(path, text, 'fieldPath must be a valid path'));
  }
  return errors;
}

/** Returns a rule as Go prints it. For a pointer, Go prints an address, and this server the value. */
function shownRule({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: ValidationRule): ShownAs {
  const [text, messageText, expressionText, pathText] = [rule, message, messageExpression, fieldPath].map((value) =>
    goQuote(value ?? ''),
  );
  const reasonText = reason === undefined ? 'nil' : goQuote(reason);
  return new ShownAs(
    `apiextensions.ValidationRule{Rule:${text ?? ''}, Message:${messageText ?? ''}, MessageExpression:${expressionText ?? ''}, ` +
      `Reason:(*apiextensions.FieldValueErrorReason)(${reasonText}), FieldPath:${pathText ?? ''}, OptionalOldSelf:(*bool)(${String(optionalOldSelf ?? 'nil')})}`,
  );
}
