import { errors, type ApiError, type StatusCause } from '../meta/api-error.js';
import type { AdmissionAttributes } from '../registry/admission.js';

/** A refusal by admission. An object that has no name yet is named by its `generateName`. */
export function admissionRefusal(
  { info, name, object }: AdmissionAttributes,
  why: string,
  causes?: readonly StatusCause[],
): ApiError {
  return errors.forbidden(
    info,
    name || object?.metadata.name || object?.metadata.generateName || 'Unknown',
    why,
    causes,
  );
}
