import { errors } from '../meta/api-error.js';

/** Limits of selectors. */
export interface SelectorLimits {
  /** Maximum number of characters in a selector's text; default 65,536. */
  readonly maxCharacters?: number | undefined;
}

/** Default of {@link SelectorLimits.maxCharacters}. */
export const DEFAULT_MAX_SELECTOR_CHARACTERS = 65_536;

/**
 * Refuses a selector that is too long. Selectors are matched against every object of a list, so their size is limited.
 *
 * @throws ApiError (400) past the limit
 */
export function checkSelectorSize(
  text: string,
  { maxCharacters = DEFAULT_MAX_SELECTOR_CHARACTERS }: SelectorLimits = {},
): void {
  if (text.length > maxCharacters)
    throw errors.badRequest(`selector is too long: must have at most ${maxCharacters} characters`);
}
