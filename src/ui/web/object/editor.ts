import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { completion, type Suggest } from '../complete/completion.js';
import { marked, setMarks, type LineMark } from './line-marks.js';

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--owner-4)' },
  { tag: tags.comment, color: 'var(--muted)' },
]);

const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--bg)' },
  '.cm-scroller': { font: 'var(--mono)' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-refused': { backgroundColor: 'var(--removed)' },
  '.cm-refusal': { color: 'var(--bad)', padding: '0 6px', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--muted)', borderRight: '1px solid var(--line)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--selected)' },
  '.cm-tooltip': { color: 'var(--text)', backgroundColor: 'var(--raised)', border: '1px solid var(--control)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { font: 'var(--mono)', maxHeight: '14em' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { color: 'var(--text)', backgroundColor: 'var(--selected)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
  '.cm-completionMatchedText': { color: 'var(--accent)', textDecoration: 'none', fontWeight: '600' },
  '.cm-tooltip.cm-completionInfo': { padding: '8px', maxHeight: '14em', overflow: 'auto', whiteSpace: 'pre-wrap' },
  '.cm-completionInfo p': { margin: '4px 0 0' },
});

/** Calls of the editor when something happens in it. */
export interface EditorEvents {
  readonly changed: (text: string) => void;
  readonly save: () => void;
  readonly tryOut: () => void;
}

/** An open editor. */
export interface Editor {
  /** Replaces the text. */
  replace(text: string): void;
  /** Completes what is typed from now on. */
  suggestFrom(suggest: Suggest): void;
  /** Shows what the server objects to, at its lines. */
  mark(marks: readonly LineMark[]): void;
  close(): void;
}

/**
 * Puts an editor of YAML into an element. It is in a shadow tree: there its styles are style sheets of the script, which
 * the policy of the page allows, instead of elements with text, which it does not.
 *
 * @returns the editor
 */
export function openEditor(place: HTMLElement, text: string, events: EditorEvents): Editor {
  const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' });
  const ran = (action: () => void) => () => {
    action();
    return true;
  };
  let suggest: Promise<Suggest>;
  let suggestFrom: (given: Suggest) => void = () => undefined;
  suggest = new Promise((resolve) => (suggestFrom = resolve));
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        yaml(),
        completion(() => suggest),
        syntaxHighlighting(colours),
        marked,
        look,
        EditorView.contentAttributes.of({ 'aria-label': 'The object as YAML' }),
        keymap.of([
          { key: 'Mod-s', run: ran(events.save) },
          { key: 'Mod-Enter', run: ran(events.tryOut) },
          // Escape, then Tab leaves the editor.
          indentWithTab,
          ...defaultKeymap,
          ...historyKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) events.changed(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    replace: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    suggestFrom(given) {
      suggestFrom(given);
      suggest = Promise.resolve(given);
    },
    mark: (marks) => view.dispatch({ effects: setMarks.of(marks) }),
    close: () => view.destroy(),
  };
}
