/**
 * The references in a document of OpenAPI 2.0: where they may be, and a walk over them.
 *
 * @module
 */
import {
  isArray,
  isJsonObject,
  keysInSteps,
  ownMember,
  setOwnMember,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';

/** A part of a document that may be a reference, or have parts that may be. */
export type Part = 'pathItem' | 'operation' | 'parameter' | 'response' | 'schema';

/** The members of a document that have names to refer to. */
export const SECTIONS = ['definitions', 'parameters', 'responses'] as const;
export type Section = (typeof SECTIONS)[number];

/** The part of a document that each entry of a section is. */
export const PART_OF_SECTION: Readonly<Record<Section, Part>> = {
  definitions: 'schema',
  parameters: 'parameter',
  responses: 'response',
};

/** A member of a part: what it holds, and whether that has names (a list and a single part are told by themselves). */
type Member = readonly [part: Part, isNamed?: 'named'];

const OPERATION: Member = ['operation'];
const SCHEMA: Member = ['schema'];

/** The members of each part that hold further parts. */
const MEMBERS_OF_PARTS: Readonly<Record<Part, Readonly<Record<string, Member>>>> = {
  pathItem: {
    parameters: ['parameter'],
    ...{ get: OPERATION, put: OPERATION, post: OPERATION, delete: OPERATION },
    ...{ options: OPERATION, head: OPERATION, patch: OPERATION },
  },
  operation: { parameters: ['parameter'], responses: ['response', 'named'] },
  parameter: { schema: SCHEMA },
  response: { schema: SCHEMA },
  schema: {
    properties: ['schema', 'named'],
    ...{ additionalProperties: SCHEMA, items: SCHEMA, allOf: SCHEMA, anyOf: SCHEMA, oneOf: SCHEMA, not: SCHEMA },
  },
};

const MEMBERS: ReadonlyMap<string, readonly (readonly [name: string, member: Member])[]> = new Map(
  Object.entries(MEMBERS_OF_PARTS).map(([part, members]) => [part, Object.entries(members)]),
);

/** Units of work to look at a part. */
const PART_UNITS = 4;

/**
 * Passes each reference in a part to a function, and returns the part with what the function returns. A part whose
 * references stay the same is returned as it is.
 */
export function* withReferences(
  work: Work,
  value: JsonValue,
  part: Part,
  map: (reference: string) => string,
): Steps<JsonValue> {
  // A list may have millions of values, none of them a reference.
  if (work.spend(PART_UNITS)) yield;
  if (!isJsonObject(value)) return value;
  let changed: Record<string, JsonValue | undefined> | undefined;
  const reference = ownMember(value, '$ref');
  if (typeof reference === 'string') {
    const mapped = map(reference);
    if (mapped !== reference) (changed = { ...value })['$ref'] = mapped;
  }
  for (const [name, [inner, isNamed]] of MEMBERS.get(part) ?? []) {
    const member = ownMember(value, name);
    if (member === undefined) continue;
    const mapped = yield* membersWith(work, member, inner, isNamed === 'named', map);
    if (mapped !== member) (changed ??= { ...value })[name] = mapped;
  }
  return changed ?? value;
}

function* membersWith(
  work: Work,
  value: JsonValue,
  part: Part,
  isNamed: boolean,
  map: (reference: string) => string,
): Steps<JsonValue> {
  if (isArray(value)) {
    const items: JsonValue[] = [];
    let isChanged = false;
    for (const item of value) {
      const mapped = yield* withReferences(work, item, part, map);
      isChanged ||= mapped !== item;
      items.push(mapped);
    }
    return isChanged ? items : value;
  }
  return isNamed && isJsonObject(value)
    ? yield* entriesWith(work, value, part, map)
    : yield* withReferences(work, value, part, map);
}

/** Does what {@link withReferences} does, for each member of an object whose keys are names. */
export function* entriesWith(
  work: Work,
  entries: JsonObject,
  part: Part,
  map: (reference: string) => string,
): Steps<JsonObject> {
  let isChanged = false;
  const mapped: Record<string, JsonValue | undefined> = {};
  for (const name of yield* keysInSteps(entries, work)) {
    const member = entries[name];
    const value = member === undefined ? undefined : yield* withReferences(work, member, part, map);
    isChanged ||= value !== member;
    setOwnMember(mapped, name, value);
  }
  return isChanged ? mapped : entries;
}

/** Returns what a reference within its document names; undefined for any other text. */
export function targetOf(reference: string): { readonly section: Section; readonly name: string } | undefined {
  const section = SECTIONS.find((candidate) => reference.startsWith(`#/${candidate}/`));
  if (section === undefined) return undefined;
  const name = reference.slice(section.length + 3);
  return { section, name: name.replaceAll('~1', '/').replaceAll('~0', '~') };
}

/** Returns the reference to an entry of a section. */
export const referenceTo = (section: Section, name: string): string =>
  `#/${section}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
