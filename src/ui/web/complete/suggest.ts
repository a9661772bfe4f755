import { stringify } from 'yaml';
import type { ValuePath } from '../data/check-schema.js';
import { isMap, listOf, textOf } from '../data/guards.js';
import {
  choicesOf,
  extension,
  formOf,
  memberSchema,
  requiredOf,
  resolved,
  type FieldForm,
  type KindSchema,
  type Schema,
} from '../data/schema.js';
import type { Place } from './place.js';

/** Something that may be written at the cursor. */
export interface Suggestion {
  readonly is: 'key' | 'value';
  /** The key, or the value as it is written in YAML. */
  readonly label: string;
  /** The form of the value of a key: on its line, or lines of a map or a list below it. */
  readonly below: 'value' | 'map' | 'list';
  /** The type of what is written, in a word or two. */
  readonly type: string;
  readonly required: boolean;
  /** The description in the schema; may be empty. */
  readonly description: string;
}

/** A kind of objects, as objects name it. */
export interface NamedKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Returns what may be written at a place, in the order of the schema, what is required first. */
export function suggestionsAt(place: Place, { own, all }: KindSchema, kinds: readonly NamedKind[]): Suggestion[] {
  const here = schemaAt(resolved(own, all), place.path, all);
  if (here === undefined) return [];
  if (place.key === undefined) {
    const keys = keysOf(here, all).filter(({ label }) => !place.members.has(label));
    return place.isItem && keys.length === 0 ? valuesOf(here) : keys;
  }
  const names = namesOfKinds(place, here, all, kinds);
  if (names.length > 0) return names;
  const schema = memberOf(here, place.key, all);
  return schema === undefined ? [] : valuesOf(schema);
}

/** Returns the schema of what is at a path; undefined where the schema knows nothing of it. */
function schemaAt(schema: Schema, path: ValuePath, all: Schema): Schema | undefined {
  let found: Schema | undefined = schema;
  for (const step of path) {
    if (found === undefined) return undefined;
    found = typeof step === 'number' ? resolved(found['items'], all) : memberOf(found, step, all);
  }
  return found;
}

/** Members that every object has, where an object is embedded whose schema does not name them. */
const OF_OBJECTS: Schema = {
  apiVersion: { type: 'string', description: 'The group and version of the object.' },
  kind: { type: 'string', description: 'The kind of the object.' },
  metadata: { type: 'object', description: 'The metadata of the object.', additionalProperties: true },
};

const isObject = (schema: Schema): boolean => extension(schema, 'embedded-resource') === true;

function memberOf(schema: Schema, name: string, all: Schema): Schema | undefined {
  const found = memberSchema(schema, name, all);
  if (found !== undefined || !isObject(schema) || !Object.hasOwn(OF_OBJECTS, name)) return found;
  return resolved(OF_OBJECTS[name], all);
}

/** Returns the members that a schema names: the keys of a map are the user's own. */
function keysOf(schema: Schema, all: Schema): Suggestion[] {
  const { properties } = schema;
  const named = isMap(properties) ? properties : {};
  const required = new Set(requiredOf(schema));
  const names = Object.keys(isObject(schema) ? { ...OF_OBJECTS, ...named } : named);
  return names
    .map((label): Suggestion => {
      const member = memberOf(schema, label, all) ?? {};
      const form = formOf(member);
      return {
        ...{ is: 'key', label, required: required.has(label), description: textOf(member['description']) ?? '' },
        below: BELOW[form] ?? (isObject(member) ? 'map' : 'value'),
        type: typeOf(form, member, all),
      };
    })
    .sort((a, b) => Number(b.required) - Number(a.required));
}

const BELOW: Readonly<Partial<Record<FieldForm, Suggestion['below']>>> = { fields: 'map', map: 'map', list: 'list' };

/** Words for the types whose names in the schema say less. */
const TYPES: Readonly<Partial<Record<FieldForm, string>>> = {
  fields: 'object',
  map: 'map',
  choice: 'one of some values',
  'number-or-text': 'integer or string',
};

function typeOf(form: FieldForm, schema: Schema, all: Schema): string {
  if (form === 'list') {
    const items = resolved(schema['items'], all);
    return `list of ${typeOf(formOf(items), items, all)}`;
  }
  return TYPES[form] ?? textOf(schema['type']) ?? 'any value';
}

/** Returns the values that a schema names: choices, true and false, and the default. */
function valuesOf(schema: Schema): Suggestion[] {
  const standard = schema['default'];
  const named = formOf(schema) === 'flag' ? [true, false] : listOf(schema['enum']);
  const simple = ['string', 'number', 'boolean'].includes(typeof standard) && standard !== '' && standard !== 0;
  const values = simple && !named.includes(standard) ? [standard, ...named] : named;
  const description = textOf(schema['description']) ?? '';
  return values.map((value) => ({
    ...{ is: 'value', below: 'value', required: false, description },
    label: stringify(value, { lineWidth: 0 }).trimEnd(),
    type: value === standard ? 'default' : '',
  }));
}

/** Returns the kinds that may be named: in the head of an object, or in a reference to another one. */
function namesOfKinds({ key, members }: Place, here: Schema, all: Schema, kinds: readonly NamedKind[]): Suggestion[] {
  const isHead = ['apiVersion', 'kind'].every((name) => {
    const member = memberOf(here, name, all);
    return member !== undefined && formOf(member) === 'text' && choicesOf(member).length === 0;
  });
  if (!isHead || (key !== 'apiVersion' && key !== 'kind')) return [];
  const [other, written] =
    key === 'kind' ? (['apiVersion', members.get('apiVersion')] as const) : (['kind', members.get('kind')] as const);
  const fitting = kinds.filter((each) => each[other] === written);
  const found = new Set((fitting.length > 0 ? fitting : kinds).map((each) => each[key]));
  return [...found].sort().map((label) => ({
    ...{ is: 'value', label, below: 'value', type: key, required: false, description: '' },
  }));
}
