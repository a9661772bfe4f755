/** Who wrote a field last: an entry of `managedFields`. */
export interface Owner {
  readonly manager: string;
  readonly operation: string;
  readonly time: string | undefined;
  readonly subresource: string | undefined;
}

/** The fields of an owner at one place of an object. */
export interface Owned {
  readonly owner: Owner;
  readonly fields: FieldSet;
}

interface FieldSet {
  readonly [key: string]: FieldSet;
}

interface ManagedFieldsEntry {
  readonly manager?: string | undefined;
  readonly operation?: string | undefined;
  readonly time?: string | undefined;
  readonly subresource?: string | undefined;
  readonly fieldsV1?: unknown;
}

/** Returns the owners of an object's fields. */
export function ownedOf(object: {
  readonly metadata?: { readonly managedFields?: readonly ManagedFieldsEntry[] | undefined };
}): Owned[] {
  return (object.metadata?.managedFields ?? []).flatMap(
    ({ manager = '', operation = '', time, subresource, fieldsV1 }) =>
      isFieldSet(fieldsV1) ? [{ owner: { manager, operation, time, subresource }, fields: fieldsV1 }] : [],
  );
}

/** Returns what is owned of a member of a map. Who owns the map as a whole owns its members. */
export const ownedMember = (owned: readonly Owned[], key: string): readonly Owned[] =>
  below(owned, (name) => name === `f:${key}`);

/** Returns what is owned of an item of a list, which is named by its position, its value, or its keys. */
export const ownedItem = (owned: readonly Owned[], item: unknown, index: number): readonly Owned[] =>
  below(owned, (name) => isItem(name, item, index));

function below(owned: readonly Owned[], isTheOne: (name: string) => boolean): readonly Owned[] {
  return owned.flatMap((entry) => {
    const names = Object.keys(entry.fields);
    if (names.length === 0) return [entry];
    const found = names.find(isTheOne);
    return found === undefined ? [] : [{ owner: entry.owner, fields: entry.fields[found] ?? {} }];
  });
}

/** Returns the owners of a place itself: those who own it as a whole, or its existence. */
export const ownersHere = (owned: readonly Owned[]): readonly Owner[] =>
  owned
    .filter(({ fields }) => Object.keys(fields).length === 0 || Object.hasOwn(fields, '.'))
    .map(({ owner }) => owner);

function isItem(name: string, item: unknown, index: number): boolean {
  const form = name.slice(0, 2);
  if (form === 'i:') return name === `i:${index}`;
  if (form !== 'k:' && form !== 'v:') return false;
  const wanted = parsed(name.slice(2));
  if (form === 'v:') return wanted === item;
  if (typeof item !== 'object' || item === null || typeof wanted !== 'object' || wanted === null) return false;
  const members = new Map<string, unknown>(Object.entries(item));
  // A key that the object leaves out has its default.
  return Object.entries(wanted).every(([key, value]) => !members.has(key) || members.get(key) === value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isFieldSet = (value: unknown): value is FieldSet =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the number of the colour of a manager, from 1 to 8. */
export function colourOf(manager: string): number {
  let hash = 0;
  for (const character of manager) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) | 0;
  return (Math.abs(hash) % 8) + 1;
}
