import { isJsonObject, type JsonObject, type JsonValue, type Steps } from '../../../foundation/index.js';
import { elementUnits, FieldSetError, parseElement, SELF } from './element.js';
import { asMember, EMPTY, LEAF, sorted, unionOfNodes, type FieldSet, type MutableFieldSet } from './fieldset.js';
import { ELEMENT_UNITS, leafOr, NodeInSteps } from './node-in-steps.js';
import { combinedNodes, UNION } from './set-steps.js';
import type { Walk } from './walk.js';

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
    if (!isField(text) && parseElement(text) !== text) return false;
    if (!isCanonical(node)) return false;
  }
  return !(hasSelf && isLeaf);
}

/** Returns true for a field. Most elements are fields, which have only one form. */
const isField = (text: string): boolean => text.charCodeAt(0) === 0x66 && text.charCodeAt(1) === 0x3a;

/** Does the same as {@link fromFieldsV1}, in steps. */
export function* fromFieldsV1InSteps(walk: Walk, fields: JsonValue): Steps<FieldSet> {
  return (yield* readInSteps(walk, objectOf(fields), false)) ?? EMPTY;
}

/** @param withSelf whether `.` means the node itself; that of the root means nothing */
function* readInSteps(walk: Walk, fields: JsonObject, withSelf: boolean): Steps<FieldSet | undefined> {
  const former = fields as FieldSet;
  const self = fields[SELF];
  const node = new NodeInSteps(walk, withSelf && self !== undefined);
  if (self !== undefined && !(withSelf && isJsonObject(self) && walk.keysOf(self).length === 0))
    yield* node.start(former);
  for (const text of walk.keysOf(fields)) {
    const value = fields[text];
    if (text === SELF || value === undefined) continue;
    if (walk.spend(ELEMENT_UNITS)) yield;
    const element = isField(text) ? text : parseElement(text);
    if (!isField(text) && walk.spend(elementUnits(text))) yield;
    if (element === undefined) {
      yield* node.start(former);
      continue;
    }
    const members = leafOr(walk, objectOf(value ?? EMPTY) as FieldSet);
    const read = members === LEAF ? LEAF : ((yield* readInSteps(walk, members, true)) ?? LEAF);
    if (element !== text || value === null || read !== members) yield* node.start(former);
    const existing = node.at(element);
    if (existing === undefined) node.add(element, read);
    // The element was written in another form, too.
    else node.replace(element, (yield* combinedNodes(walk, UNION, existing, read)) ?? LEAF);
  }
  const isOnlySelf = self !== undefined && walk.keysOf(fields).length === 1;
  return node.done(isOnlySelf ? undefined : former);
}

function objectOf(fields: JsonValue): JsonObject {
  if (!isJsonObject(fields)) throw new FieldSetError('expected { or n, but found a value that is no object');
  return fields;
}

/** Returns undefined when the node is empty, which makes it a member. Keeps the node's own `.`. */
function readNode(value: JsonValue): FieldSet | undefined {
  const fields = objectOf(value);
  let out: MutableFieldSet | undefined;
  let isMember = false;
  for (const text in fields) {
    const member = fields[text];
    if (text === SELF) isMember = true;
    else if (member !== undefined) {
      const element = parseElement(text);
      if (element === undefined) continue;
      const node = readNode(member === null ? EMPTY : member) ?? LEAF;
      out ??= {};
      const existing = out[element];
      out[element] = existing === undefined ? node : unionOfNodes(existing, node);
    }
  }
  return isMember && out !== undefined ? asMember(out) : out;
}

/**
 * Returns the FieldsV1 form of a set, with its elements in Kubernetes order. The value is shared with the set and must
 * not be changed.
 */
export function toFieldsV1(set: FieldSet): JsonValue {
  return sorted(set);
}
