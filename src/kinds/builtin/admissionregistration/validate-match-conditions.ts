import {
  duplicate,
  invalid,
  qualifiedName,
  required,
  tooMany,
  type FieldErrorList,
  type Steps,
} from '../../../foundation/index.js';
import type { admissionregistrationV1 } from '../../types/index.js';
import type { AdmissionExpressions } from './admission-expressions.js';

const MAX_CONDITIONS = 64;

/** How match conditions are validated. */
export interface MatchConditionRules {
  /** Returns the compiler; called for the first expression. */
  readonly compiler: () => AdmissionExpressions;
  readonly hasParams: boolean;
  /** Returns whether an expression is stored already. */
  readonly isStored: (expression: string) => boolean;
}

/** Adds the errors of match conditions: each has a name of its own and an expression that is a boolean. */
export function* validateMatchConditions(
  errors: FieldErrorList,
  path: string,
  conditions: readonly admissionregistrationV1.MatchCondition[],
  { compiler, hasParams, isStored }: MatchConditionRules,
): Steps<void> {
  if (conditions.length > MAX_CONDITIONS) errors.push(tooMany(path, conditions.length, MAX_CONDITIONS));
  const seen = new Set<string>();
  for (const [index, { name, expression: text }] of conditions.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    const expression = text.trim();
    if (expression === '') errors.push(required(`${at}.expression`));
    else {
      const scope = { hasParams, hasAuthorizer: true, isStored: isStored(expression) };
      const problem = yield* compiler().problem(expression, scope, ['bool']);
      if (problem !== undefined) errors.push(invalid(`${at}.expression`, expression, problem));
    }
    if (name === '') errors.push(required(`${at}.name`));
    else {
      for (const problem of qualifiedName(name)) errors.push(invalid(`${at}.name`, name, problem));
      if (seen.has(name)) errors.push(duplicate(`${at}.name`, name));
      seen.add(name);
    }
  }
}
