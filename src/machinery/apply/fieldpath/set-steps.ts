/**
 * The operations on field sets in steps, for the sets of large objects. Each has the result of the operation of the same
 * name in `fieldset.ts`, and shares nodes as it does.
 *
 * @module
 */
import type { Steps } from '../../../foundation/index.js';
import { areInOrderInSteps, SELF, sortElementsInSteps, type PathElement } from './element.js';
import { EMPTY, LEAF, type FieldSet, type MutableFieldSet } from './fieldset.js';
import { ELEMENT_UNITS, isMemberIn, leafOr, NodeInSteps } from './node-in-steps.js';
import type { Walk } from './walk.js';

/** Units of work to look up an element in two sets. */
const VISIT_UNITS = 3;

/** An operation that decides each path by itself: by whether it is a member of the left set, and of the right one. */
export interface PathOperation {
  isMember(left: boolean, right: boolean): boolean;
  /** Whether the paths below an element that only one set has are in the result. */
  readonly keepsLeft: boolean;
  readonly keepsRight: boolean;
  /** Whether a member of the right set removes all paths below it. */
  readonly isRecursive: boolean;
}

/** The members of both sets. */
export const UNION: PathOperation = {
  isMember: (left, right) => left || right,
  keepsLeft: true,
  keepsRight: true,
  isRecursive: false,
};
/** The members that both sets have. */
export const INTERSECTION: PathOperation = {
  isMember: (left, right) => left && right,
  keepsLeft: false,
  keepsRight: false,
  isRecursive: false,
};
/** The members of the left set that are not members of the right one. */
export const DIFFERENCE: PathOperation = {
  isMember: (left, right) => left && !right,
  keepsLeft: true,
  keepsRight: false,
  isRecursive: false,
};
/** The members of the left set that are neither members of the right one nor below one. */
export const RECURSIVE_DIFFERENCE: PathOperation = { ...DIFFERENCE, isRecursive: true };

/** Returns the set of the paths that an operation keeps of two sets. */
export function* combined(walk: Walk, operation: PathOperation, a: FieldSet, b: FieldSet): Steps<FieldSet> {
  if (walk.lists(a)) yield;
  if (walk.lists(b)) yield;
  if (walk.keysOf(b).length === 0 && operation.keepsLeft) return a;
  if (walk.keysOf(a).length === 0) return operation.keepsRight ? b : a;
  return (yield* new Combination(walk, operation, a, b, false).steps()) ?? EMPTY;
}

/** Returns what an operation leaves of two nodes below one element; undefined when that is nothing. */
export function* combinedNodes(
  walk: Walk,
  operation: PathOperation,
  a: FieldSet,
  b: FieldSet,
): Steps<FieldSet | undefined> {
  if (walk.lists(a)) yield;
  if (walk.lists(b)) yield;
  const member = operation.isMember(isMemberIn(walk, a), isMemberIn(walk, b));
  return yield* new Combination(walk, operation, a, b, member).steps();
}

/** A node that takes steps. */
const UNKNOWN = Symbol('unknown');

/** The combination of two nodes below one element. */
class Combination {
  readonly #walk: Walk;
  readonly #operation: PathOperation;
  readonly #a: FieldSet;
  readonly #b: FieldSet;
  readonly #node: NodeInSteps;
  /** Whether the result is the same as each node, as far as it has been visited. */
  #isA: boolean;
  #isB: boolean;

  /** @param member whether the path of the nodes is in the result */
  constructor(walk: Walk, operation: PathOperation, a: FieldSet, b: FieldSet, member: boolean) {
    this.#walk = walk;
    this.#operation = operation;
    this.#a = a;
    this.#b = b;
    this.#node = new NodeInSteps(walk, member);
    this.#isA = isMemberIn(walk, a) === member;
    this.#isB = operation.keepsRight && isMemberIn(walk, b) === member;
  }

