/**
 * Environments: the variables and functions that expressions may use. An environment compiles expressions and refuses
 * invalid ones. A compiled program evaluates its expression within a cost limit.
 *
 * @module
 */
import { appendAll, atOnce, definedOnly, UNBOUNDED_WORK, type Steps, type Work } from '../../foundation/index.js';
import { loadPatternLibrary, PatternLibrary } from '../patterns/index.js';
import type { CostBounds } from './cost/cost-bounds.js';
import { estimateCost, type SizeEstimator } from './cost/estimate.js';
import { BRIEF_COST, DEFAULT_COST_LIMIT, defaultExpressionLimits, type ExpressionLimits } from './cost/limits.js';
import { Meter } from './cost/meter.js';
import { CelCompileError, CelCostError, CelEvaluationError, CelFailure, failure } from './evaluate/failures.js';
import { EvaluationPause, Pauses } from './evaluate/pauses.js';
import { planExpression, type Frame, type PlannedExpression, type Step } from './evaluate/plan.js';
import { EvaluationPatterns, ExpressionPatterns, UNITS_OF_INSTRUCTION } from './evaluate/regular-expressions.js';
import { fromJson, ReadParts, type CelValue } from './evaluate/values.js';
import { baseLibraries, standardLibrary } from './libraries/index.js';
import { namesVariable, selectsField, visitParts, type Expression } from './syntax/ast.js';
import type { Macro } from './syntax/macros.js';
import { createParser, type Parser } from './syntax/parse.js';
import { compileError, type Issue } from './syntax/source.js';
import { sameType } from './types/assignable.js';
import { checkExpression, type Checked, type CheckerScope } from './types/check.js';
import { mergeFunctions, type CelLibrary, type CelResult } from './types/declarations.js';
import { formatType, type CelType } from './types/types.js';
import { formatIssues } from './validators/validate-format.js';
import { homogeneityIssues, isHomogeneous } from './validators/validate-homogeneity.js';
import { literalIssues } from './validators/validate-literals.js';

/** Options of an environment. */
export interface CelEnvironmentOptions {
  /** Types of the variables, by name. */
  readonly variables: Readonly<Record<string, CelType>>;
  /** Libraries besides CEL's own functions. Default {@link baseLibraries}. */
  readonly libraries?: readonly CelLibrary[] | undefined;
  /** Requires items of a list literal to have one type, as in Kubernetes. Default true. */
  readonly homogeneousLiterals?: boolean | undefined;
  readonly limits?: ExpressionLimits | undefined;
}

/** Requirements for an expression. */
export interface CelCompileOptions {
  /** Allowed types of the expression. Default any type. */
  readonly resultTypes?: readonly CelType[] | undefined;
}

/** Bounds of one evaluation. */
export interface CelEvaluateOptions {
  /** Maximum cost. Default {@link DEFAULT_COST_LIMIT}. */
  readonly costLimit?: number | undefined;
}

/** The value of an evaluation and its cost. */
export interface CelEvaluation {
  readonly value: CelValue;
  readonly cost: number;
}

/** The value of an evaluation, or its failure, and the cost of either. */
export interface CelAttempt {
  readonly result: CelResult;
  readonly cost: number;
}

/** Compiles expressions. Stateless; it can compile any number of expressions. */
export interface CelEnvironment {
  /**
   * @throws CelCompileError with the message of Kubernetes: `compilation failed: ERROR: <input>:1:1: …`, or
   * `must evaluate to bool`
   */
  compile(expression: string, options?: CelCompileOptions): CelProgram;
  /**
   * {@link compile} in slices: it pauses between and within the steps of the compilation.
   *
   * @internal
   */
  compileInSlices(expression: string, work: Work, options?: CelCompileOptions): Steps<CelProgram>;
}

