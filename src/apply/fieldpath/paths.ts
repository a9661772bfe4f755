import { SELF, type PathElement } from './element.js';
import { isMember, LEAF, sorted, unionOfNodes, type FieldSet, type MutableFieldSet } from './fieldset.js';

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
export function paths(set: FieldSet): Path[] {
  const found: Path[] = [];
  collect(sorted(set), [], found);
  return found;
}

function collect(set: FieldSet, prefix: Path, found: Path[]): void {
  let deeper = false;
  for (const element in set) {
    const node = set[element] as FieldSet;
    if (element === SELF) continue;
    if (isMember(node)) found.push([...prefix, element]);
    deeper ||= node !== LEAF;
  }
  if (!deeper) return;
  for (const element in set) {
    const node = set[element] as FieldSet;
    if (element !== SELF && node !== LEAF) collect(node, [...prefix, element], found);
  }
}
