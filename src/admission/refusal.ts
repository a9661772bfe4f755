import { errors, type ApiError, type StatusCause } from '../foundation/index.js';
import type { AdmissionAttributes } from '../registry/index.js';

/** Returns the error of a refusal by admission. An object without a name is named by its `generateName`. */
export function admissionRefusal(
  { info, name, object }: AdmissionAttributes,
  message: string,
  causes?: readonly StatusCause[],
): ApiError {
  return errors.forbidden(
    info,
    name || object?.metadata.name || object?.metadata.generateName || 'Unknown',
    message,
    causes,
  );
}
