import type { Api } from './api.js';
import { isMap, textOf } from './guards.js';
import type { PageKind } from './kinds.js';

/** A schema of OpenAPI v3, as the server publishes it. */
export type Schema = Readonly<Record<string, unknown>>;

/** The schema of a kind, with those that it refers to. */
export interface KindSchema {
  readonly own: Schema;
  /** All schemas of the kind's group, by name. */
  readonly all: Schema;
}

/** The most references that are followed from one schema. */
const MOST_REFERENCES = 12;

/** Reads the schema of a kind; undefined where the server has none. @throws ApiFailure */
export async function readSchema(api: Api, kind: PageKind, signal: AbortSignal): Promise<KindSchema | undefined> {
  const path = kind.group === '' ? `api/${kind.version}` : `apis/${kind.group}/${kind.version}`;
  const document = await api.read<unknown>(`openapi/v3/${path}`, 'application/json', signal);
  const components = isMap(document) ? document['components'] : undefined;
  const all = isMap(components) ? components['schemas'] : undefined;
  if (!isMap(all)) return undefined;
  const own = Object.values(all).find((schema) => isMap(schema) && isOfKind(schema, kind));
  return isMap(own) ? { own, all } : undefined;
}

function isOfKind(schema: Schema, { group, version, kind }: PageKind): boolean {
  const names = extension(schema, 'group-version-kind');
  return (
    Array.isArray(names) &&
    names.some((name) => isMap(name) && name['group'] === group && name['version'] === version && name['kind'] === kind)
  );
}

/** Returns the value of an extension, whatever the dialect of its name: `x-kubernetes-NAME`. */
export const extension = (schema: Schema, name: string): unknown =>
  Object.entries(schema).find(([key]) => key.startsWith('x-') && key.endsWith(`-${name}`))?.[1];

/**
 * Returns a schema in which the references are followed. What is said beside a reference, such as a description, goes
 * before what is said behind it. A reference that leads nowhere allows everything.
 */
export function resolved(schema: unknown, all: Schema): Schema {
  let found: Schema = isMap(schema) ? schema : {};
  for (let followed = 0; followed < MOST_REFERENCES; followed += 1) {
    const { $ref: reference, allOf, ...beside } = found;
    const [only, ...others] = Array.isArray(allOf) ? (allOf as readonly unknown[]) : [];
    let behind: unknown;
    if (typeof reference === 'string') behind = all[reference.split('/').at(-1) ?? ''];
    else if (isMap(only) && others.length === 0) behind = only;
    else return found;
    found = { ...(isMap(behind) ? behind : {}), ...beside };
  }
  return {};
}

/** How the values of a schema are entered. */
export type FieldForm =
  'fields' | 'map' | 'list' | 'choice' | 'text' | 'number' | 'flag' | 'number-or-text' | 'anything';

const FORMS: Readonly<Record<string, FieldForm>> = {
  string: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'flag',
  array: 'list',
};

/** Returns how the values of a schema are entered. @param schema without references, see {@link resolved} */
export function formOf(schema: Schema): FieldForm {
  if (choicesOf(schema).length > 0) return 'choice';
  if (extension(schema, 'int-or-string') === true || isNumberOrText(schema)) return 'number-or-text';
  const type = textOf(schema['type']) ?? '';
  if (Object.hasOwn(FORMS, type)) return FORMS[type] ?? 'anything';
  if (isMap(schema['properties'])) return 'fields';
  return isMap(schema['additionalProperties']) ? 'map' : 'anything';
}

/** Returns the texts that a value may be; none where it may be others. */
export const choicesOf = (schema: Schema): readonly string[] => {
  const choices = schema['enum'];
  return Array.isArray(choices) ? choices.filter((choice) => typeof choice === 'string') : [];
};

/** Whether the alternatives of a schema are a number and a string, as those of ports and quantities. */
function isNumberOrText(schema: Schema): boolean {
  const alternatives = schema['oneOf'] ?? schema['anyOf'];
  if (!Array.isArray(alternatives)) return false;
  const types = new Set(alternatives.map((each: unknown) => (isMap(each) ? each['type'] : undefined)));
  return types.has('string') && (types.has('integer') || types.has('number'));
}

/** Returns the schema of a member of a map; undefined where the schema knows no such member. */
export function memberSchema(schema: Schema, name: string, all: Schema): Schema | undefined {
  const { properties, additionalProperties } = schema;
  if (isMap(properties) && Object.hasOwn(properties, name)) return resolved(properties[name], all);
  return isMap(additionalProperties) ? resolved(additionalProperties, all) : undefined;
}

/** Whether a schema allows members that it does not name. */
export const isOpen = (schema: Schema): boolean =>
  formOf(schema) === 'anything' ||
  schema['additionalProperties'] === true ||
  isMap(schema['additionalProperties']) ||
  extension(schema, 'preserve-unknown-fields') === true ||
  extension(schema, 'embedded-resource') === true;

/** Returns the members that have to be there. */
export const requiredOf = (schema: Schema): readonly string[] => {
  const { required } = schema;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
};
