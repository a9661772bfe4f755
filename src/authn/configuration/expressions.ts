/**
 * Expressions of an AuthenticationConfiguration: those on claims see `claims`, those on the user see `user`.
 *
 * @module
 */
import type { CelProgram } from '../../cel/environment.js';
import { anyType, boolType, listType, mapType, objectType, stringType } from '../../cel/types.js';
import type { Dialect } from '../../names/dialect.js';
import type { JwtAuthenticatorConfiguration } from './types.js';

/** Compiles expressions. Each throws CelCompileError with production's words. */
export interface ExpressionCompiler {
  /** An expression on claims, of any type: strict checking is left to the run. */
  mapping(expression: string): CelProgram;
  /** A condition on claims. */
  claimsCondition(expression: string): CelProgram;
  /** A condition on the user. */
  userCondition(expression: string): CelProgram;
}

const conditionResult = { resultTypes: [boolType] };

/** Makes a compiler; it loads what expressions need. */
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

/** Whether an authenticator has an expression anywhere: without one nothing needs to be loaded. */
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
