import { useEffect, useState } from 'preact/hooks';
import { browserClock } from '../data/clock.js';
import { nextText, type Loss } from '../data/loss.js';
import { repeatWhileSeen } from '../data/persist.js';
import { sight } from '../state.js';
import { ClockTime } from './clock-time.js';

const TICK_MS = 1000;

interface NotLiveProps {
  /** The beginning of the sentence, such as `The numbers are`; none for what is around. */
  readonly what?: string;
  readonly loss: Loss;
}

/** Says that something is not live: for how long, why, and the time of the next attempt. To be put into a status. */
export function NotLive({ what, loss }: NotLiveProps) {
  const [, draw] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    const circumstances = { clock: browserClock, sight, signal: leaving.signal };
    void repeatWhileSeen(TICK_MS, () => draw((count) => count + 1), circumstances);
    return () => leaving.abort();
  }, []);
  return (
    <span class="warn">
      ▲ {what !== undefined && `${what} `}not live since <ClockTime at={loss.since} /> ({loss.words})
      {/* A screen reader must not count the seconds. */}
      <span aria-hidden="true">{nextText(loss, browserClock.now())}</span>
    </span>
  );
}

/** Returns the classes of a part that is grey as long as it is not live. */
export const staleClass = (isStale: boolean, others = ''): string => (isStale ? `${others} stale`.trim() : others);
