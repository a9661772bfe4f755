/**
 * Maps claims to a user by a configuration, with or without expressions, in the order and words of Kubernetes.
 *
 * @module
 */
import { definedOnly } from '../../meta/defined-only.js';
import type { CelProgram } from '../../cel/environment.js';
import { CelEvaluationError } from '../../cel/failures.js';
import { CelList, type CelValue } from '../../cel/values.js';
import { wrapError } from '../../meta/error-message.js';
import type { UserInfo } from '../../meta/object.js';
import type { Dialect } from '../../names/dialect.js';
import { checkRequiredClaims, mapGroups, mapUid, mapUsername } from '../oidc/claims.js';
import { createExpressionCompiler, hasExpressions, type ExpressionCompiler } from './expressions.js';
import type { Claims, ClaimsMapper, JwtAuthenticatorConfiguration, PrefixedClaimOrExpression } from './types.js';

/** Computes a part of the user from the claims. */
type Part<Value> = (claims: Claims) => Value;

/** Throws when the values violate a rule. */
type Check<Values> = (values: Values) => void;

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
  const compiler = hasExpressions(jwt) ? await createExpressionCompiler(dialect) : undefined;
  const { claimMappings, claimValidationRules = [] } = jwt;
  const username = usernamePart(claimMappings.username, compiler);
  const groups = groupsPart(claimMappings.groups ?? {}, compiler);
  const uid = uidPart(claimMappings.uid ?? {}, compiler);
  const extra = extraPart(claimMappings.extra ?? [], compiler);
  const checkClaims = claimChecks(jwt, compiler);
  const checkUser = userChecks(jwt, compiler);
  return (claims) => {
    const user = withoutEmpty(username(claims), groups(claims), uid(claims), extra(claims));
    checkRequiredClaims(claims, claimValidationRules);
    checkClaims(claims);
    checkUser(user);
    return user;
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
function evaluate(program: CelProgram, values: Readonly<Record<string, unknown>>): CelValue {
  try {
    return program.evaluate(values).value;
  } catch (error) {
    if (!(error instanceof CelEvaluationError)) throw error;
    throw new Error(`expression '${program.expression}' resulted in error: ${error.message}`, { cause: error });
  }
}

/** Runs an action; errors are prefixed with the words. */
function prefixErrors<Value>(words: string, action: () => Value): Value {
  try {
    return action();
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
  if (program === undefined) return (claims) => mapUsername(claims, { claim, prefix });
  return (claims) => {
    const username = textOf('username', program, claims);
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
    return (claims) =>
      prefixErrors('oidc: error evaluating group claim expression', () => textsOf(evaluate(program, { claims })));
  return claim === '' ? () => [] : (claims) => mapGroups(claims, { claim, prefix });
}

function uidPart(
  { claim = '', expression }: { readonly claim?: string; readonly expression?: string },
  compiler: ExpressionCompiler | undefined,
): Part<string> {
  const program = programOf(expression, compiler?.mapping);
  if (program !== undefined) return (claims) => textOf('uid', program, claims);
  return claim === '' ? () => '' : (claims) => mapUid(claims, claim);
}

function extraPart(
  extra: readonly { readonly key: string; readonly valueExpression: string }[],
  compiler: ExpressionCompiler | undefined,
): Part<NonNullable<UserInfo['extra']>> {
  const programs = extra.flatMap(({ key, valueExpression }) => {
    const program = programOf(valueExpression, compiler?.mapping);
    return program === undefined ? [] : [{ key, program }];
  });
  return (claims) => {
    const entries = programs.map(({ key, program }) => {
      const value = evaluate(program, { claims });
      return [
        key,
        prefixErrors(`oidc: error evaluating extra claim expression: ${program.expression}`, () => textsOf(value)),
      ] as const;
    });
    return Object.fromEntries(entries.filter(([, values]) => values.length > 0));
  };
}

function textOf(part: 'username' | 'uid', program: CelProgram, claims: Claims): string {
  return prefixErrors(`oidc: error evaluating ${part} claim expression`, () => {
    const value = evaluate(program, { claims });
    if (typeof value !== 'string') throw new Error(`${part} claim expression must return a string`);
    return value;
  });
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

function checkOf(program: CelProgram, message: string, valuesOf: Readonly<Record<string, unknown>>): void {
  const value = evaluate(program, valuesOf);
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
  return (claims) => {
    for (const { program, message } of rules)
      prefixErrors('oidc: error evaluating claim validation expression', () => checkOf(program, message, { claims }));
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
  return ({ username, uid = '', groups, extra = {} }) => {
    // Expressions can rely on every field of the user.
    const user = { username, uid, groups, extra };
    for (const { program, message } of rules)
      prefixErrors('oidc: error evaluating user info validation rule', () => checkOf(program, message, { user }));
  };
}
