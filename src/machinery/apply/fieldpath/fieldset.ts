/**
 * Field sets: the paths of an object that a manager owns.
 *
 * A set has the same form in memory as on the wire (FieldsV1): a trie of plain objects, keyed by path elements. A node
 * without entries is a member of the set and has no members below it; `.` marks a member with members below it. The
 * root is never a member, so a root without entries is the empty set. Sets are immutable, and operations share nodes
 * where they can.
 *
 * @module
 */
import { areInOrder, isPlainField, SELF, sortElements, type PathElement } from './element.js';

/** A set of paths, or a node of one. */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}

/** A set under construction, which no other code refers to yet. */
export interface MutableFieldSet {
  [element: PathElement]: FieldSet;
}

/** The set without members. */
export const EMPTY: FieldSet = Object.freeze({});

/**
 * The node of a member without members below it. The same object as {@link EMPTY}: {@link EMPTY} is a root, LEAF a node
 * below one.
 */
export const LEAF: FieldSet = EMPTY;

function hasNoEntries(node: FieldSet): boolean {
  if (node === LEAF) return true;
  for (const _element in node) return false;
  return true;
}

/** Returns true for a set without members. */
export function isEmpty(set: FieldSet): boolean {
  return hasNoEntries(set);
}

/** Returns true when the path that leads to this node is in the set. Not for roots. */
export function isMember(node: FieldSet): boolean {
  return node === LEAF || node[SELF] !== undefined || hasNoEntries(node);
}

/** Returns the node with its own path added to the set. */
export function asMember(node: FieldSet | undefined): FieldSet {
  if (node === undefined || isMember(node)) return node ?? LEAF;
  return { [SELF]: LEAF, ...node };
}

/** Returns the members below an element as a set; empty when there are none. */
export function below(set: FieldSet, element: PathElement): FieldSet {
  const node = set[element];
  if (node === undefined) return EMPTY;
  if (node[SELF] === undefined) return node;
  const { [SELF]: _self, ...rest } = node;
  return rest;
}

/** Creates a node without entries below it, which is a member of the set or not. */
export const newNode = (member: boolean): MutableFieldSet => (member ? { [SELF]: LEAF } : {});

/** Collects the entries of a node and returns its canonical form. */
class NodeBuilder {
  #node: MutableFieldSet | undefined;
  readonly #member: boolean;

  constructor(member: boolean) {
    this.#member = member;
  }

  put(element: PathElement, node: FieldSet | undefined): void {
    if (node === undefined) return;
    (this.#node ??= newNode(this.#member))[element] = node;
  }

  /** Returns undefined when the node is empty and its own path is not a member. */
  done(): FieldSet | undefined {
    return this.#node ?? (this.#member ? LEAF : undefined);
  }
}

/** Returns the members of both sets; `b` itself when it has them all, or else `a` itself when it does. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || hasNoEntries(b)) return a;
  if (hasNoEntries(a)) return b;
  return unionNode(a, b, false);
}

/** Returns the members of all sets. Unites pairs, then pairs of pairs, so that no member is copied once per set. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  let round = sets;
  while (round.length > 1) {
    const next: FieldSet[] = [];
    for (let index = 0; index < round.length; index += 2)
      next.push(union(round[index] as FieldSet, round[index + 1] ?? EMPTY));
    round = next;
  }
  return round[0] ?? EMPTY;
}

/** Returns the union of two nodes below the same element. */
export function unionOfNodes(a: FieldSet, b: FieldSet): FieldSet {
  return a === b ? a : unionNode(a, b, isMember(a) || isMember(b));
}

/** Returns one of the nodes itself when it contains the other, which is the common case. */
function unionNode(a: FieldSet, b: FieldSet, member: boolean): FieldSet {
  let isA = !member || isMember(a);
  let isB = !member || isMember(b);
  let out: MutableFieldSet | undefined;
  for (const element in a) {
    if (element === SELF) continue;
    const left = a[element] as FieldSet;
    const right = b[element];
    const node = right === undefined ? left : unionOfNodes(left, right);
    if (out === undefined) {
      const staysA = isA && node === left;
      const staysB = isB && node === right;
      if (!staysA && !staysB) out = startOf(a, element, isA ? a : b, member);
      isA = staysA;
      isB = staysB;
    }
    if (out !== undefined) out[element] = node;
  }
  if (isB) return b;
  for (const element in b) {
    if (element === SELF || a[element] !== undefined) continue;
    out ??= startOf(a, undefined, a, member);
    out[element] = b[element] as FieldSet;
  }
  return out ?? a;
}

/**
 * Starts a node with the elements of `a` that come before `end` (all when undefined); takes their values from `nodes`.
 */
function startOf(a: FieldSet, end: PathElement | undefined, nodes: FieldSet, member: boolean): MutableFieldSet {
  const out = newNode(member);
  for (const element in a) {
    if (element === end) break;
    if (element !== SELF) out[element] = nodes[element] as FieldSet;
  }
  return out;
}

/** Returns the members that both sets have. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return intersectNode(a, b, false) ?? EMPTY;
}

function intersectNode(a: FieldSet, b: FieldSet, member: boolean): FieldSet | undefined {
  const out = new NodeBuilder(member);
  for (const element in a) {
    const right = b[element];
    if (element === SELF || right === undefined) continue;
    const left = a[element] as FieldSet;
    out.put(element, intersectNode(left, right, isMember(left) && isMember(right)));
  }
  return out.done();
}

/**
 * Returns the members of `a` that are not members of `b`; `a` itself when it loses none. Members below a member of `b`
 * stay.
 */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return hasNoEntries(b) ? a : (subtractNode(a, b, 'none', false) ?? EMPTY);
}

