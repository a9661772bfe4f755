/**
 * Checks objects against the validation rules of their kind.
 *
 * @module
 */
import {
  atOnce,
  duplicate,
  FieldErrorList,
  FieldPath,
  forbidden,
  goQuote,
  invalid,
  isArray,
  isJsonObject,
  ownMember,
  required,
  UNBOUNDED_WORK,
  utf8Length,
  type FieldError,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { BRIEF_COST } from '../cel/cost/limits.js';
import {
  CelCostError,
  CelEvaluationError,
  CelFailure,
  CelOptional,
  type CelAttempt,
  type CelProgram,
  type CelResult,
  type CelValue,
} from '../cel/index.js';
import type { SchemaType, StructuralSchema } from '../schema/define/structural.js';
import type { ValidationRule } from '../schema/openapi/json-schema.js';
import { CorrelatedValue, itemsByKey, mapKeyOf } from '../schema/validate/correlate.js';
import type { RulesByPath } from './checked-rules.js';
import { OLD_SELF, SELF, type CompiledRule, type RuleCompiler } from './compile.js';
import { MAX_MESSAGE_BYTES, OBJECT_COST_BUDGET, RULE_COST_LIMIT } from './limits.js';
import { Place } from './place.js';
import { planRules, type RuleNode } from './plan.js';

/** Options of a validation. */
export interface RuleOptions {
  /**
   * Turns failing rules of unchanged values into warnings (validation ratcheting). Transition rules and errors of
   * evaluations remain errors. Needs an old object. Default false.
   */
  readonly ratchet?: boolean | undefined;
  /** The path of the value in errors. Default none, for a whole object. */
  readonly path?: string | undefined;
  /** Maximum cost of all rules. Default {@link OBJECT_COST_BUDGET}. */
  readonly costBudget?: number | undefined;
}

/** The result of a validation. */
export interface RuleResult {
  readonly errors: readonly FieldError[];
  /** Texts of failing rules that are not errors because the value did not change. */
  readonly warnings: readonly string[];
}

const nothingFound: RuleResult = { errors: [], warnings: [] };

/** Validates the values of one schema. Stateless between calls, except that rules are compiled at their first use. */
export class RuleValidator {
  readonly #root: RuleNode | undefined;
  readonly #schema: StructuralSchema;

  /**
   * @param isResource false when the values are parts of objects, without a version and a kind. Default true
   * @param compiled the rules that are compiled already. Default none
   */
  constructor(schema: StructuralSchema, compiler: RuleCompiler, isResource = true, compiled?: RulesByPath) {
    this.#schema = schema;
    this.#root = planRules(schema, compiler, isResource, compiled);
  }

  /** False when the schema has no rules. */
  get hasRules(): boolean {
    return this.#root !== undefined;
  }

  /**
   * Checks a value.
   *
   * @param oldValue the value before an update; undefined on creation
   */
  validate(value: JsonValue, oldValue?: JsonValue, options: RuleOptions = {}): RuleResult {
    return atOnce(this.validateInSlices(value, oldValue, UNBOUNDED_WORK, options));
  }

  /** As {@link validate}, in slices: it pauses between rules and values, and within long evaluations. */
  *validateInSlices(
    value: JsonValue,
    oldValue: JsonValue | undefined,
    work: Work,
    options: RuleOptions = {},
  ): Steps<RuleResult> {
    if (this.#root === undefined) return nothingFound;
    const correlation =
      options.ratchet === true && oldValue !== undefined
        ? new CorrelatedValue(value, oldValue, this.#schema)
        : undefined;
    const run = new Run(options.costBudget ?? OBJECT_COST_BUDGET, correlation, work);
    yield* run.visit(this.#root, value, oldValue, Place.start(options.path));
    return run;
  }
}

/** One validation of one object. */
class Run implements RuleResult {
  readonly errors = new FieldErrorList();
  readonly warnings: string[] = [];
  /** The cost that is left; negative when no further rule may run. */
  #budget: number;
  readonly #correlation: CorrelatedValue | undefined;
  readonly #work: Work;

  constructor(budget: number, correlation: CorrelatedValue | undefined, work: Work) {
    this.#budget = budget;
    this.#correlation = correlation;
    this.#work = work;
  }

  /** Checks a value and the values in it. Null is not checked: rules for null belong to the schema around it. */
  *visit(node: RuleNode, value: JsonValue, oldValue: JsonValue | undefined, place: Place): Steps<void> {
    if (value === null) return;
    const rules = node.rules() ?? (yield* node.compileRules(this.#work));
    if (rules.length > 0) yield* this.#check(rules, node, value, oldValue ?? undefined, place);
    for (const condition of node.allOf) {
      if (this.#budget < 0) return;
      yield* this.visit(condition, value, oldValue, place.condition());
    }
    if (isArray(value)) yield* this.#visitItems(node, value, oldValue, place);
    else if (isJsonObject(value)) yield* this.#visitMembers(node, value, isJsonObject(oldValue) ? oldValue : {}, place);
  }

  *#visitItems(
    node: RuleNode,
    value: readonly JsonValue[],
    oldValue: JsonValue | undefined,
    place: Place,
  ): Steps<void> {
    if (node.items === undefined) return;
    const { listType, listMapKeys = [] } = node.schema;
    // Items of other lists have no old values.
    const oldItems =
      listType === 'map' && isArray(oldValue) ? yield* itemsByKey(oldValue, listMapKeys, this.#work) : undefined;
    for (const [index, item] of value.entries()) {
      if (this.#budget < 0) return;
      const key = oldItems && mapKeyOf(item, listMapKeys);
      if (this.#work.spend(UNITS_OF_VALUE)) yield;
      yield* this.visit(node.items, item, key === undefined ? undefined : oldItems?.get(key), place.item(index));
    }
  }

  *#visitMembers(node: RuleNode, value: JsonObject, oldValue: JsonObject, place: Place): Steps<void> {
    const { additionalProperties } = node;
    if (additionalProperties !== undefined) {
      for (const key of Object.keys(value)) {
        const member = value[key];
        if (member === undefined) continue;
        if (this.#budget < 0) return;
        if (this.#work.spend(UNITS_OF_VALUE)) yield;
        yield* this.visit(additionalProperties, member, ownMember(oldValue, key), place.key(key));
      }
    }
    for (const [name, property] of node.properties) {
      const member = ownMember(value, name);
      if (member === undefined) continue;
      if (this.#budget < 0) return;
      yield* this.visit(property, member, ownMember(oldValue, name), place.field(name));
    }
  }

  /** Runs the rules of one value. */
  *#check(
    rules: readonly CompiledRule[],
    node: RuleNode,
    value: JsonValue,
    oldValue: JsonValue | undefined,
    place: Place,
  ): Steps<void> {
    const subject = new Subject(node, value, oldValue, place);
    if (this.#budget <= 0) {
      this.errors.push(subject.invalid(OUT_OF_BUDGET));
      this.#budget = -1;
      return;
    }
    for (const rule of rules) {
      if (rule.error !== undefined) this.errors.push(subject.invalid(`rule compile error: ${rule.error}`));
      else if (rule.program !== undefined && (oldValue !== undefined || runsWithoutOldValue(rule)))
        yield* this.#run(rule, rule.program, subject);
      if (this.#budget < 0) return;
    }
  }

  *#run(rule: CompiledRule, program: CelProgram, subject: Subject): Steps<void> {
    const result = yield* this.#spend(program, subject.values(rule.rule.optionalOldSelf === true));
    if (result === true) return;
    if (result instanceof Refusal)
      this.errors.push(
        subject.invalid(
          result.isOfRule
            ? `'${new CelCostError().message}': no further validation rules will be run due to call cost exceeds limit for rule: ${shownRule(rule.rule)}`
            : OUT_OF_BUDGET,
        ),
      );
    else if (result instanceof CelFailure) this.errors.push(subject.invalid(failureText(result.message, rule.rule)));
    else yield* this.#reject(rule, subject);
  }

  /** Evaluates a program at the expense of the budget. A refusal ends the validation. */
  *#spend(program: CelProgram, values: Variables | CelFailure): Steps<CelResult | Refusal> {
    if (values instanceof CelFailure) return values;
    try {
      const { result, cost } = yield* attempt(program, (name) => values[name], this.#work);
      this.#budget -= cost;
      return this.#budget < 0 ? new Refusal(false) : result;
    } catch (error) {
      if (!(error instanceof CelCostError)) throw error;
      const isOfRule = this.#budget > RULE_COST_LIMIT;
      this.#budget = -1;
      return new Refusal(isOfRule);
    }
  }

  /** Reports a value that violates a rule. */
  *#reject({ rule, message, usesOldSelf, reportedPath }: CompiledRule, subject: Subject): Steps<void> {
    const { place, type } = subject;
    const result = message && (yield* this.#spend(message, subject.values(false)));
    const path = subject.pathOf(reportedPath);
    const error =
      result instanceof Refusal
        ? invalid(path, type, refusedMessage(result, rule))
        : errorFor(rule, path, type, messageOf(result) ?? defaultMessage(rule));
    const isUnchanged =
      !usesOldSelf && this.#correlation !== undefined && (yield* place.isUnchanged(this.#correlation, this.#work));
    if (isUnchanged) this.warnings.push(String(error));
    else this.errors.push(error);
  }
}

/** Work of visiting a value: about two microseconds. */
const UNITS_OF_VALUE = 4;
/** Work of running a rule, besides its cost. */
const UNITS_OF_RULE = 20;

/** Evaluates a program, briefly if that suffices. */
function* attempt(
  program: CelProgram,
  variable: (name: string) => CelValue | undefined,
  work: Work,
): Steps<CelAttempt> {
  const brief = program.attemptBriefly(variable, ruleLimit);
  if (brief === undefined) {
    if (work.spend(BRIEF_COST)) yield;
    return yield* program.attemptInSlices(variable, work, ruleLimit);
  }
  if (work.spend(brief.cost + UNITS_OF_RULE)) yield;
  return brief;
}

const ruleLimit = { costLimit: RULE_COST_LIMIT };

/** The end of a validation: a rule exceeded its own cost limit, or the budget of the object. */
class Refusal {
  readonly isOfRule: boolean;

  constructor(isOfRule: boolean) {
    this.isOfRule = isOfRule;
  }
}

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

const refusedMessage = ({ isOfRule }: Refusal, { messageExpression = '' }: ValidationRule): string =>
  isOfRule
    ? `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${goQuote(messageExpression)}`
    : 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run';

/** Returns the message that an expression returned; undefined when it failed or the message is invalid. */
function messageOf(result: CelResult | undefined): string | undefined {
  if (typeof result !== 'string') return undefined;
  const text = result.trim();
  return text === '' || text.includes('\n') || utf8Length(text) > MAX_MESSAGE_BYTES ? undefined : text;
}

type Variables = Readonly<Record<string, CelValue | undefined>>;

/** The value that the rules of a node check. */
class Subject {
  readonly place: Place;
  /** The type of the value, which errors show in place of the value. */
  readonly type: string;
  readonly #node: RuleNode;
  readonly #value: JsonValue;
  readonly #oldValue: JsonValue | undefined;
  #usual: Variables | CelFailure | undefined;
  #optional: Variables | CelFailure | undefined;

  constructor(node: RuleNode, value: JsonValue, oldValue: JsonValue | undefined, place: Place) {
    this.place = place;
    this.type = shownTypes[node.schema.type];
    this.#node = node;
    this.#value = value;
    this.#oldValue = oldValue;
  }

  /** Returns the variables of an expression, or the failure to read the value. */
  values(oldSelfIsOptional: boolean): Variables | CelFailure {
    return oldSelfIsOptional ? (this.#optional ??= this.#read(true)) : (this.#usual ??= this.#read(false));
  }

  #read(oldSelfIsOptional: boolean): Variables | CelFailure {
    const { read } = this.#node;
    try {
      const self = read(this.#value);
      const oldSelf = this.#oldValue === undefined ? undefined : read(this.#oldValue);
      return { [SELF]: self, [OLD_SELF]: oldSelfIsOptional ? CelOptional.of(oldSelf) : oldSelf };
    } catch (error) {
      if (error instanceof CelEvaluationError) return new CelFailure(error.message);
      throw error;
    }
  }

  /** Returns the path of the value, or of a field of it. */
  pathOf(reportedPath: string): FieldPath | string {
    const { path } = this.place;
    if (reportedPath !== '') return (path ?? FieldPath.root).child(reportedPath);
    // The object itself has no path, which Kubernetes shows as Go's nil.
    return path ?? '<nil>';
  }

  /** Returns the error of the value. */
  invalid(detail: string): FieldError {
    return invalid(this.pathOf(''), this.type, detail);
  }
}

/** The types of values as errors show them. A value without a JSON type has an empty one. */
const shownTypes: Readonly<Record<SchemaType, string>> = {
  object: 'object',
  array: 'array',
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  'int-or-string': '',
  any: '',
};

/** A transition rule needs an old value, unless it takes an optional one. */
const runsWithoutOldValue = ({ usesOldSelf, rule }: CompiledRule): boolean =>
  !usesOldSelf || rule.optionalOldSelf === true;

/** Returns the text that stands for a rule in errors: its message, or the rule. */
const shownRule = ({ message = '', rule }: ValidationRule): string => (message === '' ? rule : message).trim();

const defaultMessage = (rule: ValidationRule): string =>
  (rule.message ?? '') === '' ? `failed rule: ${shownRule(rule)}` : shownRule(rule);

const failureText = (problem: string, rule: ValidationRule): string =>
  problem.startsWith('no such overload')
    ? `'${problem}': call arguments did not match a supported operator, function or macro signature for rule: ${shownRule(rule)}`
    : `${problem} evaluating rule: ${shownRule(rule)}`;

/** Returns the error that a rule's reason demands. */
function errorFor({ reason }: ValidationRule, path: FieldPath | string, type: string, detail: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(path, detail);
    case 'FieldValueRequired':
      return required(path, detail);
    case 'FieldValueDuplicate':
      // Duplicates have no detail.
      return duplicate(path, type);
    default:
      return invalid(path, type, detail);
  }
}
