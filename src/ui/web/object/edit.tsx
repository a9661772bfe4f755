import { useMemo, useRef, useState } from 'preact/hooks';
import type { UntypedObject } from '../../../entries/client-web.js';
import { changesBetween, type FieldChange } from '../../../foundation/index.js';
import { wordsOf } from '../data/api.js';
import { applyConflictsIn, withoutConflicts, type ApplyConflict } from '../data/applied.js';
import { conflictsWith, valueAt } from '../data/changes.js';
import { draftKeyOf, type KeptDraft } from '../data/drafts.js';
import { isApiObject } from '../data/guards.js';
import { objectIn, textOf } from '../data/yaml-text.js';
import { Draft } from '../form/draft.js';
import { ApplyConflicts, Conflicts, keyOf } from './conflicts.js';
import type { ObjectPlace } from './object-view.js';
import { editable, MANAGER, send, WAYS, type Way } from './save.js';
import { AnswerView, type Answer } from './save-answer.js';
import { useDryRun, useMarks } from './use-dry-run.js';
import { useEditor, useKeptDraft } from './use-editor.js';
import { resourceOf } from './use-live-object.js';
import { Failure } from '../parts/failure.js';
import { drafts } from '../state.js';

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

/** Edits an object as YAML or by a form, and saves the fields that were changed. */
export function Edit({ place, object, draft, asForm }: EditProps) {
  const key = draftKeyOf(place.kind, place.namespace, place.name, object.metadata.uid);
  const [begun] = useState(() => beginningOf(object, draft, drafts.of(key)));
  const [other, setOther] = useState(() => drafts.ofOther(key));
  const [base, setBase] = useState(begun.base);
  const [text, setText] = useState(begun.text);
  const [way, setWay] = useState<Way>('fields');
  const [answer, setAnswer] = useState<Answer | undefined>(undefined);
  const { mine, written, problem } = useMemo(() => changesIn(base, text), [base, text]);
  const theirs = changesBetween(editable(base), editable(object));
  const { takenOver, takeOver, refused, refuse, forget } = useConflicts();
  const conflicts = way === 'fields' ? conflictsWith(mine, theirs) : [];
  const left = conflicts.filter(({ path }) => !takenOver.has(keyOf(path)));
  const notApplied = way === 'apply' ? refused.conflicts.filter(({ field }) => !takenOver.has(field)) : [];
  const sent = withoutConflicts(mine, notApplied).filter((change) => !left.includes(change));
  const canSend = problem === undefined && sent.length > 0;
  const editor = useEditor(text, {
    changed: (changed) => {
      setText(changed);
      setAnswer(undefined);
    },
    tryOut: () => void run(true),
    save: () => void run(false),
  });
  const run = async (dryRun: boolean, signal?: AbortSignal): Promise<void> => {
    const resource = resourceOf(place);
    if (!canSend || resource === undefined) return;
    if (signal === undefined) stop();
    const forcedAt = way === 'apply' && notApplied.length < refused.conflicts.length ? refused.version : undefined;
    try {
      const edited = { way, changes: sent, current: object, base, written, forcedAt };
      const result = await send(resource, edited, dryRun, signal);
      if (signal?.aborted === true) return;
      const stays = sent.filter(({ path, after }) => after === undefined && valueAt(result, path) !== undefined);
      if (dryRun) return setAnswer({ is: 'tried', changes: changesBetween(editable(object), editable(result)), stays });
      forget();
      // Text that was typed meanwhile stays, on top of the state that it began with.
      if (current.current === text) {
        setBase(result);
        editor.replace(textOf(editable(result)));
      }
      setAnswer({ is: 'saved', version: result.metadata.resourceVersion, stays });
    } catch (error) {
      if (signal?.aborted === true) return;
      const found = applyConflictsIn(error);
      if (found.length > 0) refuse({ conflicts: found, version: object.metadata.resourceVersion });
      setAnswer(found.length > 0 ? undefined : { is: 'failed', error });
    }
  };
  const { mayNot, stop } = useDryRun({
    what: canSend ? JSON.stringify([way, sent.map(({ path }) => keyOf(path)), text]) : undefined,
    access: { ...place, verb: way === 'replace' ? 'update' : 'patch' },
    tryOut: (signal) => run(true, signal),
  });
  useMarks(editor, text, answer);
  const current = useRef(text);
  current.current = text;
  const isDraft = problem !== undefined || mine.length > 0;
  useKeptDraft(key, isDraft ? { text, base } : undefined, place.kind);
  const discard = (): void => {
    forget();
    setAnswer(undefined);
    setBase(object);
    editor.replace(textOf(editable(object)));
  };
  const choose = (chosen: Way): void => {
    forget();
    setAnswer(undefined);
    setWay(chosen);
  };
  return (
    <>
      <Draft kind={place.kind} exists {...{ text, editor, asForm }} />
      <div class="tools">
        <WayChoice way={way} onChoose={choose} />
        <button type="button" disabled={!canSend} onClick={() => void run(true)} title="Ctrl+Enter">
          Dry run
        </button>
        <button type="button" class="main" disabled={!canSend} onClick={() => void run(false)} title="Ctrl+S">
          {way === 'replace'
            ? 'Replace the object'
            : `${VERBS[way]} ${sent.length} ${sent.length === 1 ? 'field' : 'fields'}`}
        </button>
        <button type="button" disabled={!isDraft} onClick={discard}>
          Discard
        </button>
        <span class="muted" role="status">
          {problem === undefined && way === 'fields' && theirs.length > 0 && conflicts.length === 0
            ? `Others changed ${theirs.length} other fields meanwhile; they stay.`
            : ''}
        </span>
      </div>
      {other !== undefined && <OtherDraft {...{ other, onTake: editor.replace, onDone: () => setOther(undefined) }} />}
      {begun.isKept && isDraft && <p class="muted">This is your draft, which is kept until you save or discard it.</p>}
      {mayNot && canSend && <p class="muted">You may not change it: nothing is tried as you type.</p>}
      {problem !== undefined && <Failure text={problem} />}
      {conflicts.length > 0 && (
        <Conflicts conflicts={conflicts} current={object} takenOver={takenOver} onTakeOver={takeOver} />
      )}
      {way === 'apply' && refused.conflicts.length > 0 && (
        <ApplyConflicts conflicts={refused.conflicts} takenOver={takenOver} onTakeOver={takeOver} />
      )}
      {answer !== undefined && <AnswerView answer={answer} />}
    </>
  );
}

