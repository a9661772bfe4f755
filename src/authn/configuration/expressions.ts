/**
 * Expressions of an AuthenticationConfiguration: those on claims read `claims`, those on the user read `user`.
 *
 * @module
 */
import type { CelProgram } from '../../cel/environment.js';
import { anyType, boolType, listType, mapType, objectType, stringType } from '../../cel/types.js';
import type { Dialect } from '../../names/dialect.js';
import type { JwtAuthenticatorConfiguration } from './types.js';

/** Compiles expressions. Each method throws CelCompileError in the words of Kubernetes. */
export interface ExpressionCompiler {
  /** An expression on claims, of any type: types are checked at evaluation. */
  mapping(expression: string): CelProgram;
  /** A condition on claims. */
  claimsCondition(expression: string): CelProgram;
  /** A condition on the user. */
  userCondition(expression: string): CelProgram;
}

const conditionResult = { resultTypes: [boolType] };

/** Creates a compiler and loads CEL. */
export async function createExpressionCompiler(dialect: Dialect): Promise<ExpressionCompiler> {
  const { createCelEnvironment } = await import('../../cel/environment.js');
  const stringList = listType(stringType);
  const user = objectType(`${dialect.product}.UserInfo`, {
    username: stringType,
    uid: stringType,
    groups: stringList,
    extra: mapType(stringType, stringList),
  });
  const onClaims = await createCelEnvironment({ variables: { claims: mapType(stringType, anyType) } });
  const onUser = await createCelEnvironment({ variables: { user } });
  return {
    mapping: (expression) => onClaims.compile(expression),
    claimsCondition: (expression) => onClaims.compile(expression, conditionResult),
    userCondition: (expression) => onUser.compile(expression, conditionResult),
  };
}

/** True when an authenticator has an expression. Otherwise CEL is not loaded. */
export function hasExpressions({
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
