import { appendAll, WarningList, type Steps, type Work } from '../../../../foundation/index.js';
import type { appsV1, coreV1 } from '../../../types/index.js';
import { amountWarnings } from '../../core/persistent-volume-claim/validate-spec.js';

/** Sets the defaults of the claims of a StatefulSet, and their type, which clients may omit. */
export function defaultClaims(spec: appsV1.StatefulSetSpec): void {
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.kind = 'PersistentVolumeClaim';
    claim.apiVersion = 'v1';
    claim.status = { ...claim.status, phase: claim.status?.phase || 'Pending' };
    const claimSpec = (claim.spec ??= {});
    claimSpec.volumeMode ??= 'Filesystem';
  }
}

/**
 * Returns the warnings about the claims of a StatefulSet.
 *
 * @param suffix part of the path after the index, which differs between creates and updates
 */
export function* claimWarnings(
  claims: readonly coreV1.PersistentVolumeClaim[] | undefined,
  suffix: string,
  work: Work | undefined,
): Steps<WarningList> {
  const warnings = new WarningList(work);
  for (const [index, { spec = {} }] of (claims ?? []).entries()) {
    if (warnings.isFull) break;
    if (warnings.spend()) yield;
    appendAll(warnings, amountWarnings(`spec.volumeClaimTemplates[${index}]${suffix}`, spec));
  }
  return warnings;
}
