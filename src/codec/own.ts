import type { JsonValue } from '../meta/json.js';

/** Sets a member as the object's own, whatever its name: assigning `__proto__` would change the prototype instead. */
export function setOwn(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}
