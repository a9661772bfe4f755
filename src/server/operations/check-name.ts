import { errors, type ApiObject } from '../../foundation/index.js';

/** Checks that an object has the name that the request gives. @throws ApiError 400 */
export function checkName(object: ApiObject, name: string): void {
  const given = object.metadata.name ?? '';
  if (given === '')
    throw errors.badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given !== name)
    throw errors.badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}
