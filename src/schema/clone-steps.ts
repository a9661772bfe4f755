import { setOwnMember } from '../encoding/own-property.js';
import { cloneJson, isArray, type JsonValue, type MutableJsonObject, type MutableJsonValue } from '../meta/json.js';
import type { Steps, Work } from '../meta/work.js';

/** Units of work to copy a value. */
const VALUE_UNITS = 3;

/** Returns a deep copy without `undefined` members, as `cloneJson` does, in steps. */
export function* cloneSteps(value: JsonValue, work: Work): Steps<MutableJsonValue> {
  if (typeof value !== 'object' || value === null) return cloneJson(value);
  if (isArray(value)) {
    const copy: MutableJsonValue[] = [];
    for (const item of value) {
      if (work.spend(VALUE_UNITS)) yield;
      copy.push(typeof item === 'object' ? yield* cloneSteps(item, work) : cloneJson(item));
    }
    return copy;
  }
  const copy: MutableJsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    if (work.spend(VALUE_UNITS)) yield;
    setOwnMember(copy, key, typeof member === 'object' ? yield* cloneSteps(member, work) : cloneJson(member));
  }
  return copy;
}
