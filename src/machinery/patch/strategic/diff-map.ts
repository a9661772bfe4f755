import {
  equalJson,
  isArray,
  isJsonObject,
  ownMember,
  setOwnMember,
  type JsonObject,
  type JsonValue,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../../schema/define/structural.js';
import { internalFailure } from '../patch-error.js';
import type { Draft } from '../values.js';
import { diffList } from './diff-list.js';
import type { Differ, DiffOptions } from './diff.js';
import { DELETE_FROM_PRIMITIVE_LIST, DIRECTIVE, RETAIN_KEYS, SET_ELEMENT_ORDER } from './directives.js';
import { factsOf, type FieldFacts } from './facts.js';
import type { List } from './items.js';

/** Computes the differences of maps, and of the lists in them. */
export class MapDiffer implements Differ {
  readonly options: DiffOptions;

  constructor(options: DiffOptions) {
    this.options = options;
  }

  diffMap(
    original: JsonObject,
    modified: JsonObject,
    schema: StructuralSchema | undefined,
    retainsKeys: boolean,
  ): Draft {
    const patch: Draft = {};
    for (const key of Object.keys(modified)) {
      const after = modified[key];
      if (after !== undefined) this.#diffMember(patch, key, ownMember(original, key), after, schema);
    }
    if (!this.options.ignoresDeletions) {
      for (const key of Object.keys(original))
        if (original[key] !== undefined && ownMember(modified, key) === undefined) setOwnMember(patch, key, null);
    }
    if (retainsKeys) nameRetained(patch, original, modified);
    return patch;
  }

  #diffMember(
    patch: Draft,
    key: string,
    before: JsonValue | undefined,
    after: JsonValue,
    schema: StructuralSchema | undefined,
  ): void {
    if (key === DIRECTIVE && before !== undefined && !(typeof before === 'string' && typeof after === 'string')) {
      throw internalFailure(`invalid value for special key: ${DIRECTIVE}`);
    }
    const facts = typeof after === 'object' ? factsOf(schema, key) : undefined;
    if (facts !== undefined && isJsonObject(before) && isJsonObject(after) && !facts.replacesMap) {
      const inner = this.diffMap(before, after, facts.schema, facts.retainsKeys);
      if (Object.keys(inner).length > 0) setOwnMember(patch, key, inner);
    } else if (facts?.mergesList === true && isArray(before) && isArray(after)) {
      this.#diffMergedList(patch, key, before, after, facts);
    } else if (!this.options.onlyDeletions && !equalJson(before, after)) setOwnMember(patch, key, after);
  }

  #diffMergedList(patch: Draft, key: string, before: List, after: List, facts: FieldFacts): void {
    const { changes, deleted, order } = diffList(before, after, facts, this);
    if (changes.length > 0) setOwnMember(patch, key, changes);
    if (deleted.length > 0) patch[`${DELETE_FROM_PRIMITIVE_LIST}/${key}`] = deleted;
    if (order.length > 0) patch[`${SET_ELEMENT_ORDER}/${key}`] = order;
  }
}

/** Adds `$retainKeys` when a member changes or must be removed. */
function nameRetained(patch: Draft, original: JsonObject, modified: JsonObject): void {
  const present = (object: JsonObject, key: string): boolean => (ownMember(object, key) ?? null) !== null;
  const retained = Object.keys(modified).filter((key) => present(modified, key));
  if (retained.length === 0) return;
  const removes = Object.keys(original).some((key) => present(original, key) && ownMember(modified, key) === undefined);
  if (removes || Object.keys(patch).length > 0) patch[RETAIN_KEYS] = retained.sort();
}
