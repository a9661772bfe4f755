/**
 * Field sets: which paths of an object somebody owns.
 *
 * A set is held in the form that it has on the wire (FieldsV1): a trie of plain objects, keyed by path elements. A node
 * without entries is a member of the set and has no members below it; `.` marks a member that has. At the root, where
 * there is nothing to be a member, no entries means the empty set. Sets are immutable, and operations share what they can.
 *
 * @module
 */
import { areInOrder, SELF, sortElements, type PathElement } from './element.js';

/** A set of paths, or a node of one. */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}

/** A set under construction, owned by who builds it. */
export interface MutableFieldSet {
  [element: PathElement]: FieldSet;
}

/** The set without members. */
export const EMPTY: FieldSet = Object.freeze({});

/** The node of a member without members below it. The same object as {@link EMPTY}; only the place tells them apart. */
export const LEAF: FieldSet = EMPTY;

function hasNoEntries(node: FieldSet): boolean {
  if (node === LEAF) return true;
  for (const _element in node) return false;
  return true;
}

/** True for a set without members. */
export function isEmpty(set: FieldSet): boolean {
  return hasNoEntries(set);
}

/** True when the path that leads to this node is in the set. Not for roots. */
export function isMember(node: FieldSet): boolean {
  return node === LEAF || node[SELF] !== undefined || hasNoEntries(node);
}

/** The node with its own path in the set. */
export function asMember(node: FieldSet | undefined): FieldSet {
  if (node === undefined || isMember(node)) return node ?? LEAF;
  return { [SELF]: LEAF, ...node };
}

/** What is below an element, as a set of its own; empty when there is nothing. */
export function below(set: FieldSet, element: PathElement): FieldSet {
  const node = set[element];
  if (node === undefined) return EMPTY;
  if (node[SELF] === undefined) return node;
  const { [SELF]: _self, ...rest } = node;
  return rest;
}

/** Collects the entries of a node; gives the node's one form when done. */
class NodeBuilder {
  #node: MutableFieldSet | undefined;
  readonly #member: boolean;

  constructor(member: boolean) {
    this.#member = member;
  }

  put(element: PathElement, node: FieldSet | undefined): void {
    if (node === undefined) return;
    this.#node ??= this.#member ? { [SELF]: LEAF } : {};
    this.#node[element] = node;
  }

  /** Undefined when nothing is in the node, not even its own path. */
  done(): FieldSet | undefined {
    return this.#node ?? (this.#member ? LEAF : undefined);
  }
}

/** All members of both sets. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || hasNoEntries(b)) return a;
  if (hasNoEntries(a)) return b;
  return unionNode(a, b, false);
}

/** All members of all the sets. Taken two by two, so that no member is copied once for each set. */
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

/** Union of two nodes below the same element. */
export function unionOfNodes(a: FieldSet, b: FieldSet): FieldSet {
  return a === b ? a : unionNode(a, b, isMember(a) || isMember(b));
}

/** Where one of the nodes holds the other, as it mostly does, that node itself is the union. */
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

/** A node under construction with the elements of `a` before `end`, or all of them, as another node has them. */
function startOf(a: FieldSet, end: PathElement | undefined, nodes: FieldSet, member: boolean): MutableFieldSet {
  const out: MutableFieldSet = member ? { [SELF]: LEAF } : {};
  for (const element in a) {
    if (element === end) break;
    if (element !== SELF) out[element] = nodes[element] as FieldSet;
  }
  return out;
}

/** The members that both sets have. */
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

/** The members of `a` that are not members of `b`. What is below a member of `b` stays. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (hasNoEntries(b)) return a;
  return subtractNode(a, b, false) ?? EMPTY;
}

function subtractNode(a: FieldSet, b: FieldSet, member: boolean): FieldSet | undefined {
  const out = new NodeBuilder(member);
  for (const element in a) {
    if (element === SELF) continue;
    const left = a[element] as FieldSet;
    const right = b[element];
    out.put(element, right === undefined ? left : subtractNode(left, right, isMember(left) && !isMember(right)));
  }
  return out.done();
}

/** The members of `a` that are neither members of `b` nor below one. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  if (hasNoEntries(b)) return a;
  return subtractTree(a, b, false) ?? EMPTY;
}

function subtractTree(a: FieldSet, b: FieldSet, member: boolean): FieldSet | undefined {
  const out = new NodeBuilder(member);
  for (const element in a) {
    if (element === SELF) continue;
    const left = a[element] as FieldSet;
    const right = b[element];
    if (right === undefined) out.put(element, left);
    else if (!isMember(right)) out.put(element, subtractTree(left, right, isMember(left)));
  }
  return out.done();
}

/** The members that have no members below them. */
export function leaves(set: FieldSet): FieldSet {
  const out: MutableFieldSet = {};
  for (const element in set)
    if (element !== SELF)
      out[element] = hasNoEntries(set[element] as FieldSet) ? LEAF : leaves(set[element] as FieldSet);
  return out;
}

/** True when both sets have the same members. */
export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  for (const element in a) {
    if (element === SELF) continue;
    const left = a[element] as FieldSet;
    const right = b[element];
    if (left === right) continue;
    if (right === undefined || isMember(left) !== isMember(right) || !equalSets(left, right)) return false;
  }
  for (const element in b) if (element !== SELF && a[element] === undefined) return false;
  return true;
}

/** True when every member of `a` is a member of `b`. */
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

/** The node with its own elements in production order, those below as they are; the node itself when they are already. */
export function inOrder(node: FieldSet): FieldSet {
  return areInOrder(node) ? node : reordered(node);
}

function reordered(node: FieldSet): FieldSet {
  const out: MutableFieldSet = {};
  const elements = Object.keys(node);
  // Where all are fields, the engine's own order is the production order.
  if (elements.every(isPlainField)) elements.sort();
  else sortElements(elements);
  for (const element of elements) out[element] = node[element] as FieldSet;
  return out;
}

/** A field, or the node itself, whose text sorts in bytes as it does in UTF-16: without surrogates. */
function isPlainField(element: PathElement): boolean {
  if (element.charCodeAt(0) !== 0x66 && element !== SELF) return false;
  for (let index = 2; index < element.length; index += 1) if (element.charCodeAt(index) >= 0xd800) return false;
  return true;
}

/** The same set with all elements in production order; the set itself when they are already. */
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
