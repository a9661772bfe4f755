import {
  isJsonObject,
  keysInSteps,
  ownMember,
  setOwnMember,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { PART_OF_SECTION, targetOf, withReferences, type Part, type Section } from './references.js';

/** The parts of a document of OpenAPI 2.0 that are merged: what the server serves, and what that refers to. */
export type MergeableDocument = Readonly<Record<'paths' | Section, JsonObject>>;

const NOTHING: JsonObject = Object.freeze({});
const UNITS_OF_ENTRY = 4;

/** Returns the parts of a document that are merged. */
export function mergeableDocument(document: JsonObject): MergeableDocument {
  const member = (name: string): JsonObject => {
    const value = ownMember(document, name);
    return isJsonObject(value) ? value : NOTHING;
  };
  return {
    paths: member('paths'),
    definitions: member('definitions'),
    parameters: member('parameters'),
    responses: member('responses'),
  };
}

/**
 * Returns the part of a document that describes some of its paths: these paths, and what they refer to.
 *
 * @see FilterSpecByPaths of kube-openapi
 */
export function* documentOfPaths(
  work: Work,
  document: MergeableDocument,
  isWanted: (path: string) => boolean,
): Steps<MergeableDocument> {
  const kept = { paths: {}, definitions: {}, parameters: {}, responses: {} } satisfies Record<string, JsonObject>;
  const found: { section: Section; name: string }[] = [];
  const seen = new Set<string>();
  const note = (reference: string): string => {
    const target = targetOf(reference);
    if (target !== undefined && !seen.has(reference)) {
      seen.add(reference);
      found.push(target);
    }
    return reference;
  };
  const keep = function* (section: keyof MergeableDocument, name: string, part: Part): Steps<void> {
    const entry = ownMember(document[section], name);
    if (entry === undefined) return;
    setOwnMember<JsonValue>(kept[section], name, entry);
    yield* withReferences(work, entry, part, note);
  };
  for (const path of yield* keysInSteps(document.paths, work)) {
    if (work.spend(UNITS_OF_ENTRY)) yield;
    if (isWanted(path)) yield* keep('paths', path, 'pathItem');
  }
  for (let target = found.pop(); target !== undefined; target = found.pop())
    yield* keep(target.section, target.name, PART_OF_SECTION[target.section]);
  return kept;
}
