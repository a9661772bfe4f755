/**
 * Checks the rules of a schema before it is used: their expressions, and their estimated cost.
 *
 * Source: `ValidateCustomResourceDefinitionOpenAPISchema` of Kubernetes 1.31.
 *
 * @module
 */
import {
  appendErrors,
  DEFAULT_DEFINITION_LIMITS,
  FieldErrorList,
  forbidden,
  internalField,
  invalid,
  tooLong,
  VerbatimValue,
  type FieldError,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import type { StructuralSchema } from '../schema/define/structural.js';
import type { ValidationRule } from '../schema/openapi/json-schema.js';
import { goValidationRule } from '../schema/validate/go-validation-rule.js';
import type { CollectedRules } from './checked-rules.js';
import type { CompiledRule, RuleCompiler } from './compile.js';
import { CostLedger, budgetText, timesCardinality } from './cost-ledger.js';
import { declaredType, type DeclaredType } from './declared-type.js';
import { escapedFieldName } from './field-names.js';
import { ESTIMATED_RULE_COST_LIMIT, MAX_REQUEST_BYTES } from './limits.js';

/** Options of {@link checkValidationRules}. */
export interface CheckRulesOptions {
  /** The path of the schema in errors: `spec.validation.openAPIV3Schema`. */
  readonly path: string;
  /** The name of the vendor extension that holds rules: `x-…-validations`. */
  readonly extension: string;
  /** The objects whose fields have no old values, since their map type is unknown. Default none. */
  readonly uncorrelatable?: ReadonlySet<StructuralSchema> | undefined;
  /** Accepts single rules of any cost, as Kubernetes does when an update leaves the schema unchanged. Default false. */
  readonly ignoresRuleCost?: boolean | undefined;
  /** Most characters of all rules, with the expressions of their messages; default 262,144. */
  readonly maxTextLength?: number | undefined;
  /** Receives the error of rules beyond that limit when {@link ignoresRuleCost} is set. */
  readonly warn?: ((text: string) => void) | undefined;
  /** Collects the compiled rules. */
  readonly collected?: CollectedRules | undefined;
  /** Counts the work; the check pauses between schemas, rules and their parts. */
  readonly work: Work;
}

/** Work of visiting a schema. */
const UNITS_OF_SCHEMA = 20;

/**
 * Compiles all rules of a schema and estimates their cost, in slices. The texts of the rules (messages, reasons, paths) are checked
 * with the schema.
 *
 * @param root the schema of a resource, as its author wrote it: a valid structural schema
 * @returns the errors in the order of Kubernetes: those of single rules, inner schemas first, then the cost of all rules
 */
export function* checkValidationRules(
  root: StructuralSchema,
  compiler: RuleCompiler,
  options: CheckRulesOptions,
): Steps<FieldError[]> {
  const check = new RuleCheck(compiler, options);
  yield* check.visit({
    schema: root,
    path: options.path,
    declared: once(() => declaredType(root, 'selfType', true)),
    cardinality: 1n,
    uncorrelatable: undefined,
  });
  return [...check.errors, ...check.costs.errors(options.path, options.extension)];
}

/** A schema and its surroundings. */
interface Position {
  readonly schema: StructuralSchema;
  readonly path: string;
  /** Returns the type of the schema's values; undefined when expressions cannot see them. */
  readonly declared: () => DeclaredType | undefined;
  /** Maximum number of values in an object; undefined when a list or map around them is not bounded. */
  readonly cardinality: bigint | undefined;
  /** The path of the outermost list or object in which values have no old values. */
  readonly uncorrelatable: string | undefined;
}

class RuleCheck {
  readonly errors = new FieldErrorList();
  readonly costs = new CostLedger();
  #textLength = 0;
  readonly #compiler: RuleCompiler;
  readonly #options: CheckRulesOptions;
  /** The schemas around the current one: a recursive type is checked once. */
  readonly #enclosing = new Set<StructuralSchema>();

  constructor(compiler: RuleCompiler, options: CheckRulesOptions) {
    this.#compiler = compiler;
    this.#options = options;
  }

  *visit(position: Position): Steps<void> {
    const { schema } = position;
    if (this.#enclosing.has(schema)) return;
    this.#enclosing.add(schema);
    if (this.#options.collected !== undefined) this.#options.collected.schemas += 1;
    if (this.#options.work.spend(UNITS_OF_SCHEMA)) yield;
    for (const child of childrenOf(this.#placed(position))) yield* this.visit(child);
    this.#enclosing.delete(schema);
    const { validations = [] } = schema;
    if (validations.length > 0) yield* this.#checkRules(position, validations);
  }

  /** Returns the position for what is in a schema, which has no old values when the schema does not relate them. */
  #placed(position: Position): Position {
    const isRelated = this.#options.uncorrelatable?.has(position.schema) !== true;
    return isRelated ? position : { ...position, uncorrelatable: position.uncorrelatable ?? position.path };
  }

  /**
   * Counts the text of rules. Beyond the limit, one error is reported and no further rule is compiled; rules that are
   * stored already are, with a warning.
   */
  #fits(validations: readonly ValidationRule[]): boolean {
    const maximum = this.#options.maxTextLength ?? DEFAULT_DEFINITION_LIMITS.ruleCharacters;
    const fitted = this.#textLength <= maximum;
    for (const { rule, messageExpression = '' } of validations)
      this.#textLength += rule.length + messageExpression.length;
    if (this.#textLength <= maximum) return true;
    const { path, ignoresRuleCost: isStored = false, warn } = this.#options;
    if (fitted) {
      const error = tooLong(path, '', maximum);
      if (isStored) warn?.(error.toString());
      else this.errors.push(error);
    }
    return isStored;
  }

  *#checkRules(position: Position, validations: readonly ValidationRule[]): Steps<void> {
    if (!this.#fits(validations)) return;
    const declared = position.declared();
    const path = `${position.path}.${this.#options.extension}`;
    if (declared === undefined) {
      const problem = `failed to construct type information for ${this.#options.extension} rules`;
      const reason = 'unable to convert structural schema to CEL declarations';
      this.errors.push(internalField(path, `internal error: ${problem}: ${reason}`));
      return;
    }
    const { work, collected } = this.#options;
    const rules = yield* this.#compiler.compileInSlices(validations, position.schema, declared, work);
    collected?.rules.set(position.path.slice(this.#options.path.length), rules);
    for (const [index, rule] of rules.entries())
      appendErrors(this.errors, this.#errorsOf(rule, position, declared, `${path}[${index}]`));
  }

  #errorsOf(compiled: CompiledRule, position: Position, declared: DeclaredType, path: string): FieldError[] {
    const { rule, error, message, messageError, messageMaxCost, usesOldSelf } = compiled;
    const cost = timesCardinality(compiled.maxCost, position.cardinality ?? mostValues(declared));
    const errors = this.#costErrors('estimated rule cost', cost, `${path}.rule`);
    const shown = new VerbatimValue(goValidationRule(rule));
    if (error !== undefined) errors.push(invalid(`${path}.rule`, shown, error));
    if (messageError !== undefined) errors.push(invalid(`${path}.messageExpression`, shown, messageError));
    else if (message !== undefined)
      appendErrors(
        errors,
        this.#costErrors('estimated messageExpression cost', messageMaxCost, `${path}.messageExpression`),
      );
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
    const isAllowed = this.#options.ignoresRuleCost === true || cost <= ESTIMATED_RULE_COST_LIMIT;
    return isAllowed ? [] : [forbidden(path, budgetText(what, cost, ESTIMATED_RULE_COST_LIMIT))];
  }
}

/** Returns how many values of a type fit in a request. A comma follows each. */
const mostValues = ({ minSize }: DeclaredType): bigint => BigInt(Math.floor(MAX_REQUEST_BYTES / (minSize + 1)));

/** Yields the schemas in a schema, in the order of Kubernetes: one at a time, since a schema may have many. */
function* childrenOf(position: Position): Generator<Position> {
  const { schema, path, declared, uncorrelatable } = position;
  const { properties, additionalProperties, items, listType } = schema;
  const cardinality = cardinalityOfChildren(position);
  const positionOf = (
    child: StructuralSchema,
    childPath: string,
    known: () => DeclaredType | undefined,
    uncorrelatablePath = uncorrelatable,
  ): Position => {
    const own = once(() => known() ?? declaredType(child, 'selfType', child.embeddedResource === true));
    return { schema: child, path: childPath, declared: own, cardinality, uncorrelatable: uncorrelatablePath };
  };
  if (additionalProperties !== undefined)
    yield positionOf(additionalProperties, `${path}.additionalProperties`, () => declared()?.element);
  for (const [name, property] of properties ?? []) {
    const known = (): DeclaredType | undefined => declared()?.fields?.get(escapedFieldName(name) ?? '');
    yield positionOf(property, `${path}.properties[${name}]`, known);
  }
  if (items === undefined) return;
  // Only items of lists with keys have old values.
  const ofItems = listType === 'map' ? uncorrelatable : (uncorrelatable ?? path);
  yield positionOf(items, `${path}.items`, () => declared()?.element, ofItems);
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