/** Offers the draft of another object that had the same name, which is not that of this one. */
function OtherDraft({ other, onTake, onDone }: OtherDraftProps) {
  const end = (): void => {
    drafts.drop(other.key);
    onDone();
  };
  const take = (): void => {
    onTake(other.text);
    end();
  };
  return (
    <p class="warn" role="status">
      ▲ You have a draft of another object of this name.{' '}
      <button type="button" onClick={take}>
        Edit its text here
      </button>{' '}
      <button type="button" onClick={end}>
        Discard it
      </button>
    </p>
  );
}

interface OtherDraftProps {
  readonly other: NonNullable<ReturnType<typeof drafts.ofOther>>;
  /** Takes its text. */
  readonly onTake: (text: string) => void;
  readonly onDone: () => void;
}

/** Returns the state and the text that an edit begins with. */
function beginningOf(object: UntypedObject, restored: UntypedObject | undefined, kept: KeptDraft | undefined) {
  if (restored !== undefined || kept === undefined || !isApiObject(kept.base))
    return { base: object, text: textOf(editable(restored ?? object)), isKept: false };
  return { base: kept.base, text: kept.text, isKept: true };
}

const VERBS = { fields: 'Save', apply: 'Apply' } as const;

const MEANINGS: Readonly<Record<Way, string>> = {
  fields: 'Save fields: those that you changed',
  apply: `Apply: the fields become those of ${MANAGER}`,
  replace: 'Replace: the whole object, if nobody has changed it',
};

function WayChoice({ way, onChoose }: { readonly way: Way; readonly onChoose: (way: Way) => void }) {
  return (
    <select
      aria-label="How it is saved"
      value={way}
      onChange={(event) => onChoose(WAYS.find((each) => each === event.currentTarget.value) ?? 'fields')}
    >
      {WAYS.map((each) => (
        <option key={each} value={each}>
          {MEANINGS[each]}
        </option>
      ))}
    </select>
  );
}

/** Conflicts for which an apply was refused, at a version of the object. */
interface Refused {
  readonly conflicts: readonly ApplyConflict[];
  readonly version: string | undefined;
}

const NONE: Refused = { conflicts: [], version: undefined };

/** The fields that others have, and which of them are taken over. */
function useConflicts() {
  const [takenOver, setTakenOver] = useState<ReadonlySet<string>>(new Set());
  const [refused, refuse] = useState(NONE);
  const takeOver = (key: string, on: boolean): void =>
    setTakenOver((before) => new Set(on ? [...before, key] : [...before].filter((other) => other !== key)));
  const forget = (): void => {
    setTakenOver(new Set());
    refuse(NONE);
  };
  return { takenOver, takeOver, refused, refuse, forget };
}

interface Changes {
  readonly mine: readonly FieldChange[];
  /** The object that the text describes. */
  readonly written: unknown;
  readonly problem: string | undefined;
}

function changesIn(base: UntypedObject, text: string): Changes {
  try {
    const edited = objectIn(text);
    if (typeof edited !== 'object' || edited === null || Array.isArray(edited))
      return { mine: [], written: undefined, problem: 'An object is a map of fields.' };
    return { mine: changesBetween(editable(base), edited), written: edited, problem: undefined };
  } catch (error) {
    return { mine: [], written: undefined, problem: wordsOf(error) };
  }
}
