/**
 * Expressions of an AuthenticationConfiguration: those on claims read `claims`, those on the user read `user`.
 *
 * @module
 */
import { inSlices, SharedWork, type Dialect } from '../../../foundation/index.js';
import {
  anyType,
  boolType,
  CelCompileError,
  listType,
  mapType,
  objectType,
  stringType,
  type CelCompileOptions,
  type CelEnvironment,
  type CelProgram,
} from '../../../machinery/index.js';
import { importEnvironment } from '../../../machinery/late.js';
import type { JwtAuthenticatorConfiguration } from './types.js';

/**
 * The compiled expressions of authenticators. Each method throws CelCompileError in the words of Kubernetes.
 */
export interface ExpressionCompiler {
  /** An expression on claims, of any type: types are checked at evaluation. */
  mapping(expression: string): CelProgram;
  /** A condition on claims. */
  claimsCondition(expression: string): CelProgram;
  /** A condition on the user. */
  userCondition(expression: string): CelProgram;
}

const conditionResult = { resultTypes: [boolType] };

/** The result of a compilation. */
type Compiled = { readonly program: CelProgram } | { readonly error: CelCompileError };

/** Compiles expressions of one kind, in slices, and keeps the results. */
class Compilations {
  readonly #environment: CelEnvironment;
  readonly #options: CelCompileOptions | undefined;
  readonly #made = new Map<string, Compiled>();

  constructor(environment: CelEnvironment, options?: CelCompileOptions) {
    this.#environment = environment;
    this.#options = options;
  }

  async compile(expression: string): Promise<void> {
    if (expression === '' || this.#made.has(expression)) return;
    const work = new SharedWork();
    try {
      const steps = this.#environment.compileInSlices(expression, work, this.#options);
      this.#made.set(expression, { program: await inSlices(work, steps) });
    } catch (error) {
      if (!(error instanceof CelCompileError)) throw error;
      this.#made.set(expression, { error });
    }
  }

  readonly programOf = (expression: string): CelProgram => {
    const made = this.#made.get(expression);
    if (made === undefined) throw new Error(`the expression '${expression}' has not been compiled`);
    if ('error' in made) throw made.error;
    return made.program;
  };
}

/** Compiles the expressions of authenticators, in slices; undefined when they have none: then CEL is not loaded. */
export async function compileExpressions(
  authenticators: readonly JwtAuthenticatorConfiguration[],
  dialect: Dialect,
): Promise<ExpressionCompiler | undefined> {
  if (!authenticators.some(hasExpressions)) return undefined;
  const { createCelEnvironment } = await importEnvironment();
  const stringList = listType(stringType);
  const user = objectType(`${dialect.product}.UserInfo`, {
    username: stringType,
    uid: stringType,
    groups: stringList,
    extra: mapType(stringType, stringList),
  });
  const onClaims = await createCelEnvironment({ variables: { claims: mapType(stringType, anyType) } });
  const onUser = await createCelEnvironment({ variables: { user } });
  const mappings = new Compilations(onClaims);
  const claimsConditions = new Compilations(onClaims, conditionResult);
  const userConditions = new Compilations(onUser, conditionResult);
  for (const { claimMappings, claimValidationRules = [], userValidationRules = [] } of authenticators) {
    const { username, groups, uid, extra = [] } = claimMappings;
    for (const { expression = '' } of [username, groups ?? {}, uid ?? {}]) await mappings.compile(expression);
    for (const { valueExpression } of extra) await mappings.compile(valueExpression);
    for (const { expression = '' } of claimValidationRules) await claimsConditions.compile(expression);
    for (const { expression } of userValidationRules) await userConditions.compile(expression);
  }
  return {
    mapping: mappings.programOf,
    claimsCondition: claimsConditions.programOf,
    userCondition: userConditions.programOf,
  };
}

/** True when an authenticator has an expression. */
function hasExpressions({
  claimMappings,
  claimValidationRules = [],
  userValidationRules = [],
}: JwtAuthenticatorConfiguration): boolean {
  const { username, groups, uid, extra = [] } = claimMappings;
  const expressions = [
    username.expression,
    groups?.expression,
    uid?.expression,
    ...claimValidationRules.map((rule) => rule.expression),
  ];
  return (
    extra.length > 0 ||
    userValidationRules.length > 0 ||
    expressions.some((expression) => expression !== undefined && expression !== '')
  );
}
