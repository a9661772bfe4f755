import { atOnce, type Steps } from '../../../foundation/index.js';
import { SELF, type PathElement } from './element.js';
import { isMember, LEAF, sorted, unionOfNodes, type FieldSet, type MutableFieldSet } from './fieldset.js';
import type { Walk } from './walk.js';

/** Steps from the root of an object to one of its fields or items. */
export type Path = readonly PathElement[];

/** Returns the set of the given paths: `fieldSet(['f:data', 'f:a'], ['f:spec'])`. */
export function fieldSet(...paths: readonly Path[]): FieldSet {
  const out: MutableFieldSet = {};
  for (const path of paths) insertNode(out, path, LEAF);
  return out;
}

/**
 * Adds a node with its members at a path. Only the builder of the set may call it: the nodes along the path are changed
 * in place. The root cannot be a member, so an empty path is ignored.
 */
export function insertNode(set: MutableFieldSet, path: Path, node: FieldSet): void {
  const last = path.length - 1;
  let at = set;
  for (let index = 0; index < last; index += 1) {
    const element = path[index] as PathElement;
    let next: MutableFieldSet | undefined = at[element];
    if (next === undefined) next = at[element] = {};
    // A node of the builder has entries or is LEAF. This check is cheaper than `isMember`, which enumerates entries.
    else if (next === LEAF) next = at[element] = { [SELF]: LEAF };
    at = next;
  }
  const element = path[last];
  if (element === undefined) return;
  const existing = at[element];
  at[element] = existing === undefined ? node : unionOfNodes(existing, node);
}

/** Returns true when the path is a member of the set. */
export function has(set: FieldSet, path: Path): boolean {
  let at: FieldSet | undefined = set;
  for (const element of path) {
    at = at[element];
    if (at === undefined) return false;
  }
  return path.length > 0 && isMember(at);
}

/** Returns every member of the set in Kubernetes order: the members at each node come before the members below them. */
export const paths = (set: FieldSet): Path[] => atOnce(pathsInSteps(sorted(set), PLAIN));

const PLAIN: Pick<Walk, 'keysOf' | 'spend'> = { keysOf: (node) => Object.keys(node), spend: () => false };

/** Returns every member of a set that is in order, as {@link paths} does, in steps. */
export function* pathsInSteps(set: FieldSet, walk: Pick<Walk, 'keysOf' | 'spend'>): Steps<Path[]> {
  const found: Path[] = [];
  yield* collect(set, [], found, walk);
  return found;
}

/** Units of work to add a path. */
const PATH_UNITS = 3;

function* collect(set: FieldSet, prefix: Path, found: Path[], walk: Pick<Walk, 'keysOf' | 'spend'>): Steps<void> {
  const deeper: PathElement[] = [];
  for (const element of walk.keysOf(set)) {
    if (walk.spend(PATH_UNITS)) yield;
    const node = set[element] as FieldSet;
    if (element === SELF) continue;
    const isEmpty = node === LEAF || walk.keysOf(node).length === 0;
    if (isEmpty || node[SELF] !== undefined) found.push([...prefix, element]);
    if (!isEmpty) deeper.push(element);
  }
  for (const element of deeper) yield* collect(set[element] as FieldSet, [...prefix, element], found, walk);
}
