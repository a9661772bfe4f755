/**
 * Members of objects whose keys come from users. `constructor` is inherited by every object, and assigning to `__proto__`
 * changes the prototype instead of adding a member; these functions treat no key as special.
 *
 * @module
 */

/** Returns an own member of the object, never an inherited one; undefined when it is absent. */
export function ownMember<T>(object: { readonly [key: string]: T | undefined }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an own member of the object with any key. */
export function setOwnMember<T>(object: { [key: string]: T }, key: string, value: T): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}
