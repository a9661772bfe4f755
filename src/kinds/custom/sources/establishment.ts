import { isArray, isJsonObject, type JsonValue } from '../../../foundation/index.js';

/**
 * Returns why the kind of a definition is not served yet: the text of the condition that says so. Undefined for an
 * established definition.
 *
 * @param status the status of the stored definition
 */
export function establishmentProblem(status: JsonValue | undefined): string | undefined {
  const found = isJsonObject(status) ? status['conditions'] : undefined;
  const conditions = isArray(found) ? found.filter(isJsonObject) : [];
  const conditionOf = (type: string) => conditions.find((condition) => condition['type'] === type);
  if (conditionOf('Established')?.['status'] === 'True') return undefined;
  const names = conditionOf('NamesAccepted');
  if (names?.['status'] === 'False' && typeof names['message'] === 'string')
    return `its names are not accepted: ${names['message']}`;
  return 'it is not established: does the controller customresourcedefinition run?';
}
