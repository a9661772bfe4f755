import { StateEffect, StateField, type EditorState } from '@codemirror/state';
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view';

/** An objection to a line of a text. */
export interface LineMark {
  /** Counted from one. */
  readonly line: number;
  readonly message: string;
}

/** Replaces the marks. */
export const setMarks = StateEffect.define<readonly LineMark[]>();

/** The marks of an editor. They move with their lines, until others are set. */
export const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, { effects, changes, state }) {
    const set = effects.find((effect) => effect.is(setMarks));
    return set?.is(setMarks) ? drawn(state, set.value) : before.map(changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The words below a line. */
class Words extends WidgetType {
  readonly #message: string;

  constructor(message: string) {
    super();
    this.#message = message;
  }

  override eq(other: Words): boolean {
    return other.#message === this.#message;
  }

  override toDOM(): HTMLElement {
    const place = document.createElement('div');
    place.className = 'cm-refusal';
    place.textContent = `✕ ${this.#message}`;
    return place;
  }
}

function drawn({ doc }: EditorState, marks: readonly LineMark[]): DecorationSet {
  const decorations = marks.flatMap(({ line: number, message }) => {
    if (number > doc.lines) return [];
    const line = doc.line(number);
    return [
      Decoration.line({ class: 'cm-refused' }).range(line.from),
      Decoration.widget({ widget: new Words(message), block: true, side: 1 }).range(line.to),
    ];
  });
  return Decoration.set(decorations, true);
}