/** A compiled expression. Stateless between evaluations. */
export interface CelProgram {
  /** The expression as it was written. */
  readonly expression: string;
  readonly type: CelType;
  /**
   * Evaluates the expression.
   *
   * @param values the values of the variables: JSON or CEL values
   * @throws CelEvaluationError with the message of Kubernetes when the expression fails, CelCostError when it exceeds
   * the cost limit
   */
  evaluate(values: Readonly<Record<string, unknown>>, options?: CelEvaluateOptions): CelEvaluation;
  /**
   * Evaluates the expression, and returns its failure as a value.
   *
   * @param values the values of the variables. A number is a double.
   * @throws CelCostError when the expression exceeds the cost limit
   */
  attempt(values: Readonly<Record<string, CelValue | undefined>>, options?: CelEvaluateOptions): CelAttempt;
  /**
   * {@link attempt} with a function that returns the value of a variable, undefined when it has none: for values that
   * are made only when an expression reads them.
   *
   * @internal
   */
  attemptBy(variable: (name: string) => CelValue | undefined, options?: CelEvaluateOptions): CelAttempt;
  /**
   * {@link attemptBy}; undefined for an evaluation that takes longer than a few milliseconds, which is abandoned.
   *
   * @internal
   */
  attemptBriefly(
    variable: (name: string) => CelValue | undefined,
    options?: CelEvaluateOptions,
  ): CelAttempt | undefined;
  /**
   * {@link attemptBy} in slices, with the same result and cost.
   *
   * @param variable returns the same value at each call
   * @internal
   */
  attemptInSlices(
    variable: (name: string) => CelValue | undefined,
    work: Work,
    options?: CelEvaluateOptions,
  ): Steps<CelAttempt>;
  /**
   * Returns true when the expression selects a field of a variable: `variable.field`, `variable.?field`,
   * `has(variable.field)`.
   *
   * @internal
   */
  selects(variable: string, field: string): boolean;
  /**
   * Returns true when the expression names a variable.
   *
   * @internal
   */
  names(variable: string): boolean;
  /**
   * Estimates the cost of an evaluation without values, as Kubernetes does before it accepts a rule.
   *
   * @param sizes sizes of the variables and their members; without it, any size is possible
   * @returns bounds of the cost, at most 2^64 - 1
   */
  estimateCost(sizes?: SizeEstimator): CostBounds;
  /**
   * {@link estimateCost} in slices.
   *
   * @internal
   */
  estimateCostInSlices(work: Work, sizes?: SizeEstimator): Steps<CostBounds>;
}

/** The parts of a program. */
interface ProgramParts {
  readonly expression: string;
  readonly tree: Expression;
  readonly checked: Checked;
  readonly patterns: ExpressionPatterns;
  readonly planned: PlannedExpression;
}

function programOf({ expression, tree, checked, patterns, planned: { step, localCount } }: ProgramParts): CelProgram {
  // Without loops, nothing writes locals.
  const shared: CelResult[] | undefined = localCount === 0 ? [] : undefined;
  const frameOf = (variable: Frame['variable'], meter: Meter, pauses?: Pauses): Frame => ({
    runtime: { meter, patterns: new EvaluationPatterns(patterns, meter) },
    variable,
    locals: shared ?? new Array<CelValue>(localCount).fill(null),
    pauses,
  });
  const evaluate = (frame: Frame): CelAttempt => {
    const result = run(step, frame);
    return { result, cost: Math.ceil(frame.runtime.meter.cost) };
  };
  const attempt = (variable: Frame['variable'], costLimit = DEFAULT_COST_LIMIT): CelAttempt =>
    evaluate(frameOf(variable, new Meter(costLimit)));
  function* attemptInSlices(
    variable: Frame['variable'],
    work: Work,
    { costLimit = DEFAULT_COST_LIMIT }: CelEvaluateOptions = {},
  ): Steps<CelAttempt> {
    const memory = new EvaluationMemory(work);
    const meter = new Meter(costLimit, undefined, (bytes) => memory.grow(bytes));
    const pauses = new Pauses(meter, work);
    const frame = frameOf(variable, meter, pauses);
    try {
      for (;;) {
        const done = unlessPaused(() => evaluate(frame));
        if (done !== undefined) {
          pauses.finish();
          return done;
        }
        yield;
        pauses.restart();
      }
    } finally {
      memory.release();
    }
  }
  return {
    expression,
    type: checked.type,
    evaluate(values, options) {
      const { result, cost } = attempt(jsonVariables(values), options?.costLimit);
      if (result instanceof CelFailure) throw new CelEvaluationError(result.message);
      return { value: result, cost };
    },
    attempt: (values, options) =>
      attempt((name) => (Object.hasOwn(values, name) ? values[name] : undefined), options?.costLimit),
    attemptBy: (variable, options) => attempt(variable, options?.costLimit),
    attemptBriefly: (variable, { costLimit = DEFAULT_COST_LIMIT } = {}) =>
      unlessPaused(() => evaluate(frameOf(variable, new Meter(costLimit, BRIEF_COST)))),
    attemptInSlices,
    selects: (variable, field) => selectsField(tree, variable, field),
    names: (variable) => namesVariable(tree, variable),
    estimateCost: (sizes) => atOnce(estimateCost(tree, checked, sizes, UNBOUNDED_WORK)),
    estimateCostInSlices: (work, sizes) => estimateCost(tree, checked, sizes, work),
  };
}

