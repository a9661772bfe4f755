/**
 * Sets of tolerations, as plugins merge and compare them.
 *
 * @see release 1.31, `pkg/util/tolerations`
 * @module
 */
import type { coreV1 } from '../../../kinds/index.js';
import type { Incomplete } from '../../../registry/index.js';

/** A toleration before validation. */
export type DraftToleration = Incomplete<coreV1.Toleration>;

const FIELDS = ['key', 'operator', 'value', 'effect'] as const;

const isSame = (a: DraftToleration, b: DraftToleration): boolean =>
  FIELDS.every((field) => (a[field] ?? '') === (b[field] ?? '')) && a.tolerationSeconds === b.tolerationSeconds;

/** Returns whether a toleration tolerates everything that another one does, and as long. */
function contains(a: DraftToleration, b: DraftToleration): boolean {
  if (isSame(a, b)) return true;
  const { key = '', operator = '', effect = '', value = '' } = a;
  if (key !== (b.key ?? '') && (key !== '' || operator !== 'Exists')) return false;
  if (effect !== '' && effect !== (b.effect ?? '')) return false;
  if (effect === 'NoExecute' && a.tolerationSeconds !== undefined) {
    if (b.tolerationSeconds === undefined || b.tolerationSeconds > a.tolerationSeconds) return false;
  }
  if (operator === 'Exists') return true;
  return (operator === 'Equal' || operator === '') && b.operator === 'Equal' && value === (b.value ?? '');
}

/** Joins lists of tolerations, without those that another one contains. Of equal ones the first stays. */
export function mergedTolerations(
  first: readonly DraftToleration[],
  second: readonly DraftToleration[],
): DraftToleration[] {
  const all = [...first, ...second.map((toleration) => ({ ...toleration }))];
  const kept: DraftToleration[] = [];
  all.forEach((toleration, index) => {
    if (kept.some((other) => contains(other, toleration))) return;
    if (all.slice(index + 1).some((other) => !isSame(other, toleration) && contains(other, toleration))) return;
    kept.push(toleration);
  });
  return kept;
}

/** Returns whether each toleration is contained in one of the allowed ones. */
export const areAllowed = (tolerations: readonly DraftToleration[], allowed: readonly DraftToleration[]): boolean =>
  tolerations.every((toleration) => allowed.some((other) => contains(other, toleration)));
