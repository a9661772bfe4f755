import { useEffect } from 'preact/hooks';
import { wordsOf, type Api } from '../data/api.js';
import { browserClock } from '../data/clock.js';
import { repeatWhileSeen } from '../data/persist.js';
import { api, sight } from '../state.js';

/**
 * Reads something again and again while a view is shown and seen, with a pause after each reading.
 *
 * @param pauseMs the pause in milliseconds
 * @param read the signal aborts when the view is left
 * @param failed called with the words for a failure; the next reading follows all the same
 * @param turn a new value starts a reading at once
 */
export function useRepeated(
  pauseMs: number,
  read: (opened: Api, signal: AbortSignal) => Promise<void>,
  failed: (words: string) => void,
  turn = 0,
): void {
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const opened = api.value;
    if (opened === undefined) return;
    const again = (): Promise<unknown> =>
      read(opened, signal).catch((error: unknown) => signal.aborted || failed(wordsOf(error)));
    void repeatWhileSeen(pauseMs, again, { clock: browserClock, sight, signal });
    return () => leaving.abort();
  }, [turn, api.value]);
}