/** Bytes that are reserved at a time: what a brief evaluation makes at most. */
const RESERVED_BYTES = 1024 * 1024;

/** The memory of the values that an evaluation in slices makes. */
class EvaluationMemory {
  readonly #work: Work;
  #reserved = 0;

  constructor(work: Work) {
    this.#work = work;
  }

  /** Reserves memory for that many bytes in all. @throws what {@link Work.reserve} throws */
  grow(bytes: number): void {
    if (bytes <= this.#reserved) return;
    const more = Math.max(RESERVED_BYTES, bytes - this.#reserved);
    this.#work.reserve(more);
    this.#reserved += more;
  }

  release(): void {
    if (this.#reserved > 0) this.#work.release(this.#reserved);
  }
}

/** Returns a function that reads the values of variables from JSON, each once. */
function jsonVariables(values: Readonly<Record<string, unknown>>): Frame['variable'] {
  const read = new ReadParts<string>();
  return (name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? undefined : read.of(name, value, fromJson);
  };
}

/** Returns the result of an evaluation; undefined when it has paused. */
function unlessPaused(evaluate: () => CelAttempt): CelAttempt | undefined {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof EvaluationPause) return undefined;
    throw error;
  }
}

function run(step: Step, frame: Frame): CelResult {
  try {
    return step(frame);
  } catch (error) {
    // Thrown for values nested too deeply for the stack, and for texts that exceed the host's maximum length.
    if (error instanceof RangeError) return failure(`evaluation failed: ${error.message}`);
    // Thrown for a value that cannot be read.
    if (error instanceof CelEvaluationError && !(error instanceof CelCostError)) return failure(error.message);
    throw error;
  }
}

/** The library that matches patterns, loaded with the first environment. */
let loaded: Promise<typeof import('re2js')> | undefined;

/**
 * Creates an environment. The first call loads the library that matches patterns.
 *
 * @example
 * const environment = await createCelEnvironment({ variables: { claims: mapType(stringType, anyType) } });
 * environment.compile('claims.sub').evaluate({ claims: { sub: 'jane' } }).value; // 'jane'
 */
export async function createCelEnvironment(options: CelEnvironmentOptions): Promise<CelEnvironment> {
  const create = await loadCelEnvironments();
  return create(options);
}

/**
 * Loads the library that matches patterns, and returns a function that creates environments: for callers that create
 * many, or cannot wait later.
 */
export async function loadCelEnvironments(): Promise<(options: CelEnvironmentOptions) => CelEnvironment> {
  const matching = await (loaded ??= loadPatternLibrary());
  const functionsOf = mergedOnce();
  return ({ variables, libraries: added = baseLibraries, limits, homogeneousLiterals }) => {
    const { functions, types, macros } = functionsOf(added);
    const scope: CheckerScope = { variables: new Map(Object.entries(variables)), functions, types };
    const parser = createParser(macros, { ...defaultExpressionLimits, ...definedOnly(limits ?? {}) });
    const library = new PatternLibrary(matching);
    const compiler: Compiler = { parser, scope, homogeneousLiterals: homogeneousLiterals !== false, library };
    return {
      compile: (expression, { resultTypes } = {}) => atOnce(compile(expression, compiler, UNBOUNDED_WORK, resultTypes)),
      compileInSlices: (expression, work, { resultTypes } = {}) => compile(expression, compiler, work, resultTypes),
    };
  };
}

/** The functions, types and macros of CEL and the added libraries. */
interface MergedLibraries {
  readonly functions: CheckerScope['functions'];
  readonly types: CheckerScope['types'];
  readonly macros: readonly Macro[];
}

/** Returns a function that merges each list of libraries once. */
function mergedOnce(): (added: readonly CelLibrary[]) => MergedLibraries {
  const merged = new WeakMap<readonly CelLibrary[], MergedLibraries>();
  return (added) => {
    const known = merged.get(added);
    if (known !== undefined) return known;
    const libraries = [standardLibrary, ...added];
    const made = {
      functions: mergeFunctions(libraries),
      types: new Map(libraries.flatMap(({ types = [] }) => types.map((type) => [type.name, type] as const))),
      macros: libraries.flatMap((library) => library.macros ?? []),
    };
    merged.set(added, made);
    return made;
  };
}

/** The parts of an environment that compile expressions. */
interface Compiler {
  readonly parser: Parser;
  readonly scope: CheckerScope;
  readonly homogeneousLiterals: boolean;
  readonly library: PatternLibrary;
}

/** Work of looking for an error in a part of an expression. */
const UNITS_OF_SEARCH = 4;

function* compile(text: string, compiler: Compiler, work: Work, resultTypes?: readonly CelType[]): Steps<CelProgram> {
  const patterns = new ExpressionPatterns(compiler.library);
  const { tree, checked } = yield* analyze(text, compiler, patterns, work);
  if (resultTypes !== undefined && !resultTypes.some((type) => sameType(type, checked.type))) {
    const names = resultTypes.map(formatType);
    throw new CelCompileError(
      names.length === 1 ? `must evaluate to ${names.join('')}` : `must evaluate to one of [${names.join(' ')}]`,
    );
  }
  const planned = yield* planExpression(tree, checked, patterns, work);
  return programOf({ expression: text, tree, checked, patterns, planned });
}

function* analyze(
  text: string,
  compiler: Compiler,
  patterns: ExpressionPatterns,
  work: Work,
): Steps<{ readonly tree: Expression; readonly checked: Checked }> {
  const { parser, scope } = compiler;
  try {
    const tree = yield* parser(text, work);
    const checked = yield* checkExpression(tree, scope, work);
    const issues =
      checked.issues.length > 0 ? checked.issues : yield* validate(tree, checked, patterns, compiler, work);
    if (issues.length > 0) throw compileError(text, issues);
    return { tree, checked };
  } catch (error) {
    throw error instanceof CelCompileError ? new CelCompileError(`compilation failed: ${error.message}`) : error;
  }
}

/** Finds errors that the types allow but every evaluation would raise. */
function* validate(
  tree: Expression,
  { memberTypes }: Checked,
  patterns: ExpressionPatterns,
  { homogeneousLiterals }: Compiler,
  work: Work,
): Steps<Issue[]> {
  const issues: Issue[] = [];
  yield* visitParts(tree, work, (part) => {
    const before = patterns.instructions;
    appendAll(issues, literalIssues(part, patterns));
    return UNITS_OF_SEARCH + (patterns.instructions - before) * UNITS_OF_INSTRUCTION;
  });
  const search = (issuesOf: (part: Expression) => Issue[]) => (part: Expression) => {
    appendAll(issues, issuesOf(part));
    return UNITS_OF_SEARCH;
  };
  yield* visitParts(
    tree,
    work,
    search((part) => formatIssues(part, memberTypes)),
  );
  if (!homogeneousLiterals) return issues;
  yield* visitParts(
    tree,
    work,
    search((part) => homogeneityIssues(part, memberTypes)),
    isHomogeneous,
  );
  return issues;
}
