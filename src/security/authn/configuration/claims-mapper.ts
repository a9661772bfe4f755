/**
 * Maps claims to a user by a configuration, with or without expressions, in the order and words of Kubernetes.
 *
 * @module
 */
import {
  definedOnly,
  inSlices,
  SharedWork,
  wrapError,
  type Dialect,
  type Steps,
  type UserInfo,
  type Work,
} from '../../../foundation/index.js';
import {
  CelEvaluationError,
  CelList,
  ExpressionBudget,
  type CelProgram,
  type CelValue,
} from '../../../machinery/index.js';
import { checkRequiredClaims, mapGroups, mapUid, mapUsername } from '../oidc/claims.js';
import { compileExpressions, type ExpressionCompiler } from './expressions.js';
import type { Claims, ClaimsMapper, JwtAuthenticatorConfiguration, PrefixedClaimOrExpression } from './types.js';

/** The evaluation of expressions for one token. */
interface Evaluation {
  readonly budget: ExpressionBudget;
  readonly work: Work;
}

/** Computes a part of the user from the claims. */
type Part<Value> = (claims: Claims, evaluation: Evaluation) => Steps<Value>;

/** Throws when the values violate a rule. */
type Check<Values> = (values: Values, evaluation: Evaluation) => Steps<void>;

/** Maximum cost of all expressions for one token. */
const COST_BUDGET = 10_000_000;

/**
 * Compiles the mappings and rules of an authenticator that {@link validateAuthenticationConfiguration} accepts.
 *
 * The mapper computes name, groups, uid and extra values, then applies the rules on claims, then those on the user.
 * Order and errors are those of Kubernetes: `oidc: error evaluating username claim expression: …`. Errors name
 * expressions and, for a required claim, its value, but never the token.
 *
 * @throws CelCompileError for an expression that does not compile
 */
export async function compileClaimsMapper(jwt: JwtAuthenticatorConfiguration, dialect: Dialect): Promise<ClaimsMapper> {
  const compiler = await compileExpressions([jwt], dialect);
  const { claimMappings, claimValidationRules = [] } = jwt;
  const username = usernamePart(claimMappings.username, compiler);
  const groups = groupsPart(claimMappings.groups ?? {}, compiler);
  const uid = uidPart(claimMappings.uid ?? {}, compiler);
  const extra = extraPart(claimMappings.extra ?? [], compiler);
  const checkClaims = claimChecks(jwt, compiler);
  const checkUser = userChecks(jwt, compiler);
  function* userOf(claims: Claims, evaluation: Evaluation): Steps<UserInfo> {
    const user = withoutEmpty(
      yield* username(claims, evaluation),
      yield* groups(claims, evaluation),
      yield* uid(claims, evaluation),
      yield* extra(claims, evaluation),
    );
    checkRequiredClaims(claims, claimValidationRules);
    yield* checkClaims(claims, evaluation);
    yield* checkUser(user, evaluation);
    return user;
  }
  return (claims) => {
    const work = new SharedWork();
    return inSlices(work, userOf(claims, { budget: new ExpressionBudget(COST_BUDGET), work }));
  };
}

function withoutEmpty(
  username: string,
  groups: readonly string[],
  uid: string,
  extra: NonNullable<UserInfo['extra']>,
): UserInfo {
  const optional = { uid: uid || undefined, extra: Object.keys(extra).length === 0 ? undefined : extra };
  return { username, groups, ...definedOnly(optional) };
}

/** Evaluates an expression; errors name it. */
function* evaluate(
  program: CelProgram,
  values: Readonly<Record<string, unknown>>,
  { budget, work }: Evaluation,
): Steps<CelValue> {
  try {
    return yield* budget.evaluate(program, values, work);
  } catch (error) {
    if (!(error instanceof CelEvaluationError)) throw error;
    throw new Error(`expression '${program.expression}' resulted in error: ${error.message}`, { cause: error });
  }
}

/** Runs steps; errors are prefixed with the words. */
function* prefixErrors<Value>(words: string, steps: Steps<Value>): Steps<Value> {
  try {
    return yield* steps;
  } catch (error) {
    throw wrapError(words, error);
  }
}

/** Returns the program of an expression, or undefined when it is not set. */
function programOf(
  expression: string | undefined,
  compile: ((expression: string) => CelProgram) | undefined,
): CelProgram | undefined {
  return expression === undefined || expression === '' ? undefined : compile?.(expression);
}

function usernamePart(
  { claim = '', prefix, expression }: PrefixedClaimOrExpression,
  compiler: ExpressionCompiler | undefined,
): Part<string> {
  const program = programOf(expression, compiler?.mapping);
  if (program === undefined) return plain((claims) => mapUsername(claims, { claim, prefix }));
  return function* (claims, evaluation) {
    const username = yield* textOf('username', program, claims, evaluation);
    if (username === '') throw new Error('oidc: empty username via CEL expression is not allowed');
    return username;
  };
}

