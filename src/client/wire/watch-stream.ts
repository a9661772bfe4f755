import { isJsonObject, type JsonObject, type OutboundStream } from '../../foundation/index.js';
import { linesOf } from '../lines.js';
import type { DecodeText } from './wire-answer.js';

/** Maximum length of an event, in characters. */
const MAX_EVENT = 256 * 1024 * 1024;

/** An event as it is sent. */
export interface SentEvent {
  readonly type: string;
  readonly object: JsonObject;
}

/**
 * Yields the events of a response until it ends.
 *
 * @throws SyntaxError for a line that is not an event, such as the rest of one that was cut off
 */
export async function* eventsOf(
  { body }: OutboundStream,
  decode: DecodeText,
): AsyncGenerator<SentEvent, void, undefined> {
  for await (const line of linesOf(body, MAX_EVENT)) {
    if (line === '') continue;
    const decoded = decode(line);
    const event = decoded instanceof Promise ? await decoded : decoded;
    if (!isJsonObject(event) || typeof event['type'] !== 'string' || !isJsonObject(event['object']))
      throw new SyntaxError('a line of the watch is not an event');
    yield { type: event['type'], object: event['object'] };
  }
}
