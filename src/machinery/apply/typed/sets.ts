/**
 * Operations on field sets that need the type of the object.
 *
 * @module
 */
import type { Steps } from '../../../foundation/index.js';
import { SELF, type PathElement } from '../fieldpath/element.js';
import {
  EMPTY,
  isEmpty,
  isMember,
  LEAF,
  recursiveDifference,
  union,
  type FieldSet,
  type MutableFieldSet,
} from '../fieldpath/fieldset.js';
import { ELEMENT_UNITS, isMemberIn, leafOr, NodeInSteps } from '../fieldpath/node-in-steps.js';
import { insertNode } from '../fieldpath/paths.js';
import { combined, RECURSIVE_DIFFERENCE, UNION } from '../fieldpath/set-steps.js';
import type { Walk } from '../fieldpath/walk.js';
import type { Type } from './type.js';

/** Units of work to look at an element. */
const VISIT_UNITS = 3;

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
    const member = isNamed(type, element) || isMember(node);
    if (!member) out[element] = children;
    else out[element] = isEmpty(children) ? LEAF : { [SELF]: LEAF, ...children };
  }
  return out;
}

/** Returns true for a declared field. */
const isNamed = (type: Type | undefined, element: PathElement): boolean =>
  element.charCodeAt(0) === 0x66 && type?.map?.fields.has(element.slice(2)) === true;

/** Does the same as {@link ensureNamedFieldsAreMembers}, in steps. Returns the set itself when nothing changes. */
export function* namedFieldsInSteps(walk: Walk, set: FieldSet, type: Type | undefined): Steps<FieldSet> {
  return (yield* namedInSteps(walk, set, type, false)) ?? EMPTY;
}

function* namedInSteps(
  walk: Walk,
  set: FieldSet,
  type: Type | undefined,
  member: boolean,
): Steps<FieldSet | undefined> {
  const out = new NodeInSteps(walk, member);
  const isSame = isMemberIn(walk, set) === member;
  if (!isSame) yield* out.start(set);
  for (const element of walk.keysOf(set)) {
    if (element === SELF) continue;
    if (walk.spend(ELEMENT_UNITS)) yield;
    const node = leafOr(walk, set[element] as FieldSet);
    const isElementMember = isMemberIn(walk, node) || isNamed(type, element);
    const named = node === LEAF ? node : yield* namedInSteps(walk, node, typeBelow(type, element), isElementMember);
    if (named !== node) yield* out.start(set);
    out.add(element, named);
  }
  return out.done(set);
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

/** Does the same as {@link reconcileWithType}, in steps. */
export function* reconcileInSteps(walk: Walk, set: FieldSet, type: Type): Steps<FieldSet> {
  const atomic: MutableFieldSet = {};
  yield* collectAtomicInSteps(walk, set, type, [], atomic);
  if (walk.keysOf(atomic).length === 0) return set;
  return yield* combined(walk, UNION, yield* combined(walk, RECURSIVE_DIFFERENCE, set, atomic), atomic);
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

function* collectAtomicInSteps(
  walk: Walk,
  set: FieldSet,
  type: Type,
  path: PathElement[],
  out: MutableFieldSet,
): Steps<void> {
  for (const element of walk.keysOf(set)) {
    if (walk.spend(VISIT_UNITS)) yield;
    const node = leafOr(walk, set[element] as FieldSet);
    const child = element === SELF || node === LEAF ? undefined : typeBelow(type, element);
    if (child === undefined || (node[SELF] !== undefined && walk.keysOf(node).length === 1)) continue;
    path.push(element);
    if (isAtomic(child)) insertNode(out, path, LEAF);
    else yield* collectAtomicInSteps(walk, node, child, path, out);
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
