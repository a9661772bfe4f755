import { isMap } from './guards.js';
import type { Matches } from './patterns.js';
import { choicesOf, extension, formOf, isOpen, memberSchema, requiredOf, resolved, type Schema } from './schema.js';

/** The way to a value: names of members, and places in lists. */
export type ValuePath = readonly (string | number)[];

/** An objection of a schema to a value. */
export interface Problem {
  readonly path: ValuePath;
  readonly message: string;
}

/** The most problems that are looked for, and the deepest values that are looked at. */
const MOST = 100;
const DEEPEST = 50;

/**
 * Returns what the schema objects to in a value, at most 100 problems. They only help the editor: the server
 * decides, and knows rules that are not in the schema.
 *
 * @param schema without references, see `resolved`
 * @param matches compares texts with patterns
 */
export function problemsIn(value: unknown, schema: Schema, all: Schema, matches: Matches): readonly Problem[] {
  const problems: Problem[] = [];
  check(
    { all, matches, report: (path, message) => void (problems.length < MOST && problems.push({ path, message })) },
    [],
    value,
    schema,
  );
  return problems;
}

/** A check of a value. */
interface Check {
  readonly all: Schema;
  readonly matches: Matches;
  readonly report: (path: ValuePath, message: string) => void;
}

function check(checking: Check, path: ValuePath, value: unknown, schema: Schema): void {
  // The server drops null where it is not a value.
  if (value === undefined || value === null || path.length > DEEPEST) return;
  const form = formOf(schema);
  const wrong = wrongType(form, value, schema);
  if (wrong !== undefined) return checking.report(path, wrong);
  if (Array.isArray(value)) return checkList(checking, path, value, schema);
  if (isMap(value)) return checkMap(checking, path, value, schema);
  for (const message of limitsBroken(value, schema, checking.matches)) checking.report(path, message);
}

/** Returns what is wrong with the type of a value; undefined for the right one. */
function wrongType(form: ReturnType<typeof formOf>, value: unknown, schema: Schema): string | undefined {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  switch (form) {
    case 'choice': {
      const choices = choicesOf(schema);
      return typeof value === 'string' && choices.includes(value) ? undefined : `must be one of: ${choices.join(', ')}`;
    }
    case 'text':
      return typeof value === 'string' ? undefined : 'must be a string';
    case 'number':
      if (!isNumber) return schema['type'] === 'integer' ? 'must be an integer' : 'must be a number';
      return schema['type'] === 'integer' && typeof value === 'number' && !Number.isInteger(value)
        ? 'must be an integer'
        : undefined;
    case 'number-or-text':
      return isNumber || typeof value === 'string' ? undefined : 'must be a number or a string';
    case 'flag':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'list':
      return Array.isArray(value) ? undefined : 'must be a list';
    case 'fields':
    case 'map':
      return isMap(value) ? undefined : 'must be a map of fields';
    case 'anything':
      return undefined;
  }
}

function checkList(checking: Check, path: ValuePath, list: readonly unknown[], schema: Schema): void {
  const { minItems, maxItems, items } = schema;
  if (typeof minItems === 'number' && list.length < minItems)
    checking.report(path, `must have at least ${minItems} items`);
  if (typeof maxItems === 'number' && list.length > maxItems)
    checking.report(path, `must have at most ${maxItems} items`);
  const ofItem = resolved(items, checking.all);
  for (const [index, item] of list.entries()) check(checking, [...path, index], item, ofItem);
  const keys = extension(schema, 'list-map-keys');
  if (Array.isArray(keys)) checkKeys(checking, path, list, keys.map(String), ofItem);
}

/** Items of a list that is a map have keys of their own. A key that an item leaves out has its default. */
function checkKeys(
  checking: Check,
  path: ValuePath,
  list: readonly unknown[],
  keys: readonly string[],
  ofItem: Schema,
): void {
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    if (!isMap(item)) continue;
    const key = keys
      .map((name) => String(item[name] ?? memberSchema(ofItem, name, checking.all)?.['default']))
      .join(' ');
    if (seen.has(key)) checking.report([...path, index], `has the same ${keys.join(' and ')} as an item before it`);
    seen.add(key);
  }
}

function checkMap(checking: Check, path: ValuePath, map: Readonly<Record<string, unknown>>, schema: Schema): void {
  for (const name of requiredOf(schema)) {
    const inSchema = memberSchema(schema, name, checking.all);
    if ((map[name] ?? undefined) === undefined && !hasDefault(inSchema))
      checking.report([...path, name], 'is required');
  }
  const open = isOpen(schema);
  for (const [name, member] of Object.entries(map)) {
    if (member === undefined) continue;
    const inSchema = memberSchema(schema, name, checking.all);
    if (inSchema !== undefined) check(checking, [...path, name], member, inSchema);
    else if (!open) checking.report([...path, name], 'is not in the schema');
  }
}

/** Whether the server fills in a value. In schemas of built-in kinds, Go's zero value of a required field does not count. */
function hasDefault(schema: Schema | undefined): boolean {
  const value = schema?.['default'];
  if (value === undefined || value === '' || value === 0) return false;
  return !(isMap(value) && Object.keys(value).length === 0);
}

function limitsBroken(value: unknown, schema: Schema, matches: Matches): string[] {
  const { minimum, maximum, minLength, maxLength, pattern } = schema;
  const broken: string[] = [];
  if (typeof value === 'number' || typeof value === 'bigint') {
    if (typeof minimum === 'number' && value < minimum) broken.push(`must be at least ${minimum}`);
    if (typeof maximum === 'number' && value > maximum) broken.push(`must be at most ${maximum}`);
  }
  if (typeof value !== 'string') return broken;
  const length = [...value].length;
  if (typeof minLength === 'number' && length < minLength) broken.push(`must have at least ${minLength} characters`);
  if (typeof maxLength === 'number' && length > maxLength) broken.push(`must have at most ${maxLength} characters`);
  if (typeof pattern === 'string' && matches(value, pattern) === false) broken.push(`must match ${pattern}`);
  return broken;
}
