/**
 * Selectors as questions to an index of the storage: labels are attributes under their own keys, selectable fields
 * under prefixed names.
 *
 * @module
 */
import { LONG_TEXT, type MaybeSteps, type Steps, type StoredObject, type Work } from '../../foundation/index.js';
import type { LabelRequirement, Labels } from '../../machinery/index.js';
import { lengthOfText, type StorageRecord, type StorageTerms, type TermRequirement } from '../../storage/index.js';
import type { ResourceStore } from '../store/store.js';
import { isLabels } from './label-scan.js';
import { fieldValue, type Selectors } from './record-filter.js';

/** Prefix of the attribute of a field. No label has such a key. */
const FIELD = '\0';

/** The part of the selectors that an index can answer. */
export interface SelectorTerms {
  /** Empty when the index cannot help. */
  readonly requirements: readonly TermRequirement[];
  /** The fields in them. */
  readonly fields: readonly string[];
  /** Whether the requirements select the same objects as the selectors, and not more. */
  readonly complete: boolean;
}

/** Returns the selectors as requirements on terms. */
export function selectorTerms(store: ResourceStore, { labelSelector, fieldSelector }: Selectors): SelectorTerms {
  const byLabels = (labelSelector?.requirements ?? []).map(labelTerms);
  const own = store.info.definition.selectableFields ?? {};
  const byFields = (fieldSelector?.requirements ?? []).filter(({ field }) => Object.hasOwn(own, field));
  return {
    requirements: [
      ...byLabels.map(({ requirement }) => requirement),
      ...byFields.map(({ field, operator, value }) => ({
        attribute: FIELD + field,
        values: [value],
        negated: operator === '!=',
      })),
    ],
    fields: byFields.map(({ field }) => field),
    complete:
      byLabels.every(({ complete }) => complete) && byFields.length === (fieldSelector?.requirements.length ?? 0),
  };
}

function labelTerms({ key, operator, values }: LabelRequirement): { requirement: TermRequirement; complete: boolean } {
  const attribute = key;
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return { requirement: { attribute, values }, complete: true };
    case '!=':
    case 'notin':
      return { requirement: { attribute, values, negated: true }, complete: true };
    case '!':
      return { requirement: { attribute, negated: true }, complete: true };
    case 'exists':
      return { requirement: { attribute }, complete: true };
    // Comparisons need every value: the index finds the objects with the label, and the reader compares.
    case 'gt':
    case 'lt':
      return { requirement: { attribute }, complete: false };
  }
}

/** Maximum number of labels in the index. More are compared by the reader: no real object has as many. */
const MAX_LABELS = 2048;

/**
 * Returns the terms of a record: its labels and the given fields; undefined when it cannot be read, so that every
 * question finds it and the reader reports it. Steps parse a long text.
 */
export function termsOf(
  store: ResourceStore,
  record: StorageRecord,
  fields: readonly string[],
  work: Work,
): MaybeSteps<StorageTerms | undefined> {
  if (lengthOfText(record) >= LONG_TEXT) return termsOfLong(store, record, fields, work);
  try {
    const labels = store.labels(record) ?? {};
    return termsFrom(store, labels, fields, () => store.peek(record));
  } catch {
    return undefined;
  }
}

function* termsOfLong(
  store: ResourceStore,
  record: StorageRecord,
  fields: readonly string[],
  work: Work,
): Steps<StorageTerms | undefined> {
  try {
    const object = yield* store.peekSteps(work, record);
    return termsFrom(store, object.metadata.labels ?? {}, fields, () => object);
  } catch {
    return undefined;
  }
}

function termsFrom(
  store: ResourceStore,
  labels: Labels,
  fields: readonly string[],
  read: () => StoredObject,
): StorageTerms | undefined {
  if (Object.keys(labels).length > MAX_LABELS || !isLabels(labels)) return undefined;
  if (fields.length === 0) return labels;
  if (Object.keys(labels).some((key) => key.startsWith(FIELD))) return undefined;
  const object = read();
  const values = fields.map((field) => [FIELD + field, fieldValue(store.info, object, field)] as const);
  return { ...labels, ...Object.fromEntries(values) };
}
