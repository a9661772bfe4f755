import { duplicate, forbidden, invalid, notSupported, required, type FieldError } from '../../meta/field-error.js';
import { goQuote } from '../../meta/go-text.js';
import type { RequestCondition } from './request-schema.js';

/** Types of conditions that the server knows. */
export const APPROVED = 'Approved';
/** See {@link APPROVED}. */
export const DENIED = 'Denied';
/** See {@link APPROVED}. */
export const FAILED = 'Failed';

/** What was decided about a request: such a condition is True or not there, and stays once it is there. */
const DECISIONS: readonly string[] = [APPROVED, DENIED, FAILED];
/** The decisions that /approval alone makes. */
const APPROVALS: readonly string[] = [APPROVED, DENIED];
/** Of two decisions the other. */
const OPPOSITES: ReadonlyMap<string, string> = new Map([
  [APPROVED, DENIED],
  [DENIED, APPROVED],
]);

const STATUSES = ['False', 'True', 'Unknown'];
const PATH = 'status.conditions';

const ofType = (conditions: readonly RequestCondition[], type: string): readonly RequestCondition[] =>
  conditions.filter((condition) => condition.type === type);

/** Whether there is a condition of a type. */
export const hasCondition = (conditions: readonly RequestCondition[], type: string): boolean =>
  conditions.some((condition) => condition.type === type);

function statusErrors(errors: FieldError[], path: string, { type, status }: RequestCondition): void {
  const allowed = DECISIONS.includes(type) ? ['True'] : STATUSES;
  if (status === '') errors.push(required(path));
  else if (!allowed.includes(status)) errors.push(notSupported(path, status, allowed));
}

/** What is wrong with the conditions of a request in themselves. */
export function conditionErrors(errors: FieldError[], conditions: readonly RequestCondition[]): void {
  const seen = new Set<string>();
  for (const [index, condition] of conditions.entries()) {
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
 * What is wrong with a change of the conditions: no decision is taken back, and only /approval approves or denies.
 *
 * @param approves whether the change is /approval's
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

/** The conditions with Approved and Denied as they were: /status writes neither. Where one was added or taken away both stay as sent, for validation to refuse. */
export function withOldApprovals(
  conditions: readonly RequestCondition[],
  old: readonly RequestCondition[],
): RequestCondition[] {
  const kept = new Map(
    APPROVALS.map((type) => [type, ofType(old, type)] as const).filter(
      ([type, before]) => before.length === ofType(conditions, type).length,
    ),
  );
  const taken = new Map<string, number>();
  return conditions.map((condition) => {
    const index = taken.get(condition.type) ?? 0;
    taken.set(condition.type, index + 1);
    return kept.get(condition.type)?.[index] ?? condition;
  });
}

/**
 * The conditions with the times that are not given: now, but a status that has not changed keeps the time of its last change.
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
