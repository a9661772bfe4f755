import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Suggest } from '../complete/completion.js';
import type { DraftKey, KeptDraft } from '../data/drafts.js';
import type { PageKind } from '../data/kinds.js';
import { drafts } from '../state.js';
import { openEditor, type Editor, type EditorEvents } from './editor.js';
import type { LineMark } from './line-marks.js';

/** An editor in an element of a view. */
export interface PlacedEditor {
  /** The element that the editor is put into. */
  readonly place: RefObject<HTMLDivElement | null>;
  /** Replaces the text. */
  readonly replace: (text: string) => void;
  /** Completes what is typed from now on. */
  readonly suggestFrom: (suggest: Suggest) => void;
  /** Shows what the server objects to, at its lines. */
  readonly mark: (marks: readonly LineMark[]) => void;
}

/** Opens an editor while a view is shown. The events are those of its newest drawing. */
export function useEditor(text: string, events: EditorEvents): PlacedEditor {
  const place = useRef<HTMLDivElement>(null);
  const opened = useRef<Editor | undefined>(undefined);
  const current = useRef(events);
  current.current = events;
  useEffect(() => {
    if (place.current === null) return;
    const made = openEditor(place.current, text, {
      changed: (changed) => current.current.changed(changed),
      tryOut: () => current.current.tryOut(),
      save: () => current.current.save(),
    });
    opened.current = made;
    return () => made.close();
  }, []);
  return {
    place,
    replace: (changed) => opened.current?.replace(changed),
    suggestFrom: (suggest) => opened.current?.suggestFrom(suggest),
    mark: (marks) => opened.current?.mark(marks),
  };
}

/** Keeps a draft until it is saved or discarded, wherever the user goes meanwhile. @param draft undefined for none */
export function useKeptDraft(key: DraftKey, draft: KeptDraft | undefined, kind: PageKind): void {
  const isSecret = kind.group === '' && kind.kind === 'Secret';
  // Not after the next frame: the user may have left before, and a hidden tab draws none.
  useLayoutEffect(() => {
    if (draft === undefined) drafts.drop(key);
    else drafts.keep(key, draft, !isSecret);
  }, [key, draft?.text, draft?.base]);
}
