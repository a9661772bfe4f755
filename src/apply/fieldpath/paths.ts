import { SELF, type PathElement } from './element.js';
import { isMember, LEAF, sorted, unionOfNodes, type FieldSet, type MutableFieldSet } from './fieldset.js';

/** Steps from the root of an object to one of its fields or items. */
export type Path = readonly PathElement[];

/** The set of the given paths: `fieldSet(['f:data', 'f:a'], ['f:spec'])`. */
export function fieldSet(...paths: readonly Path[]): FieldSet {
  const out: MutableFieldSet = {};
  for (const path of paths) insertNode(out, path, LEAF);
  return out;
}

/**
 * Adds a node, and with it its members, at a path. Only for the builder of the set: every node on the way must be its own.
 * The root itself cannot be a member; an empty path is ignored.
 */
export function insertNode(set: MutableFieldSet, path: Path, node: FieldSet): void {
  const last = path.length - 1;
  let at = set;
  for (let index = 0; index < last; index += 1) {
    const element = path[index] as PathElement;
    let next: MutableFieldSet | undefined = at[element];
    if (next === undefined) next = at[element] = {};
    // A node of the builder's own has entries, or is this one: to ask `isMember` would enumerate all that it has.
    else if (next === LEAF) next = at[element] = { [SELF]: LEAF };
    at = next;
  }
  const element = path[last];
  if (element === undefined) return;
  const existing = at[element];
  at[element] = existing === undefined ? node : unionOfNodes(existing, node);
}

/** True when the path is a member of the set. */
export function has(set: FieldSet, path: Path): boolean {
  let at: FieldSet | undefined = set;
  for (const element of path) {
    at = at[element];
    if (at === undefined) return false;
  }
  return path.length > 0 && isMember(at);
}

/** Every member of the set, in production order: at each node first the members there, then what is below them. */
export function* paths(set: FieldSet, prefix: Path = []): Generator<Path> {
  const ordered = sorted(set);
  for (const element in ordered)
    if (element !== SELF && isMember(ordered[element] as FieldSet)) yield [...prefix, element];
  for (const element in ordered) if (element !== SELF) yield* paths(ordered[element] as FieldSet, [...prefix, element]);
}
