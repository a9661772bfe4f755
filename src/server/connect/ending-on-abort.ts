import { untilAborted } from '../../foundation/index.js';

const DONE = Object.freeze({ done: true, value: undefined });

/**
 * Wraps a source that belongs to the owner's code and may never answer: it ends when the signal aborts, and the source
 * is then told to stop.
 */
export function endingOnAbort<Item>(source: AsyncIterable<Item>, signal: AbortSignal): AsyncIterableIterator<Item> {
  const iterator = source[Symbol.asyncIterator]();
  // The failure of a source that nobody reads has no receiver.
  const stop = (): void => void Promise.resolve(iterator.return?.()).catch(() => undefined);
  const ended = (): IteratorReturnResult<undefined> => {
    stop();
    return DONE;
  };
  return {
    next: () => untilAborted<IteratorResult<Item, undefined>>(Promise.resolve(iterator.next()), signal, ended),
    return: () => Promise.resolve(ended()),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
