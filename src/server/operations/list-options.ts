import { errors, integerWithin, quotedText } from '../../foundation/index.js';
import { FieldSelector, LabelSelector } from '../../machinery/index.js';
import type { WatchOptions } from '../../registry/index.js';

const MAX_INT64 = 2n ** 63n - 1n;

/** Parses an int64 parameter; beyond 2^53 it returns the nearest number. @throws ApiError 400, also for an empty text */
export function parseInteger(text: string): number {
  if (!/^[+-]?[0-9]+$/.test(text))
    throw errors.badRequest(`strconv.ParseInt: parsing ${quotedText(text)}: invalid syntax`);
  const value = integerWithin(text, -MAX_INT64 - 1n, MAX_INT64);
  if (value === undefined) throw errors.badRequest(`strconv.ParseInt: parsing ${quotedText(text)}: value out of range`);
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
  const text = (name: string): string | undefined => query.get(name) || undefined;
  const integer = (name: string): number | undefined => parsed(query.get(name), parseInteger);
  const flag = (name: string): boolean | undefined => parsed(query.get(name), parseFlag);
  const labels = text('labelSelector');
  const fields = text('fieldSelector');
  // In one literal, so that the options of all requests have one shape.
  return {
    fieldSelector: fields === undefined ? undefined : FieldSelector.parse(fields),
    limit: integer('limit'),
    timeoutSeconds: integer('timeoutSeconds'),
    labelSelector: labels === undefined ? undefined : LabelSelector.parse(labels),
    continue: text('continue'),
    resourceVersion: text('resourceVersion'),
    resourceVersionMatch: text('resourceVersionMatch'),
    allowWatchBookmarks: flag('allowWatchBookmarks'),
    sendInitialEvents: flag('sendInitialEvents'),
  };
}

const parsed = <Value>(text: string | null, parse: (text: string) => Value): Value | undefined =>
  text === null ? undefined : parse(text);