/** Returns the members of `a` that are neither members of `b` nor below one; `a` itself when it loses none. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return hasNoEntries(b) ? a : (subtractNode(a, b, 'none', true) ?? EMPTY);
}

/** The effect of a difference on the path of a node: it is not a member, stays one, or is no longer one. */
type OwnPath = 'none' | 'stays' | 'lost';

/** @param recursive removes also the members of `a` below a member of `b` */
function subtractNode(a: FieldSet, b: FieldSet, path: OwnPath, recursive: boolean): FieldSet | undefined {
  let out: MutableFieldSet | undefined = path === 'lost' ? {} : undefined;
  let isLeaf = true;
  for (const element in a) {
    if (element === SELF) continue;
    const left = a[element] as FieldSet;
    const right = b[element];
    const node = right === undefined ? left : subtractChild(left, right, recursive);
    if (node !== left) out ??= startOf(a, element, a, path === 'stays');
    if (node === undefined) continue;
    isLeaf = false;
    if (out !== undefined) out[element] = node;
  }
  if (out === undefined) return a;
  if (!isLeaf) return out;
  return path === 'stays' ? LEAF : undefined;
}

function subtractChild(left: FieldSet, right: FieldSet, recursive: boolean): FieldSet | undefined {
  const removed = isMember(right);
  if (removed && recursive) return undefined;
  if (!isMember(left)) return subtractNode(left, right, 'none', recursive);
  return subtractNode(left, right, removed ? 'lost' : 'stays', recursive);
}

/** Returns the members that have no members below them. */
export function leaves(set: FieldSet): FieldSet {
  const out: MutableFieldSet = {};
  for (const element in set)
    if (element !== SELF)
      out[element] = hasNoEntries(set[element] as FieldSet) ? LEAF : leaves(set[element] as FieldSet);
  return out;
}

/** Returns true when both sets have the same members. */
export function equalSets(a: FieldSet, b: FieldSet): boolean {
  return isSubset(a, b) && isSubset(b, a);
}

/** Returns true when every member of `a` is a member of `b`. */
export function isSubset(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  for (const element in a) {
    if (element === SELF) continue;
    const left = a[element] as FieldSet;
    const right = b[element];
    if (left === right) continue;
    if (right === undefined || (isMember(left) && !isMember(right)) || !isSubset(left, right)) return false;
  }
  return true;
}

/**
 * Returns the node with its own elements in Kubernetes order; nodes below keep their order. Returns the node itself
 * when it is in order.
 */
export function inOrder(node: FieldSet): FieldSet {
  return areInOrder(node) ? node : reordered(node);
}

function reordered(node: FieldSet): FieldSet {
  const out: MutableFieldSet = {};
  const elements = Object.keys(node);
  // When all elements are fields, the engine's string order is the Kubernetes order.
  if (elements.every(isPlainField)) elements.sort();
  else sortElements(elements);
  for (const element of elements) out[element] = node[element] as FieldSet;
  return out;
}

/** Returns the set with all elements in Kubernetes order; the set itself when it is in order. */
export function sorted(set: FieldSet): FieldSet {
  let out: MutableFieldSet | undefined;
  for (const element in set) {
    const node = set[element] as FieldSet;
    if (node === LEAF) continue;
    const child = sorted(node);
    if (child !== node) (out ??= { ...set })[element] = child;
  }
  return inOrder(out ?? set);
}
