import { isJsonObject, type JsonObject, type JsonValue } from '../../foundation/index.js';

/** Maximum length of an event, in bytes. */
export const MAX_EVENT = 256 * 1024 * 1024;

/** An event as it is sent. */
export interface SentEvent {
  readonly type: string;
  readonly object: JsonObject;
}

/**
 * Returns a line of a watch as an event.
 *
 * @throws Error for a line that is not an event, such as the rest of one that was cut off
 */
export function eventOf(line: JsonValue): SentEvent {
  if (!isJsonObject(line) || typeof line['type'] !== 'string' || !isJsonObject(line['object']))
    throw new Error('a line of the watch is not an event');
  return { type: line['type'], object: line['object'] };
}
