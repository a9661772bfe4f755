import { useState } from 'preact/hooks';
import type { UntypedObject } from '../../../entries/client-web.js';
import { browserClock } from '../data/clock.js';
import { ClockTime } from './clock-time.js';

/** When something about an object was read, which does not follow changes. */
export interface Reading {
  /** The number of readings before. */
  readonly turn: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Whether the object itself has changed since. */
  readonly isOlder: boolean;
  /** Reads it again. */
  readonly again: () => void;
}

/** Reads something about an object when it is opened, and again when somebody asks for it. */
export function useReading({ metadata: { uid, resourceVersion: version } }: UntypedObject): Reading {
  const [{ turn, ...read }, setRead] = useState({ turn: 0, at: browserClock.now(), uid, version });
  const isOlder = read.uid !== uid || read.version !== version;
  const again = (): void => setRead({ turn: turn + 1, at: browserClock.now(), uid, version });
  return { turn, at: read.at, isOlder, again };
}

/** Says of when something is that does not follow changes, and reads it again. */
export function AsOf({ reading: { at, isOlder, again } }: { readonly reading: Reading }) {
  return (
    <div class="tools">
      <span role="status" class={isOlder ? 'warn' : 'muted'}>
        {isOlder && '▲ '}As of <ClockTime at={at} />
        {isOlder ? '; the object has changed since' : '; changes are not followed'}
      </span>
      <button type="button" onClick={again}>
        Read again
      </button>
    </div>
  );
}
