import { useMemo, useRef, useState } from 'preact/hooks';
import type { UntypedObject } from '../../../entries/client-web.js';
import { changesBetween, type FieldChange } from '../../../foundation/index.js';
import { wordsOf } from '../data/api.js';
import { conflictsWith, patchOf, valueAt } from '../data/changes.js';
import { ownedOf, ownedMember, ownersHere } from '../data/owners.js';
import { objectIn, textOf } from '../data/yaml-text.js';
import { Draft } from '../form/draft.js';
import { shownValue } from '../parts/shown-value.js';
import type { ObjectPlace } from './object-view.js';
import { useDraftGuard, useEditor } from './use-editor.js';
import { resourceOf } from './use-live-object.js';
import { Failure } from '../parts/failure.js';

/** An object to edit. */
export interface EditProps {
  readonly place: ObjectPlace;
  /** Its current state, which others may change meanwhile. */
  readonly object: UntypedObject;
  /** The object that the text begins with instead, such as a version of the past. */
  readonly draft?: UntypedObject | undefined;
  /** Whether the draft is shown as a form. */
  readonly asForm: boolean;
}

/** The outcome of a dry run or a save. */
type Answer =
  | { readonly is: 'tried'; readonly changes: readonly FieldChange[] }
  | { readonly is: 'saved'; readonly version: string | undefined }
  | { readonly is: 'failed'; readonly message: string };

/** Edits an object as YAML or by a form, and saves the fields that were changed. */
export function Edit({ place, object, draft = object, asForm }: EditProps) {
  const [base, setBase] = useState(object);
  const [text, setText] = useState(() => textOf(editable(draft)));
  const [takenOver, setTakenOver] = useState<ReadonlySet<string>>(new Set());
  const [answer, setAnswer] = useState<Answer | undefined>(undefined);
  const { mine, problem } = useMemo(() => changesIn(base, text), [base, text]);
  const theirs = changesBetween(editable(base), editable(object));
  const conflicts = conflictsWith(mine, theirs);
  const left = conflicts.filter(({ path }) => !takenOver.has(keyOf(path)));
  const sent = mine.filter((change) => !left.includes(change));
  const canSend = problem === undefined && sent.length > 0;
  const editor = useEditor(text, {
    changed: (changed) => {
      setText(changed);
      setAnswer(undefined);
    },
    tryOut: () => void send(true),
    save: () => void send(false),
  });
  const send = async (dryRun: boolean): Promise<void> => {
    if (!canSend) return;
    try {
      const operations = patchOf(sent, editable(object));
      const result = await resourceOf(place)?.patch(place.name, operations, { dryRun, fieldValidation: 'Strict' });
      if (result === undefined) return;
      if (dryRun) return setAnswer({ is: 'tried', changes: changesBetween(editable(object), editable(result)) });
      setTakenOver(new Set());
      // Text that was typed meanwhile stays, on top of the state that it began with.
      if (current.current === text) {
        setBase(result);
        editor.replace(textOf(editable(result)));
      }
      setAnswer({ is: 'saved', version: result.metadata.resourceVersion });
    } catch (error) {
      setAnswer({ is: 'failed', message: wordsOf(error) });
    }
  };
  const current = useRef(text);
  current.current = text;
  useDraftGuard(mine.length > 0);
  return (
    <>
      <Draft kind={place.kind} exists {...{ text, editor, asForm }} />
      <div class="tools">
        <button type="button" disabled={!canSend} onClick={() => void send(true)} title="Ctrl+Enter">
          Dry run
        </button>
        <button type="button" class="main" disabled={!canSend} onClick={() => void send(false)} title="Ctrl+S">
          Save {sent.length} {sent.length === 1 ? 'field' : 'fields'}
        </button>
        <span class="muted" role="status">
          {problem === undefined && theirs.length > 0 && conflicts.length === 0
            ? `Others changed ${theirs.length} other fields meanwhile; they stay.`
            : ''}
        </span>
      </div>
      {problem !== undefined && <Failure text={problem} />}
      {conflicts.length > 0 && (
        <Conflicts
          conflicts={conflicts}
          current={object}
          takenOver={takenOver}
          onTakeOver={(key, on) =>
            setTakenOver((before) => new Set(on ? [...before, key] : [...before].filter((other) => other !== key)))
          }
        />
      )}
      {answer !== undefined && <AnswerView answer={answer} />}
    </>
  );
}

/** Fields that the server sets: they are not in the text. */
const NOT_EDITED = new Set(['managedFields', 'resourceVersion', 'generation', 'uid', 'creationTimestamp']);

/** Returns the parts of an object that are edited. */
function editable(object: UntypedObject): UntypedObject {
  const metadata = Object.entries(object.metadata).filter(([name]) => !NOT_EDITED.has(name));
  return { ...object, metadata: Object.fromEntries(metadata) };
}

function changesIn(base: UntypedObject, text: string): { mine: readonly FieldChange[]; problem: string | undefined } {
  try {
    const edited = objectIn(text);
    if (typeof edited !== 'object' || edited === null || Array.isArray(edited))
      return { mine: [], problem: 'An object is a map of fields.' };
    return { mine: changesBetween(editable(base), edited), problem: undefined };
  } catch (error) {
    return { mine: [], problem: wordsOf(error) };
  }
}

const keyOf = (path: readonly string[]): string => JSON.stringify(path);

function ownersOf(object: UntypedObject, path: readonly string[]): string {
  const owned = path.reduce((below, name) => [...ownedMember(below, name)], ownedOf(object));
  return ownersHere(owned)
    .map(({ manager }) => manager)
    .join(', ');
}

/** Fields that another writer has changed since the text was opened. */
function Conflicts({
  conflicts,
  current,
  takenOver,
  onTakeOver,
}: {
  readonly conflicts: readonly FieldChange[];
  readonly current: UntypedObject;
  readonly takenOver: ReadonlySet<string>;
  readonly onTakeOver: (key: string, on: boolean) => void;
}) {
  return (
    <section class="message" role="alert" aria-label="Conflicts">
      <p>▲ Others have changed these fields since you opened them. What you do not take over is not saved.</p>
      <ul>
        {conflicts.map(({ path, after }) => (
          <li key={keyOf(path)}>
            <label>
              <input
                type="checkbox"
                checked={takenOver.has(keyOf(path))}
                onChange={(event) => onTakeOver(keyOf(path), event.currentTarget.checked)}
              />{' '}
              Take over <b>{path.join('.')}</b>: now {shownValue(valueAt(current, path))}, by{' '}
              {ownersOf(current, path) || 'nobody'}; yours {shownValue(after)}
            </label>
          </li>
        ))}
      </ul>
    </section>
  );
}

function AnswerView({ answer }: { readonly answer: Answer }) {
  if (answer.is === 'failed') return <Failure text={answer.message} />;
  if (answer.is === 'saved') return <p role="status">✓ Saved as version {answer.version}</p>;
  return (
    <section role="status" aria-label="Dry run">
      <p>✓ The server would accept this, and change:</p>
      <ul>
        {answer.changes.map(({ path, before, after }) => (
          <li key={keyOf(path)}>
            <b>{path.join('.')}</b>: {shownValue(before)} → {shownValue(after)}
          </li>
        ))}
      </ul>
    </section>
  );
}
