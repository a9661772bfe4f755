import {
  autocompletion,
  pickedCompletion,
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { placeAt, type Place } from './place.js';
import type { Suggestion } from './suggest.js';

/** Returns what may be written at a place. */
export type Suggest = (place: Place) => readonly Suggestion[];

/** Completes YAML as one types, or by Ctrl+Space. @param suggest resolves when the schema is known */
export const completion = (suggest: () => Promise<Suggest>): Extension =>
  autocompletion({ override: [(context) => completionsAt(context, suggest)], icons: false });

async function completionsAt(
  context: CompletionContext,
  suggest: () => Promise<Suggest>,
): Promise<CompletionResult | null> {
  const { doc } = context.state;
  const line = doc.lineAt(context.pos);
  const place = placeAt(doc, line.number, context.pos - line.from);
  if (place === undefined) return null;
  const { written, key, column, isItem } = place;
  // Enter on a line that is only indented begins another line.
  if (!context.explicit && written === '' && key === undefined && !isItem) return null;
  const quote = /^["']/.exec(written)?.[0] ?? '';
  const behind = line.text.slice(context.pos - line.from);
  const suggestions = (await suggest())(place);
  const options = suggestions.flatMap((suggestion, index) => optionOf(suggestion, place, { quote, behind, index }));
  return options.length === 0 ? null : { from: line.from + column + quote.length, options, validFor: /^[\w./-]*$/ };
}

/** The text around what is written. */
interface Around {
  /** The quote that it begins with; empty without one. */
  readonly quote: string;
  /** The rest of the line behind the cursor. */
  readonly behind: string;
  /** The position of the suggestion among all. */
  readonly index: number;
}

function optionOf(suggestion: Suggestion, place: Place, { quote, behind, index }: Around): Completion[] {
  const { label, is, type, required } = suggestion;
  // Within quotes stand texts alone.
  if (quote !== '' && (is === 'key' || label !== label.replace(/["'\\]/g, ''))) return [];
  const isRenamed = is === 'key' && /^\S*\s*:/.test(behind);
  const text = is === 'key' ? (isRenamed ? label : label + endOf(suggestion, place.column)) : label + quote;
  const detail = [type, required ? 'required' : ''].filter((word) => word !== '').join(', ');
  return [
    {
      ...{ label, detail, info: () => infoOf(suggestion) },
      // Keys are sorted, those that are required first; values stay in the order of the schema.
      ...(is === 'key' ? { boost: required ? 1 : 0 } : { sortText: String(index).padStart(6, '0') }),
      apply: (view, picked, from, to) => insert(view, { picked, text, from, to, goesOn: is === 'key' && !isRenamed }),
    },
  ];
}

/** Returns what comes behind a key. */
function endOf({ below }: Suggestion, column: number): string {
  const inner = `\n${' '.repeat(column + 2)}`;
  return { value: ': ', map: `:${inner}`, list: `:${inner}- ` }[below];
}

interface Insertion {
  readonly picked: Completion;
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** Whether the value of what was inserted is completed next. */
  readonly goesOn: boolean;
}

function insert(view: EditorView, { picked, text, from, to, goesOn }: Insertion): void {
  // The rest of a word, or the quote that ends it, is replaced with it.
  const rest = /^[\w./-]*["']?/.exec(view.state.doc.sliceString(to, view.state.doc.lineAt(to).to))?.[0] ?? '';
  view.dispatch({
    changes: { from, to: to + rest.length, insert: text },
    selection: { anchor: from + text.length },
    scrollIntoView: true,
    userEvent: 'input.complete',
    annotations: pickedCompletion.of(picked),
  });
  if (goesOn) startCompletion(view);
}

/** Returns the panel beside a suggestion: its type, whether it is required, and what it is for. */
function infoOf({ label, type, required, description }: Suggestion): HTMLElement {
  const panel = document.createElement('div');
  const head = document.createElement('strong');
  head.textContent = label;
  const about = document.createElement('p');
  about.textContent = [type, required ? 'required' : ''].filter((word) => word !== '').join(', ');
  const purpose = document.createElement('p');
  purpose.textContent = description;
  panel.append(head, about, purpose);
  return panel;
}
