import { isJsonObject, type JsonObject, type JsonValue } from '../../meta/json.js';
import { FieldSetError, parseElement, SELF } from './element.js';
import { asMember, EMPTY, LEAF, sorted, unionOfNodes, type FieldSet, type MutableFieldSet } from './fieldset.js';

/**
 * Reads the FieldsV1 form of a set. Elements of an unknown kind are left out.
 *
 * @throws FieldSetError when it is not an object of objects, or an element cannot be read
 */
export function fromFieldsV1(fields: JsonValue): FieldSet {
  if (isJsonObject(fields) && fields[SELF] === undefined && isCanonical(fields)) return fields as FieldSet;
  const set = readNode(fields) ?? EMPTY;
  if (set[SELF] === undefined) return set;
  // The root is no path: a mark of its own means nothing.
  const { [SELF]: _self, ...rest } = set;
  return rest;
}

/** Whether the form is the set already, as all is that this module has written. */
function isCanonical(fields: JsonObject): boolean {
  for (const text in fields) {
    const node = fields[text];
    if (!isJsonObject(node)) return false;
    // Most elements are fields, which have but one form.
    if (text !== SELF && !(text.charCodeAt(0) === 0x66 && text.charCodeAt(1) === 0x3a) && parseElement(text) !== text)
      return false;
    if (!isCanonical(node)) return false;
  }
  return true;
}

/** Undefined when nothing is in the node, which then is a member; the node's own `.` is kept. */
function readNode(fields: JsonValue): FieldSet | undefined {
  if (!isJsonObject(fields)) throw new FieldSetError('expected { or n, but found a value that is no object');
  let out: MutableFieldSet | undefined;
  let member = false;
  for (const text in fields) {
    const value = fields[text];
    if (text === SELF) member = true;
    else if (value !== undefined) {
      const element = parseElement(text);
      if (element === undefined) continue;
      const node = readNode(value === null ? EMPTY : value) ?? LEAF;
      out ??= {};
      const existing = out[element];
      out[element] = existing === undefined ? node : unionOfNodes(existing, node);
    }
  }
  return member && out !== undefined ? asMember(out) : out;
}

/** The FieldsV1 form of a set, its elements in production order. The value is shared with the set: nobody may change it. */
export function toFieldsV1(set: FieldSet): JsonValue {
  return sorted(set);
}
