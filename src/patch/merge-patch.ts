/**
 * JSON Merge Patch, RFC 7386, over json-merge-patch.
 *
 * The library changes its target in place, stops at keys named `constructor` or `prototype`, and trips over one named
 * `hasOwnProperty`; all of them are fine names of labels and data. So it is given copies of the objects that the patch goes
 * through, in which every key begins with one more character, and its result is given back the keys that it had.
 *
 * @module
 */
// eslint-disable-next-line @typescript-eslint/triple-slash-reference -- the library has no types; an import cannot bring them in
/// <reference path="./json-merge-patch.d.ts" />
import { ownMember, setOwnMember } from '../encoding/own-property.js';
import jsonMergePatch from 'json-merge-patch';
import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '../meta/json.js';
import { goJsonKind } from './go-value.js';
import { malformed } from './patch-error.js';
import { checkDepth, type Draft } from './values.js';

/** Begins every key while the library has it. */
const MARK = '.';

/**
 * Checks that a body is a merge patch: an object.
 *
 * @throws PatchError 400
 */
export function decodeMergePatch(value: JsonValue): JsonObject {
  if (value === null) throw malformed('Invalid JSON Patch');
  if (!isJsonObject(value))
    throw malformed(
      `error decoding patch: json: cannot unmarshal ${goJsonKind(value)} into Go value of type map[string]interface {}`,
    );
  checkDepth(value);
  return value;
}

/**
 * The document with a patch applied: objects are merged, everything else is replaced, null deletes. A null deletes within
 * objects that the patch makes, too; only in lists does it stay.
 *
 * Neither argument is changed; the result shares with both what the patch leaves as it is.
 *
 * @throws PatchError 400 when the patch is not an object, or is nested too deep
 */
export function applyMergePatch(document: JsonValue, patch: JsonValue): JsonValue {
  const checked = decodeMergePatch(patch);
  const target = isJsonObject(document) ? markTarget(document, checked) : {};
  return unmark(jsonMergePatch.apply(target, markDeep(checked)) as JsonObject, checked);
}

/**
 * The patch that makes one object of another. A null within `to` (outside of lists) cannot be expressed: the patch
 * deletes that member.
 *
 * @throws PatchError 400 when an argument is nested too deep
 */
export function createMergePatch(from: JsonObject, to: JsonObject): JsonObject {
  checkDepth(from);
  checkDepth(to);
  return difference(from, to);
}

/**
 * What {@link createMergePatch} makes. Ours, because the library compares the items of lists by their `valueOf`, which an
 * item may have as a member of its own.
 */
function difference(from: JsonObject, to: JsonObject): JsonObject {
  const patch: Draft = {};
  for (const key of Object.keys(from)) if (ownMember(to, key) === undefined) setOwnMember(patch, key, null);
  for (const key of Object.keys(to)) {
    const wanted = to[key];
    const present = ownMember(from, key);
    if (wanted === undefined || equalJson(present, wanted)) continue;
    setOwnMember(patch, key, isJsonObject(present) && isJsonObject(wanted) ? difference(present, wanted) : wanted);
  }
  return patch;
}

/** A copy of the objects that the patch goes through, with marked keys. */
function markTarget(target: JsonObject, patch: JsonObject): JsonObject {
  const marked: Draft = {};
  for (const key of Object.keys(target)) {
    const member = target[key];
    const change = ownMember(patch, key);
    marked[MARK + key] = isJsonObject(member) && isJsonObject(change) ? markTarget(member, change) : member;
  }
  return marked;
}

/** A copy of an object and the objects in it, with marked keys. Lists and what is in them stay as they are. */
function markDeep(object: JsonObject): JsonObject {
  const marked: Draft = {};
  for (const key of Object.keys(object)) {
    const member = object[key];
    if (member !== undefined) marked[MARK + key] = isJsonObject(member) ? markDeep(member) : member;
  }
  return marked;
}

/** An object that the library made, with its own keys again, there and wherever `guide` has objects too. */
function unmark(object: JsonObject, guide: JsonObject): JsonObject {
  const own: Draft = {};
  for (const marked of Object.keys(object)) {
    const key = marked.slice(MARK.length);
    const member = object[marked];
    const deeper = ownMember(guide, key);
    if (member !== undefined)
      setOwnMember(own, key, isJsonObject(member) && isJsonObject(deeper) ? unmark(member, deeper) : member);
  }
  return own;
}
