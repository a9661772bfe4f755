import { compareQuantities, parseQuantity, type Dialect, type Quantity } from '../../foundation/index.js';
import { storageClassOf } from '../builtin/shared/volume-class.js';
import type { coreV1 } from '../types/index.js';
import { countOf, wholeOf, type Amounts } from './amounts.js';
import { countName, type MeasuredObject, type QuotaEvaluator } from './evaluator.js';

/** A claim, as far as quotas measure it. */
export interface MeasuredClaim extends MeasuredObject {
  readonly spec?: Readonly<Pick<coreV1.PersistentVolumeClaimSpec, 'resources' | 'storageClassName'>> | undefined;
  readonly status?: Readonly<Pick<coreV1.PersistentVolumeClaimStatus, 'allocatedResources'>> | undefined;
}

const COUNT = countName('', 'persistentvolumeclaims');
const CLAIMS = 'persistentvolumeclaims';
const STORAGE = 'requests.storage';
const ANY_CLASS: readonly string[] = [CLAIMS, STORAGE];

/** Returns the end of the names of resources of one storage class: `gold.storageclass.storage.…/requests.storage`. */
const classSuffix = ({ groupSuffix }: Dialect): string => `.storageclass.storage.${groupSuffix}/`;

/** Returns the requested storage in whole bytes, or what is allocated while the claim grows, if that is more. */
function storageOf({ spec, status }: MeasuredClaim): Quantity | undefined {
  const requested = parseQuantity(spec?.resources?.requests?.['storage'] ?? '');
  if (requested === undefined) return undefined;
  const allocated = parseQuantity(status?.allocatedResources?.['storage'] ?? '');
  return wholeOf(allocated !== undefined && compareQuantities(allocated, requested) > 0 ? allocated : requested);
}

function usageOf(claim: MeasuredClaim, dialect: Dialect): Amounts {
  const used = new Map<string, Quantity>([
    [CLAIMS, countOf(1)],
    [COUNT, countOf(1)],
  ]);
  const className = storageClassOf(claim, dialect);
  const ofClass = className === '' ? undefined : className + classSuffix(dialect);
  if (ofClass !== undefined) used.set(ofClass + CLAIMS, countOf(1));
  const storage = storageOf(claim);
  if (storage === undefined) return used;
  used.set(STORAGE, storage);
  if (ofClass !== undefined) used.set(ofClass + STORAGE, storage);
  return used;
}

/** Returns the evaluator of persistent volume claims. */
export function claimEvaluator(dialect: Dialect): QuotaEvaluator<MeasuredClaim> {
  const suffix = classSuffix(dialect);
  return {
    group: '',
    resource: CLAIMS,
    measures: (name) =>
      name === COUNT || ANY_CLASS.includes(name) || ANY_CLASS.some((resource) => name.endsWith(suffix + resource)),
    isInScope: () => false,
    usage: (claim) => usageOf(claim, dialect),
  };
}