  /** Returns undefined when the node is empty and its own path is not a member. */
  *steps(): Steps<FieldSet | undefined> {
    const walk = this.#walk;
    for (const element of walk.keysOf(this.#a)) {
      if (element === SELF) continue;
      const left = leafOr(walk, this.#a[element] as FieldSet);
      if (walk.spend(ELEMENT_UNITS)) yield;
      const other = this.#b[element];
      const right = other && leafOr(walk, other);
      const known = this.#known(left, right);
      const node = known === UNKNOWN ? yield* combinedNodes(walk, this.#operation, left, right as FieldSet) : known;
      if (!this.#node.isStarted && !this.#staysSame(node, left, right)) yield* this.#start();
      this.#node.add(element, node);
    }
    if (this.#isB) return this.#b;
    for (const element of this.#operation.keepsRight ? walk.keysOf(this.#b) : []) {
      if (walk.spend(ELEMENT_UNITS)) yield;
      if (element === SELF || this.#a[element] !== undefined) continue;
      if (!this.#node.isStarted) yield* this.#start();
      this.#node.add(element, this.#b[element]);
    }
    return this.#node.done(this.#isA ? this.#a : undefined);
  }

  /** Returns the node of an element, if it takes no steps. */
  #known(left: FieldSet, right: FieldSet | undefined): FieldSet | undefined | typeof UNKNOWN {
    const { keepsLeft, isRecursive, isMember } = this.#operation;
    if (right === undefined) return keepsLeft ? left : undefined;
    if (left === LEAF && right === LEAF) return isMember(true, true) ? LEAF : undefined;
    return isRecursive && isMemberIn(this.#walk, right) ? undefined : UNKNOWN;
  }

  /** Returns whether the result is still one of the nodes, given the node of the next element. */
  #staysSame(node: FieldSet | undefined, left: FieldSet, right: FieldSet | undefined): boolean {
    const isA = this.#isA && node === left;
    const isB = this.#isB && node === right;
    if (!isA && !isB) return false;
    this.#isA = isA;
    this.#isB = isB;
    return true;
  }

  *#start(): Steps<void> {
    yield* this.#node.start(this.#isA || !this.#operation.keepsRight ? this.#a : this.#b);
    this.#isA = this.#isB = false;
  }
}

/** Returns the members of all sets. */
export function* unionOfInSteps(walk: Walk, sets: readonly FieldSet[]): Steps<FieldSet> {
  let round = sets;
  while (round.length > 1) {
    const next: FieldSet[] = [];
    for (let index = 0; index < round.length; index += 2)
      next.push(yield* combined(walk, UNION, round[index] as FieldSet, round[index + 1] ?? EMPTY));
    round = next;
  }
  return round[0] ?? EMPTY;
}

/** Returns true when every member of `a` is a member of `b`. */
export function* isSubsetInSteps(walk: Walk, a: FieldSet, b: FieldSet): Steps<boolean> {
  if (a === b) return true;
  for (const element of walk.keysOf(a)) {
    if (element === SELF) continue;
    if (walk.spend(VISIT_UNITS)) yield;
    const left = a[element] as FieldSet;
    const right = b[element];
    if (left === right) continue;
    if (walk.lists(left)) yield;
    if (walk.lists(right)) yield;
    if (right === undefined || (isMemberIn(walk, left) && !isMemberIn(walk, right))) return false;
    if (left !== LEAF && !(yield* isSubsetInSteps(walk, left, right))) return false;
  }
  return true;
}

/** Returns true when both sets have the same members. */
export function* equalSetsInSteps(walk: Walk, a: FieldSet, b: FieldSet): Steps<boolean> {
  return (yield* isSubsetInSteps(walk, a, b)) && (yield* isSubsetInSteps(walk, b, a));
}

/** Returns the set with all elements in Kubernetes order; the set itself when it is in order. */
export function* sortedInSteps(walk: Walk, set: FieldSet): Steps<FieldSet> {
  const changed = new Map<PathElement, FieldSet>();
  for (const element of walk.keysOf(set)) {
    if (walk.spend(VISIT_UNITS)) yield;
    const node = leafOr(walk, set[element] as FieldSet);
    const child = node === LEAF ? node : yield* sortedInSteps(walk, node);
    if (child !== node) changed.set(element, child);
  }
  const elements = walk.keysOf(set);
  const isInOrder = yield* areInOrderInSteps(elements, walk.work);
  return isInOrder && changed.size === 0 ? set : yield* reorderedInSteps(walk, set, changed, isInOrder);
}

/** Returns the node with its own elements in Kubernetes order; nodes below keep their order. */
export function* inOrderInSteps(walk: Walk, node: FieldSet): Steps<FieldSet> {
  const isInOrder = yield* areInOrderInSteps(walk.keysOf(node), walk.work);
  return isInOrder ? node : yield* reorderedInSteps(walk, node, NO_NODES, false);
}

const NO_NODES: ReadonlyMap<PathElement, FieldSet> = new Map();

/** @param changed nodes that replace those of the set */
function* reorderedInSteps(
  walk: Walk,
  set: FieldSet,
  changed: ReadonlyMap<PathElement, FieldSet>,
  isInOrder: boolean,
): Steps<FieldSet> {
  const keys = walk.keysOf(set);
  walk.reserve(keys.length);
  const elements = isInOrder ? keys : yield* sortElementsInSteps([...keys], walk.work);
  const out: MutableFieldSet = {};
  for (const element of elements) {
    if (walk.spend(ELEMENT_UNITS)) yield;
    out[element] = changed.get(element) ?? (set[element] as FieldSet);
  }
  walk.noteSet(out, elements);
  return out;
}
