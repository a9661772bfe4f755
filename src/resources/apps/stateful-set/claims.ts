import { quantityToBigInt } from '../../../meta/quantity.js';
import type { appsV1, coreV1 } from '../../../kinds/index.js';

/** Thousandths, the precision to which amounts of resources are rounded. */
const MILLI = -3;

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

/** Returns the warnings about an amount of storage that is no whole number of bytes. */
function amountWarnings(path: string, amount: string | undefined): string[] {
  const thousandths = amount === undefined ? undefined : quantityToBigInt(amount, MILLI);
  if (thousandths === undefined || thousandths % 1000n === 0n) return [];
  return [`${path}[storage]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`];
}

/**
 * Returns the warnings about the claims of a StatefulSet.
 *
 * @param suffix part of the path after the index, which differs between creates and updates
 */
export function claimWarnings(claims: readonly coreV1.PersistentVolumeClaim[] = [], suffix = ''): string[] {
  return claims.flatMap(({ spec }, index) => {
    const path = `spec.volumeClaimTemplates[${index}]${suffix}.resources`;
    const { requests, limits } = spec?.resources ?? {};
    return [
      ...amountWarnings(`${path}.requests`, requests?.['storage']),
      ...amountWarnings(`${path}.limits`, limits?.['storage']),
    ];
  });
}
