import type { Steps } from '../../../foundation/index.js';
import { SELF, type PathElement } from './element.js';
import { LEAF, newNode, type FieldSet, type MutableFieldSet } from './fieldset.js';
import type { Walk } from './walk.js';

/** Units of work to visit an element of a set and to add it to another one. */
export const ELEMENT_UNITS = 8;

/**
 * A node of a set that is made of another one, element by element. It is copied when the first element differs, and
 * shared when none does.
 */
export class NodeInSteps {
  readonly #walk: Walk;
  readonly #member: boolean;
  readonly #elements: PathElement[];
  readonly #first: number;
  #out: MutableFieldSet | undefined;

  /** @param member whether the path of the node is in the set */
  constructor(walk: Walk, member: boolean) {
    this.#walk = walk;
    this.#member = member;
    this.#elements = member ? [SELF] : [];
    this.#first = this.#elements.length;
  }

  /** Whether the node has been started: it is no longer the one that it is made of. */
  get isStarted(): boolean {
    return this.#out !== undefined;
  }

  /**
   * Starts the node, unless it has been started, with the elements that have been added.
   *
   * @param former has them with the same nodes
   */
  *start(former: FieldSet): Steps<void> {
    if (this.#out !== undefined) return;
    this.#walk.reserve(this.#walk.keysOf(former).length);
    const out = newNode(this.#member);
    for (let index = this.#first; index < this.#elements.length; index += 1) {
      if (this.#walk.spend(ELEMENT_UNITS)) yield;
      const element = this.#elements[index] as PathElement;
      out[element] = former[element] as FieldSet;
    }
    this.#out = out;
  }

  /** Adds an element; nothing without a node. */
  add(element: PathElement, node: FieldSet | undefined): void {
    if (node === undefined) return;
    this.#elements.push(element);
    if (this.#out !== undefined) this.#out[element] = node;
  }

  /** Replaces the node of an element of a node that has been started. */
  replace(element: PathElement, node: FieldSet): void {
    if (this.#out !== undefined) this.#out[element] = node;
  }

  /** Returns the node that the element already has in a node that has been started. */
  at(element: PathElement): FieldSet | undefined {
    return this.#out?.[element];
  }

  /**
   * Returns the node; undefined when it is empty and its path is not in the set.
   *
   * @param former the node itself, as long as it has not been started; undefined when the paths differ
   */
  done(former?: FieldSet): FieldSet | undefined {
    if (this.#out === undefined && former !== undefined) return former;
    if (this.#out === undefined || this.#elements.length === this.#first) return this.#member ? LEAF : undefined;
    this.#walk.noteSet(this.#out, this.#elements);
    return this.#out;
  }
}

/** Returns {@link LEAF} for a node without entries, and other nodes as they are. */
export const leafOr = (walk: Walk, node: FieldSet): FieldSet =>
  node === LEAF || walk.keysOf(node).length === 0 ? LEAF : node;

/** Returns true when the path that leads to a node is in its set. */
export const isMemberIn = (walk: Walk, node: FieldSet): boolean =>
  leafOr(walk, node) === LEAF || node[SELF] !== undefined;
