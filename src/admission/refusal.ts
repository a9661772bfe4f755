import { errors, type ApiError } from '../meta/api-error.js';
import type { AdmissionAttributes } from '../registry/admission.js';

/** A refusal by admission: it calls an object that has no name yet by what the name will begin with. */
export function admissionRefusal({ info, name, object }: AdmissionAttributes, why: string): ApiError {
  return errors.forbidden(info, name || object?.metadata.name || object?.metadata.generateName || 'Unknown', why);
}
