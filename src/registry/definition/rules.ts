/**
 * The CEL rules of schemas (`StructuralSchema.validations`), as a part of the validation of objects.
 *
 * @module
 */
import {
  allErrors,
  appendAll,
  invalid,
  loading,
  omittedErrors,
  workOf,
  type FieldError,
  type JsonObject,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import type { RulesByPath, StructuralSchema } from '../../machinery/index.js';
import { importCelRules } from '../../machinery/late.js';
import type { RequestContext } from '../store/context.js';

/** The errors of rules, and warnings for unchanged values whose errors are tolerated. */
export interface RuleOutcome {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

/** Checks the rules of a schema; `src/machinery/cel-rules` implements it. */
export interface RuleChecker {
  validate(object: JsonObject, old: JsonObject | undefined, work: Work): Steps<RuleOutcome>;
}

/** Errors after which the rules do not run, since values may be missing, huge or of another type. */
const BLOCKING: ReadonlySet<string> = new Set(['Required', 'TooLong', 'TooMany', 'TypeInvalid', 'NotSupported']);

const UNCHECKED_RULES =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** The object that {@link withRuleErrors} checks, and its rules. */
export interface RuleCheck {
  readonly rules: RuleChecker | undefined;
  readonly object: JsonObject;
  /** The stored object; undefined for a new one. */
  readonly old: JsonObject | undefined;
}

/** Returns the errors of an object with those of its rules, which are checked in steps. Warnings go to the context. */
export function* withRuleErrors(
  errors: readonly FieldError[],
  { rules, object, old }: RuleCheck,
  context: RequestContext,
): Steps<FieldError[]> {
  if (rules === undefined) return allErrors(errors);
  if (omittedErrors(errors) > 0 || errors.some(({ type }) => BLOCKING.has(type)))
    return allErrors(errors, [invalid('<nil>', null, UNCHECKED_RULES)]);
  const outcome = yield* rules.validate(object, old, workOf(context));
  for (const warning of outcome.warnings) context.warn(warning);
  return allErrors(errors, outcome.errors);
}

/** Makes the checker of the rules of a schema, of which some may be compiled already. */
export type RuleCheckers = (schema: StructuralSchema, compiled?: RulesByPath) => RuleChecker;

/** Loads CEL. */
export async function loadRuleCheckers(): Promise<RuleCheckers> {
  const { loadRules, RuleValidator } = await loading(importCelRules());
  const compiler = await loadRules();
  return (schema, compiled) => {
    const validator = new RuleValidator(schema, compiler, true, compiled);
    return { validate: (object, old, work) => validator.validateInSlices(object, old, work, { ratchet: true }) };
  };
}

/** The parts of a schema in which rules occur. */
type Node = Pick<StructuralSchema, 'validations' | 'properties' | 'additionalProperties' | 'items'>;

/** Returns whether a schema has rules, at any depth. */
export function hasRules(schema: StructuralSchema): boolean {
  const seen = new Set<Node>();
  const open: Node[] = [schema];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    if ((node.validations?.length ?? 0) > 0) return true;
    appendAll(open, node.properties?.values() ?? []);
    for (const child of [node.additionalProperties, node.items]) if (child !== undefined) open.push(child);
  }
  return false;
}

/** The rules of a kind that is declared in code, loaded before its first object is written. */
export class KindRules {
  readonly #schema: () => StructuralSchema;
  /** Null for a kind without rules. */
  #checker: RuleChecker | null | undefined;
  #loading: Promise<void> | undefined;

  /** @param schema returns the schema of whole objects; called at the first write */
  constructor(schema: () => StructuralSchema) {
    this.#schema = schema;
  }

  /** The checker; undefined for a kind without rules, and before {@link load}. */
  get checker(): RuleChecker | undefined {
    return this.#checker ?? undefined;
  }

  /** Loads what the rules need; undefined when nothing is missing. A failed call is repeated by the next. */
  load(): Promise<void> | undefined {
    if (this.#checker !== undefined) return undefined;
    const schema = this.#schema();
    if (!hasRules(schema)) {
      this.#checker = null;
      return undefined;
    }
    this.#loading ??= loadRuleCheckers()
      .then((checkerOf) => void (this.#checker = checkerOf(schema)))
      .finally(() => (this.#loading = undefined));
    return this.#loading;
  }
}
