/**
 * Values by a schema. They fit its types and bounds, as far as one field at a time shows them; the validation of the
 * kind decides.
 *
 * @module
 */
import {
  cloneJson,
  jsonText,
  ownMember,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from '../../foundation/index.js';
import type { StructuralSchema, ValueSchema } from '../../machinery/index.js';
import { textMatching } from './pattern-text.js';
import type { Random } from './random.js';

/** Maximum depth of a value: a recursive type ends there. */
const MAX_DEPTH = 24;

/** Texts of formats. */
const FORMATS: Readonly<Record<string, (random: Random) => string>> = {
  'date-time': (random) => `2024-01-0${1 + random.below(9)}T0${random.below(10)}:00:00Z`,
  datetime: (random) => `2024-01-0${1 + random.below(9)}T0${random.below(10)}:00:00Z`,
  'micro-time': (random) => `2024-01-01T00:00:0${random.below(10)}.000000Z`,
  date: (random) => `2024-01-0${1 + random.below(9)}`,
  byte: (random) => random.pick(['ZGF0YQ==', 'YWJj', 'eHl6']),
  quantity: (random) => random.pick(['1', '2', '1Gi', '4Gi']),
  uuid: (random) => `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-8${hex(random, 3)}-${hex(random, 12)}`,
  ipv4: (random) => `10.0.${random.below(256)}.${1 + random.below(254)}`,
  ipv6: (random) => `2001:db8::${hex(random, 4)}`,
  cidr: (random) => `10.${random.below(256)}.0.0/16`,
  mac: (random) => Array.from({ length: 6 }, () => hex(random, 2)).join(':'),
  hostname: (random) => `${random.word(6)}.example.com`,
  email: (random) => `${random.word(6)}@example.com`,
  uri: (random) => `https://example.com/${random.word(6)}`,
  duration: (random) => `${1 + random.below(59)}s`,
};

const hex = (random: Random, length: number): string =>
  Array.from({ length }, () => random.pick(Array.from('0123456789abcdef'))).join('');

/**
 * Returns a value with its required parts.
 *
 * @param name name of the field, by which texts and numbers are chosen
 */
export function valueOf(schema: StructuralSchema, random: Random, name: string, depth = 0): JsonValue {
  const merged = withConditions(schema, random);
  const { type, enum: values, publishedEnum } = merged;
  if (values !== undefined && values.length > 0) return cloneJson(random.pick(values));
  if (publishedEnum !== undefined && publishedEnum.length > 0) return random.pick(publishedEnum);
  switch (type) {
    case 'string':
      return textOf(merged, random, name);
    case 'integer':
      return numberOf(merged, random, name);
    case 'number':
      return numberOf(merged, random, name);
    case 'boolean':
      return random.below(2) === 0;
    case 'int-or-string':
      return 1 + random.below(9);
    case 'array':
      return listOf(merged, random, name, depth);
    case 'object':
      return objectOf(merged, random, depth);
    case 'any':
      return {};
  }
}

/** Returns a schema with the conditions of `allOf` and of one alternative each of `anyOf` and `oneOf`. */
function withConditions(schema: StructuralSchema, random: Random): StructuralSchema {
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  const chosen = [
    ...allOf,
    ...[anyOf, oneOf].flatMap((branches) => (branches.length === 0 ? [] : [random.pick(branches)])),
  ];
  return chosen.reduce<StructuralSchema>((merged, condition) => mergedWith(merged, condition), schema);
}

function mergedWith(schema: StructuralSchema, condition: ValueSchema): StructuralSchema {
  const { properties, items, required, additionalProperties, allOf, anyOf, oneOf, ...bounds } = condition;
  const fields = new Map(schema.properties);
  for (const [name, field] of properties ?? []) {
    const known = fields.get(name);
    if (known !== undefined) fields.set(name, mergedWith(known, field));
  }
  return {
    ...schema,
    ...bounds,
    ...(schema.properties === undefined ? {} : { properties: fields }),
    ...(items === undefined || schema.items === undefined ? {} : { items: mergedWith(schema.items, items) }),
    required: [...(schema.required ?? []), ...(required ?? [])],
  };
}

function textOf(schema: StructuralSchema, random: Random, name: string): string {
  const { pattern, format = '', minLength = 0, maxLength = 63 } = schema;
  if (pattern !== undefined) {
    const text = textMatching(pattern, random);
    if (text !== undefined) return text;
  }
  const known = ownMember(FORMATS, format);
  if (known !== undefined) return known(random);
  const text = wordFor(name, random);
  return text.length > maxLength ? text.slice(0, maxLength).replace(/[^a-z0-9]+$/, 'x') : text.padEnd(minLength, 'x');
}

function wordFor(name: string, random: Random): string {
  if (/image$/i.test(name)) return `registry.example.com/${random.word(5)}:1.${random.below(10)}`;
  if (/path$/i.test(name)) return `/${random.word(5)}`;
  if (/ip$/i.test(name)) return FORMATS['ipv4']?.(random) ?? '';
  if (/(host|domain|dnsname)$/i.test(name)) return `${random.word(5)}.example.com`;
  return random.word(6);
}

function numberOf(schema: StructuralSchema, random: Random, name: string): number {
  if (schema.type === 'number' && schema.multipleOf === undefined) {
    const lower = schema.minimum ?? Math.min(0, (schema.maximum ?? 10) - 10);
    // A number between the bounds, which may be excluded.
    return lower + (((schema.maximum ?? lower + 10) - lower) * (1 + random.below(99))) / 100;
  }
  const step = schema.multipleOf ?? 1;
  const isPort = /port$/i.test(name);
  const lower = bound(schema.minimum, schema.exclusiveMinimum, step) ?? (isPort ? 8000 : 1);
  const upper = bound(schema.maximum, schema.exclusiveMaximum, -step) ?? lower + (isPort ? 1000 : 9 * step);
  const first = Math.ceil(Math.min(lower, upper) / step);
  const last = Math.floor(upper / step);
  return (first + random.below(Math.min(Math.max(last - first, 0), 1000) + 1)) * step;
}

const bound = (value: number | undefined, exclusive: boolean | undefined, step: number): number | undefined =>
  value === undefined ? undefined : exclusive === true ? value + step : value;

function listOf(
  { items, minItems, maxItems, uniqueItems, listType }: StructuralSchema,
  random: Random,
  name: string,
  depth: number,
): JsonValue[] {
  if (items === undefined || depth > MAX_DEPTH) return [];
  const wanted = Math.min(Math.max(minItems ?? 1, 0), maxItems ?? Infinity);
  const distinct = uniqueItems === true || listType === 'set' || listType === 'map';
  const list: JsonValue[] = [];
  for (let attempt = 0; list.length < wanted && attempt < wanted * 4 + 4; attempt += 1) {
    const item = valueOf(items, random, singular(name), depth + 1);
    if (!distinct || !list.some((other) => jsonText(other) === jsonText(item))) list.push(item);
  }
  return list;
}

/** Returns the name of an item: that of `ports` is `port`. */
const singular = (name: string): string => name.replace(/s$/, '');

function objectOf(schema: StructuralSchema, random: Random, depth: number): JsonObject {
  const { properties, additionalProperties, minProperties = 0, embeddedResource } = schema;
  if (embeddedResource === true) return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: random.word(6) } };
  const object: MutableJsonObject = {};
  if (depth > MAX_DEPTH) return object;
  for (const name of requiredOf(schema)) {
    const field = properties?.get(name);
    if (field !== undefined) object[name] = cloneJson(valueOf(field, random, name, depth + 1));
  }
  if (additionalProperties !== undefined)
    while (Object.keys(object).length < Math.max(minProperties, 1))
      object[random.word(5)] = cloneJson(valueOf(additionalProperties, random, '', depth + 1));
  for (const [name, field] of properties ?? []) {
    if (Object.keys(object).length >= minProperties) break;
    object[name] ??= cloneJson(valueOf(field, random, name, depth + 1)) as MutableJsonObject;
  }
  return object;
}

/** Returns the names of the required fields, each once; those with a default may be absent. */
function requiredOf({ required = [], publishedRequired = [], properties }: StructuralSchema): string[] {
  return [...new Set([...required, ...publishedRequired])].filter(
    (name) => properties?.get(name)?.default === undefined,
  );
}