function groupsPart(
  { claim = '', prefix, expression }: PrefixedClaimOrExpression,
  compiler: ExpressionCompiler | undefined,
): Part<readonly string[]> {
  const program = programOf(expression, compiler?.mapping);
  if (program !== undefined)
    return (claims, evaluation) =>
      prefixErrors('oidc: error evaluating group claim expression', textsBy(program, claims, evaluation));
  return plain((claims) => (claim === '' ? [] : mapGroups(claims, { claim, prefix })));
}

function uidPart(
  { claim = '', expression }: { readonly claim?: string | undefined; readonly expression?: string | undefined },
  compiler: ExpressionCompiler | undefined,
): Part<string> {
  const program = programOf(expression, compiler?.mapping);
  if (program !== undefined) return (claims, evaluation) => textOf('uid', program, claims, evaluation);
  return plain((claims) => (claim === '' ? '' : mapUid(claims, claim)));
}

function extraPart(
  extra: readonly { readonly key: string; readonly valueExpression: string }[],
  compiler: ExpressionCompiler | undefined,
): Part<NonNullable<UserInfo['extra']>> {
  const programs = extra.flatMap(({ key, valueExpression }) => {
    const program = programOf(valueExpression, compiler?.mapping);
    return program === undefined ? [] : [{ key, program }];
  });
  return function* (claims, evaluation) {
    const entries: (readonly [string, string[]])[] = [];
    for (const { key, program } of programs) {
      const value = yield* evaluate(program, { claims }, evaluation);
      const texts = yield* prefixErrors(
        `oidc: error evaluating extra claim expression: ${program.expression}`,
        plain(() => textsOf(value))(claims, evaluation),
      );
      if (texts.length > 0) entries.push([key, texts]);
    }
    return Object.fromEntries(entries);
  };
}

/** Returns the steps of a part that needs no expression. */
const plain = <Value>(valueOf: (claims: Claims) => Value): Part<Value> =>
  function* (claims) {
    return valueOf(claims);
  };

const textOf = (part: 'username' | 'uid', program: CelProgram, claims: Claims, evaluation: Evaluation): Steps<string> =>
  prefixErrors(
    `oidc: error evaluating ${part} claim expression`,
    (function* (): Steps<string> {
      const value = yield* evaluate(program, { claims }, evaluation);
      if (typeof value !== 'string') throw new Error(`${part} claim expression must return a string`);
      return value;
    })(),
  );

function* textsBy(program: CelProgram, claims: Claims, evaluation: Evaluation): Steps<string[]> {
  return textsOf(yield* evaluate(program, { claims }, evaluation));
}

/** Returns a string or a list of strings as a list. Empty strings and null are dropped. */
function textsOf(value: CelValue): string[] {
  if (value === null) return [];
  const items: Iterable<CelValue> = value instanceof CelList ? value : [value];
  const texts: string[] = [];
  for (const item of items) {
    if (typeof item !== 'string') throw new Error('expression must return a string or a list of strings');
    if (item !== '') texts.push(item);
  }
  return texts;
}

/** An expression that must be true, and its message. */
interface Rule {
  readonly program: CelProgram;
  readonly message: string;
}

function* checkOf(
  { program, message }: Rule,
  values: Readonly<Record<string, unknown>>,
  evaluation: Evaluation,
): Steps<void> {
  const value = yield* evaluate(program, values, evaluation);
  if (typeof value !== 'boolean') throw new Error('validation expression must return a boolean');
  if (!value) throw new Error(`validation expression '${program.expression}' failed: ${message}`);
}

function claimChecks(
  { claimValidationRules = [] }: JwtAuthenticatorConfiguration,
  compiler: ExpressionCompiler | undefined,
): Check<Claims> {
  const rules = claimValidationRules.flatMap(({ expression, message = '' }) => {
    const program = programOf(expression, compiler?.claimsCondition);
    return program === undefined ? [] : [{ program, message }];
  });
  return function* (claims, evaluation) {
    for (const rule of rules)
      yield* prefixErrors('oidc: error evaluating claim validation expression', checkOf(rule, { claims }, evaluation));
  };
}

function userChecks(
  { userValidationRules = [] }: JwtAuthenticatorConfiguration,
  compiler: ExpressionCompiler | undefined,
): Check<UserInfo> {
  const rules = userValidationRules.flatMap(({ expression, message = '' }) => {
    const program = programOf(expression, compiler?.userCondition);
    return program === undefined ? [] : [{ program, message }];
  });
  return function* ({ username, uid = '', groups, extra = {} }, evaluation) {
    // Expressions can rely on every field of the user.
    const user = { username, uid, groups, extra };
    for (const rule of rules)
      yield* prefixErrors('oidc: error evaluating user info validation rule', checkOf(rule, { user }, evaluation));
  };
}
