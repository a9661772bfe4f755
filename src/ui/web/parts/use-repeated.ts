import { useEffect } from 'preact/hooks';
import { wordsOf, type Api } from '../data/api.js';
import { browserClock } from '../data/clock.js';
import type { Loss } from '../data/loss.js';
import { repeatWhileSeen } from '../data/persist.js';
import { api, sight } from '../state.js';

/**
 * Reads something again and again while a view is shown and seen, with a pause after each reading.
 *
 * @param pauseMs the pause in milliseconds
 * @param read the signal aborts when the view is left
 * @param failed called with each failure, which does not end the readings
 * @param turn a new value starts a reading at once
 */
export function useRepeated(
  pauseMs: number,
  read: (opened: Api, signal: AbortSignal) => Promise<void>,
  failed: (loss: Loss) => void,
  turn = 0,
): void {
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const opened = api.value;
    if (opened === undefined) return;
    let since: number | undefined;
    const lost = (error: unknown): void => {
      if (signal.aborted) return;
      const now = browserClock.now();
      failed({ words: wordsOf(error), since: (since ??= now), nextAt: now + pauseMs });
    };
    const again = (): Promise<unknown> => read(opened, signal).then(() => (since = undefined), lost);
    void repeatWhileSeen(pauseMs, again, { clock: browserClock, sight, signal });
    return () => leaving.abort();
  }, [turn, api.value]);
}
