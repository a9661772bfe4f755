/**
 * Sets read together with the type of what they are about.
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

/** Type of what an element leads to; undefined for what the type does not know. */
function typeBelow(type: Type | undefined, element: PathElement): Type | undefined {
  if (type === undefined) return undefined;
  if (element.charCodeAt(0) === 0x66) return type.map?.fields.get(element.slice(2))?.type ?? type.map?.element;
  return type.list?.element;
}

/**
 * The set with every declared field that leads to a member being a member too: `spec` of `spec.replicas`. Entries of maps
 * and items of lists that lead to members are left as they are.
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
 * Brings a recorded set up to a schema that has changed since: where a map or list that was owned field by field is atomic
 * now, its owner owns it as a whole. The other way round nothing needs doing.
 *
 * @returns the set itself when nothing changes
 */
export function reconcileWithType(set: FieldSet, type: Type): FieldSet {
  if (upToDate.get(set) === type) return set;
  const atomic: MutableFieldSet = {};
  collectAtomic(set, type, [], atomic);
  for (const _element in atomic) return union(recursiveDifference(set, atomic), atomic);
  upToDate.set(set, type);
  return set;
}

/** Sets in which nothing needs doing for a type. Most records are the same from one write of an object to the next. */
const upToDate = new WeakMap<FieldSet, Type>();

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

/** Whether the members below a node are inside of a value that is now owned whole. Unstructured parts never are. */
function isAtomic({ map, list }: Type): boolean {
  return !(map !== undefined && list !== undefined) && (map ?? list)?.atomic === true;
}

function hasChildren(node: FieldSet): boolean {
  for (const element in node) if (element !== SELF) return true;
  return false;
}
