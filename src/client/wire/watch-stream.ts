import { isJsonObject, type JsonValue } from '../../foundation/index.js';
import type { WatchEvent } from '../client.js';

/** Maximum length of an event, in characters. */
export const MAX_EVENT = 256 * 1024 * 1024;

/**
 * Returns a line of a watch as an event.
 *
 * @throws SyntaxError for a line that is not an event, such as the rest of one that was cut off
 */
export function eventOf<Item>(line: JsonValue): WatchEvent<Item> {
  if (!isJsonObject(line) || typeof line['type'] !== 'string' || !isJsonObject(line['object']))
    throw new SyntaxError('a line of the watch is not an event');
  const { type, object } = line;
  // The kind of a client says what its objects are.
  return { type, object } as unknown as WatchEvent<Item>;
}
