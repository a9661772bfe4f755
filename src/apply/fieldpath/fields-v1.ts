import { isJsonObject, type JsonObject, type JsonValue } from '../../meta/json.js';
import { FieldSetError, parseElement, SELF } from './element.js';
import { asMember, EMPTY, LEAF, sorted, unionOfNodes, type FieldSet, type MutableFieldSet } from './fieldset.js';

/**
 * Parses the FieldsV1 form of a set. Skips elements of an unknown kind.
 *
 * @throws FieldSetError when the value is not an object of objects, or an element is invalid
 */
export function fromFieldsV1(fields: JsonValue): FieldSet {
  if (isJsonObject(fields) && fields[SELF] === undefined && isCanonical(fields)) return fields as FieldSet;
  const set = readNode(fields) ?? EMPTY;
  if (set[SELF] === undefined) return set;
  // The root is not a path, so its own `.` means nothing.
  const { [SELF]: _self, ...rest } = set;
  return rest;
}

/**
 * Returns true when the form is canonical and can serve as the set, as everything written by this module can: each
 * element in its one form, and `.` only beside other elements. The root must have no `.`.
 */
export function isCanonical(fields: JsonObject): boolean {
  let hasSelf = false;
  let isLeaf = true;
  for (const text in fields) {
    const node = fields[text];
    if (!isJsonObject(node)) return false;
    if (text === SELF) {
      hasSelf = true;
      for (const _element in node) return false;
      continue;
    }
    isLeaf = false;
    // Most elements are fields, which have only one form.
    if (!(text.charCodeAt(0) === 0x66 && text.charCodeAt(1) === 0x3a) && parseElement(text) !== text) return false;
    if (!isCanonical(node)) return false;
  }
  return !(hasSelf && isLeaf);
}

/** Returns undefined when the node is empty, which makes it a member. Keeps the node's own `.`. */
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

/**
 * Returns the FieldsV1 form of a set, with its elements in Kubernetes order. The value is shared with the set and must
 * not be changed.
 */
export function toFieldsV1(set: FieldSet): JsonValue {
  return sorted(set);
}
