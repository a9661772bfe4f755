import { appendErrors, FieldErrorList, type Steps } from '../../../../foundation/index.js';
import type { metaV1 } from '../../../types/index.js';
import { selectorErrors } from './label-selectors.js';

/** Options of {@link validateLabelSelector}. */
export interface LabelSelectorRules {
  /** Accepts values that no label can have: for updates of objects whose stored selector has such values. */
  readonly allowInvalidValues?: boolean | undefined;
}

/** Path of a value in a selector. */
const VALUE = /\.values\[\d+\]$/;

/** Adds the errors of a label selector. An absent selector is valid. */
export function* validateLabelSelector(
  errors: FieldErrorList,
  path: string,
  selector: metaV1.LabelSelector | undefined,
  { allowInvalidValues = false }: LabelSelectorRules = {},
): Steps<void> {
  const found = new FieldErrorList(errors.work);
  yield* selectorErrors(found, path, selector);
  appendErrors(errors, allowInvalidValues ? found.filter(({ field }) => !VALUE.test(field)) : found);
}
