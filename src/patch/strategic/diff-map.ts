import { ownMember, setOwnMember } from '../../encoding/own-property.js';
import { equalJson, isArray, isJsonObject, type JsonObject, type JsonValue } from '../../meta/json.js';
import type { StructuralSchema } from '../../schema/structural.js';
import { unfit } from '../patch-error.js';
import type { Draft } from '../values.js';
import type { Differ, DiffOptions } from './diff.js';
import { diffList } from './diff-list.js';
import { DELETE_FROM_PRIMITIVE_LIST, DIRECTIVE, RETAIN_KEYS, SET_ELEMENT_ORDER } from './directives.js';
import { factsOf, type FieldFacts } from './facts.js';

/** Creates a differ with its options. */
export function createDiffer(options: DiffOptions): Differ {
  const differ: Differ = {
    options,
    diffMap: (original, modified, schema, retainsKeys) => diffMap(original, modified, schema, retainsKeys, differ),
  };
  return differ;
}

function diffMap(
  original: JsonObject,
  modified: JsonObject,
  schema: StructuralSchema | undefined,
  retainsKeys: boolean,
  differ: Differ,
): Draft {
  const patch: Draft = {};
  for (const key of Object.keys(modified)) {
    const after = modified[key];
    if (after !== undefined) diffMember(patch, key, ownMember(original, key), after, schema, differ);
  }
  if (!differ.options.ignoresDeletions) {
    for (const key of Object.keys(original))
      if (original[key] !== undefined && ownMember(modified, key) === undefined) setOwnMember(patch, key, null);
  }
  if (retainsKeys) nameRetained(patch, original, modified);
  return patch;
}

function diffMember(
  patch: Draft,
  key: string,
  before: JsonValue | undefined,
  after: JsonValue,
  schema: StructuralSchema | undefined,
  differ: Differ,
): void {
  if (key === DIRECTIVE && before !== undefined && !(typeof before === 'string' && typeof after === 'string')) {
    throw unfit(`invalid value for special key: ${DIRECTIVE}`);
  }
  const facts = typeof after === 'object' ? factsOf(schema, key) : undefined;
  if (facts !== undefined && isJsonObject(before) && isJsonObject(after) && !facts.replacesMap) {
    const inner = differ.diffMap(before, after, facts.schema, facts.retainsKeys);
    if (Object.keys(inner).length > 0) setOwnMember(patch, key, inner);
  } else if (facts?.mergesList === true && isArray(before) && isArray(after)) {
    diffMergedList(patch, key, before, after, facts, differ);
  } else if (!differ.options.onlyDeletions && !equalJson(before, after)) setOwnMember(patch, key, after);
}

function diffMergedList(
  patch: Draft,
  key: string,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  facts: FieldFacts,
  differ: Differ,
): void {
  const { changes, deleted, order } = diffList(before, after, facts, differ);
  if (changes.length > 0) setOwnMember(patch, key, changes);
  if (deleted.length > 0) patch[`${DELETE_FROM_PRIMITIVE_LIST}/${key}`] = deleted;
  if (order.length > 0) patch[`${SET_ELEMENT_ORDER}/${key}`] = order;
}

/** Adds `$retainKeys` when a member changes or must be removed. */
function nameRetained(patch: Draft, original: JsonObject, modified: JsonObject): void {
  const present = (object: JsonObject, key: string): boolean => (ownMember(object, key) ?? null) !== null;
  const retained = Object.keys(modified).filter((key) => present(modified, key));
  if (retained.length === 0) return;
  const leaves = Object.keys(original).some((key) => present(original, key) && ownMember(modified, key) === undefined);
  if (leaves || Object.keys(patch).length > 0) patch[RETAIN_KEYS] = retained.sort();
}
