import {
  equalJson,
  shownGoValue,
  isArray,
  keysInSteps,
  ownMember,
  setOwnMember,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../../schema/define/structural.js';
import { strategicErrors, tooLarge, internalFailure } from '../patch-error.js';
import { draftOf, type Draft } from '../values.js';
import {
  DELETE,
  DELETE_FROM_PRIMITIVE_LIST,
  DIRECTIVE,
  directiveOf,
  fieldOfParallelList,
  isParallelList,
  mayBeDirective,
  REPLACE,
  RETAIN_KEYS,
  SET_ELEMENT_ORDER,
} from './directives.js';
import { factsOf } from './facts.js';
import { deleteValues, mergeList } from './merge-list.js';
import { hasElementOrder, mergeElementOrder } from './merge-ordered.js';
import type { Merger } from './merger.js';
import { takeValue } from './take.js';

/** Maximum number of values in all items that one patch merges repeatedly. */
const MAX_REPEATEDLY_MERGED = 1_000_000;

/** Creates the merger of one patch. */
export function createMerger(mode: Merger['mode'], work: Work): Merger {
  let room = MAX_REPEATEDLY_MERGED;
  const merger: Merger = {
    mode,
    work,
    mergeMap: (original, patch, schema) => mergeMap(original, patch, schema, merger),
    countRepeatedMerge(item) {
      room = roomAfter(item, room);
      if (room < 0) throw tooLarge('the patch changes the same items of a list too often');
    },
  };
  return merger;
}

/**
 * Subtracts the number of values in a value, including itself, from the remaining room. Negative when the room is
 * exceeded.
 */
function roomAfter(value: JsonValue, room: number): number {
  let left = room - 1;
  if (typeof value !== 'object' || value === null) return left;
  for (const inner of isArray(value) ? value : Object.values(value)) {
    if (left < 0) break;
    if (inner !== undefined) left = roomAfter(inner, left);
  }
  return left;
}

/** Units of work of one change. */
const UNITS_PER_CHANGE = 4;

function* mergeMap(
  original: JsonObject,
  patch: JsonObject,
  schema: StructuralSchema | undefined,
  merger: Merger,
): Steps<JsonObject> {
  const directive = directiveOf(patch);
  if (directive !== undefined) return yield* applyDirective(merger.work, directive, patch);
  const result = yield* draftOf(merger.work, original);
  yield* retainKeys(result, patch, merger);
  const done = hasElementOrder(patch) ? yield* mergeElementOrder(result, patch, schema, merger) : undefined;
  for (const key in patch) {
    const change = patch[key];
    if (change === undefined || done?.has(key) === true) continue;
    if (merger.work.spend(UNITS_PER_CHANGE)) yield;
    if (mayBeDirective(key) && (yield* mergeDirective(result, key, change, schema, merger))) continue;
    if (change === null) {
      delete result[key];
      if (merger.mode === 'combine') setOwnMember(result, key, null);
    } else yield* mergeMember(result, key, change, schema, merger);
  }
  return result;
}

/** Applies `$patch` in a map. */
function* applyDirective(work: Work, directive: JsonValue, patch: JsonObject): Steps<JsonObject> {
  if (directive === DELETE) return {};
  if (directive !== REPLACE) throw strategicErrors.patchType(directive, patch);
  const rest = yield* draftOf(work, patch);
  delete rest[DIRECTIVE];
  return rest;
}

function* mergeMember(
  result: Draft,
  key: string,
  change: JsonValue,
  schema: StructuralSchema | undefined,
  merger: Merger,
): Steps<void> {
  const present = ownMember(result, key);
  if (
    typeof present === 'object' &&
    present !== null &&
    typeof change === 'object' &&
    isArray(present) === isArray(change)
  ) {
    const facts = factsOf(schema, key);
    if (facts !== undefined) {
      // Whole values of the patch are taken unchanged, without a search for directives, as in Kubernetes.
      if (isArray(present))
        setOwnMember(result, key, yield* mergeList(present, change as readonly JsonValue[], facts, merger));
      else
        setOwnMember(
          result,
          key,
          facts.replacesMap ? change : yield* mergeMap(present, change as JsonObject, facts.schema, merger),
        );
      return;
    }
  }
  const taken = yield* takeValue(merger.work, change, merger.mode === 'apply');
  if (taken === undefined) delete result[key];
  else setOwnMember(result, key, taken);
}

/** Handles a key that starts like a directive; returns false for a field. */
function* mergeDirective(
  result: Draft,
  key: string,
  change: JsonValue,
  schema: StructuralSchema | undefined,
  merger: Merger,
): Steps<boolean> {
  // These two directives are already applied.
  if (key === RETAIN_KEYS || key.startsWith(SET_ELEMENT_ORDER)) return true;
  if (!key.startsWith(DELETE_FROM_PRIMITIVE_LIST)) return false;
  if (merger.mode === 'combine') {
    result[key] = change;
    return true;
  }
  const field = fieldOfParallelList(key, DELETE_FROM_PRIMITIVE_LIST);
  const present = ownMember(result, field);
  if (change === null) delete result[field];
  else if (isArray(present) && isArray(change))
    setOwnMember(result, field, yield* deleteValues(present, change, factsOf(schema, field), merger));
  return true;
}

/** Units of work to look at a name of a member. */
const UNITS_PER_NAME = 2;

/** Applies `$retainKeys`: removes the members that it does not name. */
function* retainKeys(result: Draft, patch: JsonObject, merger: Merger): Steps<void> {
  const wanted = patch[RETAIN_KEYS];
  if (wanted === undefined) return;
  if (merger.mode === 'combine') {
    const other = result[RETAIN_KEYS];
    if (other !== undefined && !equalJson(other, wanted)) {
      throw internalFailure(
        `${shownGoValue(other)} and ${shownGoValue(wanted)} are not deep equal: this may happen when calculating the 3-way diff patch`,
      );
    }
    result[RETAIN_KEYS] = wanted;
    return;
  }
  if (!isArray(wanted)) throw strategicErrors.retainKeys();
  const { work } = merger;
  const names = new Set<JsonValue>();
  for (const name of wanted) {
    if (work.spend(UNITS_PER_NAME)) yield;
    names.add(name);
  }
  for (const key in patch) {
    if (work.spend(UNITS_PER_NAME)) yield;
    const exempt = patch[key] == null || key === RETAIN_KEYS || isParallelList(key);
    if (!exempt && !names.has(key)) throw strategicErrors.retainKeys();
  }
  for (const key of yield* keysInSteps(result, work)) {
    if (work.spend(UNITS_PER_NAME)) yield;
    if (!names.has(key)) delete result[key];
  }
}
