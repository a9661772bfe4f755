import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '../../foundation/index.js';

/** Returns the value at a path of the form `.spec.replicas`; undefined when it is absent. */
export function valueAt(object: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const name of path.replace(/^\./, '').split('.')) {
    if (!isJsonObject(value)) return undefined;
    value = ownMember(value, name);
  }
  return value;
}
