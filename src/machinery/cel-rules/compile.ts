/**
 * Compiles the rules of one schema, with the errors of Kubernetes.
 *
 * @module
 */
import type { Steps, Work } from '../../foundation/index.js';
import {
  CelCompileError,
  loadCelEnvironments,
  optionalType,
  type CelEnvironment,
  type CelEnvironmentOptions,
  type CelProgram,
  type SizeEstimator,
} from '../cel/index.js';
import { resolveFieldPath } from '../schema/define/resolve-field-path.js';
import type { StructuralSchema } from '../schema/define/structural.js';
import type { ValidationRule } from '../schema/openapi/json-schema.js';
import type { DeclaredType } from './declared-type.js';

/** The variable of the value that a rule checks. */
export const SELF = 'self';
/** The variable of the value before the update. */
export const OLD_SELF = 'oldSelf';

/** A rule with its programs. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Absent when the rule is blank or does not compile. */
  readonly program?: CelProgram | undefined;
  /** The error of the rule. */
  readonly error?: string | undefined;
  /** True for a transition rule, which compares with the old value. */
  readonly usesOldSelf: boolean;
  /** The estimated maximum cost of an evaluation; 0 when the rule does not compile. */
  readonly maxCost: bigint;
  readonly message?: CelProgram | undefined;
  /** The error of the message expression. */
  readonly messageError?: string | undefined;
  readonly messageMaxCost: bigint;
  /** The path of the reported field, relative to the value; empty for the value itself. */
  readonly reportedPath: string;
}

/** Compiles rules. */
export class RuleCompiler {
  readonly #create: (options: CelEnvironmentOptions) => CelEnvironment;

  /** @param create creates environments, as {@link loadCelEnvironments} returns it */
  constructor(create: (options: CelEnvironmentOptions) => CelEnvironment) {
    this.#create = create;
  }

  /**
   * Compiles rules for the values of a schema. It pauses between and within expressions.
   *
   * @param declared the type of the values
   */
  *compileInSlices(
    rules: readonly ValidationRule[],
    schema: StructuralSchema,
    declared: DeclaredType,
    work: Work,
  ): Steps<CompiledRule[]> {
    const { type } = declared;
    const sizes = sizeEstimator(declared);
    let usual: CelEnvironment | undefined;
    let optional: CelEnvironment | undefined;
    const compiledRules: CompiledRule[] = [];
    for (const rule of rules) {
      const environment =
        rule.optionalOldSelf === true
          ? (optional ??= this.#create({ variables: { [SELF]: type, [OLD_SELF]: optionalType(type) } }))
          : (usual ??= this.#create({ variables: { [SELF]: type, [OLD_SELF]: type } }));
      compiledRules.push(yield* compileRule({ rule, schema, environment, sizes, work }));
    }
    return compiledRules;
  }
}

/** Loads what rules need to be compiled. */
export async function loadRules(): Promise<RuleCompiler> {
  return new RuleCompiler(await loadCelEnvironments());
}

/** Returns the sizes of the values that a rule names. */
function sizeEstimator(declared: DeclaredType): SizeEstimator {
  return {
    sizeOf(path) {
      if (path.length === 0) return undefined;
      let current: DeclaredType | undefined = declared;
      for (const name of path.slice(1)) current = memberOf(current, name);
      return current && { min: 0, max: current.maxElements };
    },
  };
}

function memberOf(declared: DeclaredType | undefined, name: string): DeclaredType | undefined {
  if (name === '@items' || name === '@values') return declared?.element;
  return name === '@keys' ? declared?.key : declared?.fields?.get(name);
}

/** A rule that is compiled, and what it is compiled with. */
interface Compilation {
  readonly rule: ValidationRule;
  readonly schema: StructuralSchema;
  readonly environment: CelEnvironment;
  readonly sizes: SizeEstimator;
  readonly work: Work;
}

function* compileRule({ rule, schema, environment, sizes, work }: Compilation): Steps<CompiledRule> {
  const nothing: CompiledRule = { rule, usesOldSelf: false, maxCost: 0n, messageMaxCost: 0n, reportedPath: '' };
  if (rule.rule.trim() === '') return nothing;
  const program = yield* compiled(rule.rule, environment, work);
  if (typeof program === 'string') return { ...nothing, error: program };
  if (program.type.kind !== 'bool') return { ...nothing, error: 'cel expression must evaluate to a bool' };
  const message = yield* compileMessage(rule.messageExpression ?? '', environment, work);
  const messageProgram = typeof message === 'string' ? undefined : message;
  return {
    rule,
    program,
    usesOldSelf: program.names(OLD_SELF),
    maxCost: (yield* program.estimateCostInSlices(work, sizes)).max,
    message: messageProgram,
    messageError: typeof message === 'string' ? message : undefined,
    messageMaxCost: messageProgram === undefined ? 0n : (yield* messageProgram.estimateCostInSlices(work, sizes)).max,
    reportedPath: reportedPathOf(rule.fieldPath ?? '', schema),
  };
}

/** Returns the program of a message expression, its error, or undefined without an expression. */
function* compileMessage(
  expression: string,
  environment: CelEnvironment,
  work: Work,
): Steps<CelProgram | string | undefined> {
  if (expression === '') return undefined;
  const program = yield* compiled(expression, environment, work);
  if (typeof program === 'string')
    return program.replace(/^compilation/, 'messageExpression compilation').replace(/^program/, 'messageExpression');
  return program.type.kind === 'string' ? program : 'messageExpression must evaluate to a string';
}

/** Returns the program of an expression, or its error. */
function* compiled(expression: string, environment: CelEnvironment, work: Work): Steps<CelProgram | string> {
  try {
    return yield* environment.compileInSlices(expression, work);
  } catch (error) {
    if (error instanceof CelCompileError) return error.message;
    throw error;
  }
}

/** Returns the path that errors of a rule show; the value's own path when the rule has none or an invalid one. */
function reportedPathOf(text: string, schema: StructuralSchema): string {
  const found = resolveFieldPath(text, schema);
  return typeof found === 'string' ? '' : found.path;
}
