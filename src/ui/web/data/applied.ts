import type { UntypedObject } from '../../../entries/client-web.js';
import { ownMember, type FieldChange } from '../../../foundation/index.js';
import { withFields } from './changes.js';
import { isApiObject, isMap, listOf, textOf } from './guards.js';
import { ownedItem, ownedMember, ownedOf, type Owned } from './owners.js';

/** A field that another manager owns with another value. */
export interface ApplyConflict {
  /** The field, as the server names it: `.spec.replicas`. */
  readonly field: string;
  /** The server's words, which name the manager. */
  readonly message: string;
}

/**
 * Returns what is applied: the fields that a manager has applied before, since a smaller set would remove the others, with
 * the changes. A list that is changed is applied as a whole.
 */
export function appliedOf(object: UntypedObject, manager: string, changes: readonly FieldChange[]): UntypedObject {
  const owned = ownedOf(object).filter(
    ({ owner }) => owner.manager === manager && owner.operation === 'Apply' && owner.subresource === undefined,
  );
  const kept = owned.length === 0 ? {} : partOf(object, owned);
  const {
    apiVersion,
    kind,
    metadata: { name, namespace },
  } = object;
  const removed = changes.filter(({ after }) => after === undefined);
  const known = removed.reduce((left, { path }) => mapOf(withoutField(left, path)), mapOf(kept));
  const metadata = {
    ...(isMap(known['metadata']) ? known['metadata'] : {}),
    name,
    ...(namespace === undefined ? {} : { namespace }),
  };
  const set = changes.flatMap(({ path, after }) => (after === undefined ? [] : [{ path, value: after }]));
  const applied: unknown = withFields({ ...known, apiVersion, kind, metadata }, set);
  if (!isApiObject(applied)) throw new TypeError('the object has no kind, or no metadata');
  return applied;
}

/** Returns the part of a value that is owned. */
function partOf(value: unknown, owned: readonly Owned[]): unknown {
  if (owned.some(({ fields }) => Object.keys(fields).length === 0)) return value;
  if (Array.isArray(value))
    return value.flatMap((item: unknown, index) => {
      const below = ownedItem(owned, item, index);
      return below.length === 0 ? [] : [isMap(item) ? { ...keysIn(owned, item), ...mapOf(partOf(item, below)) } : item];
    });
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.keys(value).flatMap((name) => {
      const below = ownedMember(owned, name);
      return below.length === 0 ? [] : [[name, partOf(ownMember(value, name), below)]];
    }),
  );
}

const mapOf = (value: unknown): Readonly<Record<string, unknown>> => (isMap(value) ? value : {});

/** Returns a value without a field, and without the maps that only had it; undefined when nothing is left. */
function withoutField(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return undefined;
  if (!isMap(value) || !Object.hasOwn(value, name)) return value;
  const { [name]: member, ...others } = value;
  const left = withoutField(member, rest);
  if (left !== undefined) return { ...value, [name]: left };
  return Object.keys(others).length > 0 ? others : undefined;
}

/** Returns the keys that name an item, which are applied with it. */
function keysIn(owned: readonly Owned[], item: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const names = owned.flatMap(({ fields }) => Object.keys(fields)).filter((name) => name.startsWith('k:'));
  const keys = new Set(names.flatMap((name) => Object.keys(mapOf(JSON.parse(name.slice(2))))));
  return Object.fromEntries(Object.entries(item).filter(([name]) => keys.has(name)));
}

/** Returns the fields for which an apply was refused, that another manager owns; none for another failure. */
export function applyConflictsIn(error: unknown): readonly ApplyConflict[] {
  const status = isMap(error) ? error['status'] : undefined;
  const details = isMap(status) ? status['details'] : undefined;
  return listOf(isMap(details) ? details['causes'] : undefined).flatMap((cause) => {
    if (!isMap(cause) || cause['reason'] !== 'FieldManagerConflict') return [];
    return [{ field: textOf(cause['field']) ?? '', message: textOf(cause['message']) ?? '' }];
  });
}

/** Returns the changes that are not among fields of others, or that are taken over from them. */
export const withoutConflicts = (
  changes: readonly FieldChange[],
  left: readonly ApplyConflict[],
): readonly FieldChange[] =>
  changes.filter(({ path }) => {
    const own = `.${path.join('.')}`;
    return !left.some(
      ({ field }) =>
        field === own || field.startsWith(`${own}.`) || field.startsWith(`${own}[`) || own.startsWith(`${field}.`),
    );
  });
