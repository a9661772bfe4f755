import { useState } from 'preact/hooks';
import { wordsOf } from '../data/api.js';
import { readTimeline, type Moment } from '../data/timeline.js';
import { api } from '../state.js';

interface SliderProps {
  /** The version that is shown; empty for the current state. */
  readonly past: string;
  readonly onChange: (past: string) => void;
}

/** Goes back to former states of the store, as far as the server has recorded when they were. */
export function TimeSlider({ past, onChange }: SliderProps) {
  const [moments, setMoments] = useState<readonly Moment[] | undefined>(undefined);
  const [failure, setFailure] = useState<string | undefined>(undefined);
  const open = async (): Promise<void> => {
    const opened = api.value;
    if (opened === undefined) return;
    try {
      setMoments(await readTimeline(opened));
      setFailure(undefined);
    } catch (error) {
      setFailure(wordsOf(error));
    }
  };
  const isOpen = moments !== undefined;
  const found = moments?.findIndex(({ version }) => version === past) ?? -1;
  // The last place is now.
  const last = moments?.length ?? 0;
  const index = past === '' || found < 0 ? last : found;
  const shown = moments?.[index];
  return (
    <>
      <button type="button" aria-expanded={isOpen} onClick={() => (isOpen ? setMoments(undefined) : void open())}>
        Time…
      </button>
      {isOpen && (
        <label class="slider">
          {shown === undefined ? (past === '' ? 'now' : `version ${past}`) : new Date(shown.time).toLocaleTimeString()}
          <input
            type="range"
            min={0}
            max={last}
            value={index}
            aria-label="Time"
            aria-valuetext={shown === undefined ? 'now' : new Date(shown.time).toLocaleString()}
            onChange={(event) => onChange(moments[Number(event.currentTarget.value)]?.version ?? '')}
          />
        </label>
      )}
      {past !== '' && (
        <button type="button" onClick={() => onChange('')}>
          Back to now
        </button>
      )}
      {failure !== undefined && (
        <span class="bad" role="alert">
          ✕ {failure}
        </span>
      )}
    </>
  );
}
