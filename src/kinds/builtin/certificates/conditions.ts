import {
  duplicate,
  forbidden,
  goQuote,
  invalid,
  notSupported,
  required,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../foundation/index.js';
import type { RequestCondition } from './request-fields.js';

/** Condition type of an approved request. */
export const APPROVED = 'Approved';
/** Condition type of a denied request. */
export const DENIED = 'Denied';
/** Condition type of a request that the signer failed. */
export const FAILED = 'Failed';

/** Decisions on a request: these conditions are True or absent, and are never removed. */
const DECISIONS: readonly string[] = [APPROVED, DENIED, FAILED];
/** Decisions that only /approval may write. */
const APPROVALS: readonly string[] = [APPROVED, DENIED];
/** Mutually exclusive decisions. */
const OPPOSITES: ReadonlyMap<string, string> = new Map([
  [APPROVED, DENIED],
  [DENIED, APPROVED],
]);

const STATUSES = ['False', 'True', 'Unknown'];
const PATH = 'status.conditions';

const ofType = (conditions: readonly RequestCondition[], type: string): readonly RequestCondition[] =>
  conditions.filter((condition) => condition.type === type);

/** Returns true when a condition of the type exists. */
export const hasCondition = (conditions: readonly RequestCondition[], type: string): boolean =>
  conditions.some((condition) => condition.type === type);

function statusErrors(errors: FieldError[], path: string, { type, status }: RequestCondition): void {
  const allowed = DECISIONS.includes(type) ? ['True'] : STATUSES;
  if (status === '') errors.push(required(path));
  else if (!allowed.includes(status)) errors.push(notSupported(path, status, allowed));
}

/** Validates the conditions of a request. */
export function* conditionErrors(errors: FieldErrorList, conditions: readonly RequestCondition[]): Steps<void> {
  const seen = new Set<string>();
  for (const [index, condition] of conditions.entries()) {
    if (errors.spend()) yield;
    const { type } = condition;
    const path = `${PATH}[${index}]`;
    if (type === '') errors.push(required(`${path}.type`));
    statusErrors(errors, `${path}.status`, condition);
    if (seen.has(OPPOSITES.get(type) ?? ''))
      errors.push(invalid(`${path}.type`, type, `${APPROVED} and ${DENIED} conditions are mutually exclusive`));
    if (seen.has(type)) errors.push(duplicate(`${path}.type`, type));
    seen.add(type);
  }
}

/**
 * Validates a change of the conditions: decisions are permanent, and only /approval approves or denies.
 *
 * @param approves whether the change comes through /approval
 */
export function conditionChangeErrors(
  errors: FieldError[],
  conditions: readonly RequestCondition[],
  old: readonly RequestCondition[],
  approves: boolean,
): void {
  const change = (type: string): number => ofType(conditions, type).length - ofType(old, type).length;
  for (const type of DECISIONS)
    if (change(type) < 0) errors.push(forbidden(PATH, `updates may not remove a condition of type ${goQuote(type)}`));
  if (approves) return;
  for (const type of APPROVALS)
    if (change(type) > 0) errors.push(forbidden(PATH, `updates may not add a condition of type ${goQuote(type)}`));
}

/**
 * Returns the conditions with the old Approved and Denied, which /status must not write. An added or removed one stays
 * as sent, for validation to refuse.
 */
export function withOldApprovals(
  conditions: readonly RequestCondition[],
  old: readonly RequestCondition[],
): RequestCondition[] {
  const oldByType = new Map(
    APPROVALS.map((type) => [type, ofType(old, type)] as const).filter(
      ([type, before]) => before.length === ofType(conditions, type).length,
    ),
  );
  const counts = new Map<string, number>();
  return conditions.map((condition) => {
    const index = counts.get(condition.type) ?? 0;
    counts.set(condition.type, index + 1);
    return oldByType.get(condition.type)?.[index] ?? condition;
  });
}

/**
 * Returns the conditions with missing times set to now. A condition whose status is unchanged keeps its transition
 * time.
 *
 * @param now RFC 3339
 */
export function withTimes(
  conditions: readonly RequestCondition[],
  old: readonly RequestCondition[],
  now: string,
): RequestCondition[] {
  const transitions = new Map<string, string>();
  for (const { type, status, lastTransitionTime } of old) {
    const key = `${status} ${type}`;
    if (lastTransitionTime && !transitions.has(key)) transitions.set(key, lastTransitionTime);
  }
  return conditions.map((condition) => {
    const { type, status, lastUpdateTime, lastTransitionTime } = condition;
    return {
      ...condition,
      lastUpdateTime: lastUpdateTime || now,
      lastTransitionTime: lastTransitionTime || (transitions.get(`${status} ${type}`) ?? now),
    };
  });
}
