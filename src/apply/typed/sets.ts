/**
 * Operations on field sets that need the type of the object.
 *
 * @module
 */
import { SELF, type PathElement } from '../fieldpath/element.js';
import {
  isEmpty,
  isMember,
  LEAF,
  recursiveDifference,
  union,
  type FieldSet,
  type MutableFieldSet,
} from '../fieldpath/fieldset.js';
import { insertNode } from '../fieldpath/paths.js';
import type { Type } from './type.js';

/** Returns the type of an element's value; undefined for an unknown element. */
function typeBelow(type: Type | undefined, element: PathElement): Type | undefined {
  if (type === undefined) return undefined;
  if (element.charCodeAt(0) === 0x66) return type.map?.fields.get(element.slice(2))?.type ?? type.map?.element;
  return type.list?.element;
}

/**
 * Returns the set with every declared field above a member added as a member: `spec` for `spec.replicas`. Map entries
 * and list items above members stay as they are.
 */
export function ensureNamedFieldsAreMembers(set: FieldSet, type: Type | undefined): FieldSet {
  const out: MutableFieldSet = {};
  for (const element in set) {
    if (element === SELF) continue;
    const node = set[element] as FieldSet;
    if (node === LEAF) {
      out[element] = LEAF;
      continue;
    }
    const children = ensureNamedFieldsAreMembers(node, typeBelow(type, element));
    const named = element.charCodeAt(0) === 0x66 && type?.map?.fields.has(element.slice(2)) === true;
    const member = named || isMember(node);
    if (!member) out[element] = children;
    else out[element] = isEmpty(children) ? LEAF : { [SELF]: LEAF, ...children };
  }
  return out;
}

/**
 * Reconciles a recorded set with a changed schema: when a map or list that was owned field by field has become atomic,
 * its owner owns it as a whole. The opposite change needs no action.
 *
 * @returns the set itself when nothing changes
 */
export function reconcileWithType(set: FieldSet, type: Type): FieldSet {
  const atomic: MutableFieldSet = {};
  collectAtomic(set, type, [], atomic);
  for (const _element in atomic) return union(recursiveDifference(set, atomic), atomic);
  return set;
}

function collectAtomic(set: FieldSet, type: Type, path: PathElement[], out: MutableFieldSet): void {
  for (const element in set) {
    if (element === SELF) continue;
    const node = set[element] as FieldSet;
    const child = node === LEAF ? undefined : typeBelow(type, element);
    if (child === undefined || !hasChildren(node)) continue;
    path.push(element);
    if (isAtomic(child)) insertNode(out, path, LEAF);
    else collectAtomic(node, child, path, out);
    path.pop();
  }
}

/** Returns true when the type is owned as a whole. Unstructured parts never are. */
function isAtomic({ map, list }: Type): boolean {
  return !(map !== undefined && list !== undefined) && (map ?? list)?.atomic === true;
}

function hasChildren(node: FieldSet): boolean {
  for (const element in node) if (element !== SELF) return true;
  return false;
}
