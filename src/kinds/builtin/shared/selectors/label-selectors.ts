import {
  ApiError,
  appendErrors,
  compareText,
  FieldPath,
  invalid,
  joinedSteps,
  keysInSteps,
  labelValue,
  ownMember,
  qualifiedName,
  sortedSteps,
  type FieldErrorList,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import { checkLabelSelector, LabelSelector } from '../../../../machinery/index.js';
import type { metaV1 } from '../../../types/index.js';
import { NONE } from '../columns.js';
import { semanticallyEqualSteps } from '../go/semantic-equal.js';
import { shownSelector } from '../go/shown-values.js';
import { IMMUTABLE } from '../validate.js';

/** Returns a selector in its compiled form, in steps: it selects nothing when it is absent; undefined when it is invalid. */
function* compiledSelector(selector: metaV1.LabelSelector | undefined, work: Work): Steps<LabelSelector | undefined> {
  try {
    return yield* LabelSelector.fromObjectSteps(selector, work);
  } catch (error) {
    if (error instanceof ApiError && error.code === 400) return undefined;
    throw error;
  }
}

/** Units of work to compare a label. */
const LABEL_UNITS = 16;

/**
 * Returns whether a selector selects labels, in steps; undefined when it is invalid. An absent selector selects nothing.
 */
export function* selects(
  selector: metaV1.LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
  work: Work,
): Steps<boolean | undefined> {
  if (selector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (matchExpressions.length > 0) return (yield* compiledSelector(selector, work))?.matches(labels);
  let all = true;
  for (const key of yield* keysInSteps(matchLabels, work)) {
    if (work.spend(LABEL_UNITS)) yield;
    const value = matchLabels[key] ?? '';
    if (qualifiedName(key).length > 0 || labelValue(value).length > 0) return undefined;
    if (labels === undefined || ownMember(labels, key) !== value) all = false;
  }
  return all;
}

/** Adds the errors of a selector. An absent selector has none. */
export function* selectorErrors(
  errors: FieldErrorList,
  path: string,
  selector: metaV1.LabelSelector | undefined,
): Steps<void> {
  if (selector !== undefined)
    appendErrors(errors, yield* checkLabelSelector(selector, FieldPath.of(path), errors.work));
}

/** Returns whether a selector has no requirement. */
export const isEmptySelector = ({ matchLabels = {}, matchExpressions = [] }: metaV1.LabelSelector): boolean =>
  matchExpressions.length === 0 && Object.keys(matchLabels).length === 0;

/** Returns a selector as a query, in steps; undefined when it is invalid. */
export function* selectorQuery(selector: metaV1.LabelSelector | undefined, work: Work): Steps<string | undefined> {
  const compiled = yield* compiledSelector(selector, work);
  return compiled === undefined ? undefined : yield* compiled.textSteps(work);
}

/** Returns the text of a selector in a table. */
export function* selectorCell(selector: metaV1.LabelSelector | undefined, work: Work): Steps<string> {
  const query = yield* selectorQuery(selector, work);
  return query === undefined ? '<error>' : query || NONE;
}

/** Returns the text of labels in a table, sorted: `app=shop,tier=web`. */
export function* labelsCell(labels: Readonly<Record<string, string>> = {}, work: Work): Steps<string> {
  const keys = yield* sortedSteps(yield* keysInSteps(labels, work), compareText, work);
  return (yield* joinedSteps(keys, (key) => `${key}=${labels[key] ?? ''}`, ',', work)) || NONE;
}

/** Requires that a selector keeps its value. */
export function* immutableSelector(
  errors: FieldErrorList,
  path: string,
  selector: metaV1.LabelSelector | undefined,
  old: metaV1.LabelSelector | undefined,
): Steps<void> {
  if (!(yield* semanticallyEqualSteps(selector, old, errors.work)))
    errors.push(invalid(path, shownSelector(selector), IMMUTABLE));
}
