import { useEffect, useRef, useState } from 'preact/hooks';
import { browserClock } from '../data/clock.js';
import { fieldErrorsIn, pathOfField } from '../data/field-errors.js';
import { mayI, type OwnAccess } from '../data/may-write.js';
import { lineOf } from '../data/yaml-text.js';
import { api } from '../state.js';
import type { LineMark } from './line-marks.js';
import type { Answer } from './save-answer.js';
import type { PlacedEditor } from './use-editor.js';

/** Time from the last key until the server is asked, in milliseconds. */
const PAUSE_MS = 400;

/** A dry run that happens by itself. */
interface DryRun {
  /** The text that is tried: another one is another try. Undefined while there is nothing to try. */
  readonly what: string | undefined;
  readonly access: OwnAccess;
  /** @param signal aborts when what is tried changes */
  readonly tryOut: (signal: AbortSignal) => Promise<void>;
}

/**
 * Tries a draft on the server when the user pauses, one at a time; never for a user who may not write the object.
 *
 * @returns whether the user may not, and a function that ends a try, as before a save
 */
export function useDryRun({ what, access, tryOut }: DryRun) {
  const [mayNot, setMayNot] = useState(false);
  const current = useRef({ access, tryOut });
  current.current = { access, tryOut };
  const known = useRef(new Map<string, Promise<boolean>>());
  const stop = useRef((): void => undefined);
  useEffect(() => {
    const opened = api.value;
    if (what === undefined || opened === undefined) return;
    const ended = new AbortController();
    const { signal } = ended;
    const run = async (): Promise<void> => {
      const wanted = current.current.access;
      const key = `${wanted.verb} ${wanted.namespace ?? ''}`;
      const asked = known.current.get(key) ?? mayI(opened, wanted);
      known.current.set(key, asked);
      const may = await asked;
      if (signal.aborted) return;
      setMayNot(!may);
      if (may) await current.current.tryOut(signal);
    };
    const cancel = browserClock.after(PAUSE_MS, () => void run());
    stop.current = () => {
      cancel();
      ended.abort();
    };
    return stop.current;
  }, [what, access.verb, api.value]);
  return { mayNot, stop: () => stop.current() };
}

/** Shows the objections of the server at the lines of a text. */
export function useMarks(editor: PlacedEditor, text: string, answer: Answer | undefined): void {
  useEffect(() => editor.mark(answer?.is === 'failed' ? marksIn(answer.error, text) : []), [answer]);
}

/** Returns the lines that the server objects to. */
function marksIn(error: unknown, text: string): LineMark[] {
  return fieldErrorsIn(error).flatMap(({ field, message }) => {
    const line = lineOf(text, pathOfField(field));
    return line === undefined ? [] : [{ line, message: `${field}: ${message}` }];
  });
}
