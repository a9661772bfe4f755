import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../registry/index.js';

const OPERATIONS: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE'];

/**
 * Creates a plugin that reports the first request that a deferred part of the server must handle. Until then the part
 * need not watch anything.
 *
 * @param concerns returns whether a request concerns the part
 * @param onNeeded called once
 */
export function firstNeed(
  name: string,
  concerns: (attributes: AdmissionAttributes) => boolean,
  onNeeded: () => void,
): AdmissionPlugin {
  let reported = false;
  const validate = (attributes: AdmissionAttributes): void => {
    if (reported || !concerns(attributes)) return;
    reported = true;
    onNeeded();
  };
  return { name, operations: OPERATIONS, validate };
}
