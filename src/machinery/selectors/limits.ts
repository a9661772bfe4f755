import { errors } from '../../foundation/index.js';

/** Limits of selectors. */
export interface SelectorLimits {
  /** Maximum number of characters of a selector; default 65,536. */
  readonly maxCharacters?: number | undefined;
  /** Maximum number of requirements of a selector; default 1,000. */
  readonly maxRequirements?: number | undefined;
}

/** Default of {@link SelectorLimits.maxCharacters}. */
export const DEFAULT_MAX_SELECTOR_CHARACTERS = 65_536;

/** Default of {@link SelectorLimits.maxRequirements}. */
const DEFAULT_MAX_REQUIREMENTS = 1_000;

/**
 * Refuses a selector with too many requirements: each is checked for every object of a list.
 *
 * @throws ApiError (400) past the limit
 */
export function checkRequirementCount(
  count: number,
  { maxRequirements = DEFAULT_MAX_REQUIREMENTS }: SelectorLimits = {},
): void {
  if (count > maxRequirements)
    throw errors.badRequest(`selector has too many requirements: must have at most ${maxRequirements}`);
}

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
