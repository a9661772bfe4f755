import { errors } from '../meta/api-error.js';
import { goQuote } from '../meta/go-text.js';
import type { WatchOptions } from '../registry/list-options.js';
import { FieldSelector, LabelSelector } from '../selectors/index.js';

const MAX_INT64 = 2n ** 63n - 1n;

/** Parses an int64 parameter; beyond 2^53 it returns the nearest number. @throws ApiError 400, also for an empty text */
export function parseInteger(text: string): number {
  if (!/^[+-]?[0-9]+$/.test(text))
    throw errors.badRequest(`strconv.ParseInt: parsing ${goQuote(text)}: invalid syntax`);
  const value = BigInt(text.replace('+', ''));
  if (value > MAX_INT64 || value < -MAX_INT64 - 1n)
    throw errors.badRequest(`strconv.ParseInt: parsing ${goQuote(text)}: value out of range`);
  return Number(value);
}

/** Parses a boolean query parameter as Kubernetes does: everything except `false` and `0` is true. */
export const parseFlag = (text: string): boolean => text.toLowerCase() !== 'false' && text !== '0';

/**
 * Parses the options of a list or watch of any kind.
 *
 * @throws ApiError 400 for invalid numbers and selectors
 */
export function parseListOptions(query: URLSearchParams): WatchOptions {
  const labels = query.get('labelSelector') ?? '';
  const fields = query.get('fieldSelector') ?? '';
  const fieldSelector = fields === '' ? undefined : FieldSelector.parse(fields);
  const integer = (name: 'limit' | 'timeoutSeconds'): Partial<WatchOptions> => {
    const value = query.get(name);
    return value === null ? {} : { [name]: parseInteger(value) };
  };
  const text = (name: 'continue' | 'resourceVersion' | 'resourceVersionMatch'): Partial<WatchOptions> => {
    const value = query.get(name) ?? '';
    return value === '' ? {} : { [name]: value };
  };
  const flag = (name: 'allowWatchBookmarks' | 'sendInitialEvents'): Partial<WatchOptions> => {
    const value = query.get(name);
    return value === null ? {} : { [name]: parseFlag(value) };
  };
  return {
    ...integer('limit'),
    ...integer('timeoutSeconds'),
    ...(labels === '' ? {} : { labelSelector: LabelSelector.parse(labels) }),
    fieldSelector,
    ...text('continue'),
    ...text('resourceVersion'),
    ...text('resourceVersionMatch'),
    ...flag('allowWatchBookmarks'),
    ...flag('sendInitialEvents'),
  };
}
