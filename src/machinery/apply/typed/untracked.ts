import type { PathElement } from '../fieldpath/element.js';
import type { FieldSet } from '../fieldpath/fieldset.js';
import { fieldSet, type Path } from '../fieldpath/paths.js';

/** Metadata fields that identify an object or belong to the server. They have no owner. */
const UNTRACKED_METADATA: ReadonlySet<string> = new Set([
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
]);

const METADATA: PathElement = 'f:metadata';

/** The fields that have no owner. */
export const UNTRACKED: FieldSet = fieldSet(
  ['f:apiVersion'],
  ['f:kind'],
  [METADATA],
  ...[...UNTRACKED_METADATA].map((name) => [METADATA, `f:${name}`]),
);

/** Returns true for a field without an owner. The metadata itself, whose fields may have owners, is not one. */
export function isUntracked(parent: Path, name: string): boolean {
  if (parent.length === 0) return name === 'apiVersion' || name === 'kind';
  return parent.length === 1 && parent[0] === METADATA && UNTRACKED_METADATA.has(name);
}

/** Returns the path of a member of a map, if it may have fields without an owner. */
export function untrackedBelow(parent: Path | undefined, name: string): Path | undefined {
  return parent?.length === 0 && name === 'metadata' ? METADATA_PATH : undefined;
}

const METADATA_PATH: Path = [METADATA];
