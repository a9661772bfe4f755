import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../registry/admission.js';

const OPERATIONS: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE'];

/**
 * Tells, once, when a request first gives a part of the server something to do. Until then that part need not watch anything.
 *
 * @param concerns whether a request does
 */
export function firstNeed(
  name: string,
  concerns: (attributes: AdmissionAttributes) => boolean,
  onNeeded: () => void,
): AdmissionPlugin {
  let told = false;
  const validate = (attributes: AdmissionAttributes): void => {
    if (told || !concerns(attributes)) return;
    told = true;
    onNeeded();
  };
  return { name, operations: OPERATIONS, validate };
}
