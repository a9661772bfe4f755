import { useEffect, useMemo, useState } from 'preact/hooks';
import type { UntypedObject } from '../../../entries/client-web.js';
import { changesBetween } from '../../../foundation/index.js';
import { NO_QUERY } from '../data/address.js';
import { isApiObject } from '../data/guards.js';
import { apiVersionOf, type PageKind } from '../data/kinds.js';
import { templateOf } from '../data/template.js';
import { objectIn, textOf } from '../data/yaml-text.js';
import { Draft } from '../form/draft.js';
import { api, drafts, go } from '../state.js';
import { editable } from './save.js';
import { AnswerView, type Answer } from './save-answer.js';
import { useDryRun, useMarks } from './use-dry-run.js';
import { useEditor, useKeptDraft } from './use-editor.js';

interface CreateProps {
  readonly kind: PageKind;
  readonly namespace: string | undefined;
  readonly asForm: boolean;
}

/** Creates an object of a kind, from a template. */
export function CreateView({ kind, namespace, asForm }: CreateProps) {
  const [template, setTemplate] = useState<string | undefined>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    document.title = `New ${kind.kind}`;
    if (api.value !== undefined)
      void templateOf(api.value, kind, namespace, leaving.signal).then(
        (object) => leaving.signal.aborted || setTemplate(textOf(object)),
      );
    return () => leaving.abort();
  }, []);
  return (
    <main>
      <h1>
        New {kind.kind} <span class="muted">{apiVersionOf(kind)}</span>
      </h1>
      {template === undefined ? (
        <p class="muted">Loading…</p>
      ) : (
        <CreateDraft {...{ kind, namespace, asForm, template }} />
      )}
    </main>
  );
}

function CreateDraft({ kind, namespace, asForm, template }: CreateProps & { readonly template: string }) {
  const { group, version, plural } = kind;
  const key = `new/${group}/${version}/${plural}`;
  const [begun] = useState(() => drafts.of(key)?.text ?? template);
  const [text, setText] = useState(begun);
  const [answer, setAnswer] = useState<Answer | undefined>(undefined);
  const [created, setCreated] = useState(false);
  const send = async (dryRun: boolean, signal?: AbortSignal): Promise<void> => {
    if (signal === undefined) stop();
    try {
      const object = objectIn(text);
      if (!isApiObject(object)) throw new Error('An object has apiVersion, kind and metadata.');
      const { namespace } = object.metadata;
      const resource = api.value?.client.resource({ apiVersion: object.apiVersion, kind: object.kind });
      const scoped = namespace === undefined ? resource : resource?.namespace(namespace);
      const result = await scoped?.create(object, { dryRun, fieldValidation: 'Strict', signal });
      if (result === undefined || signal?.aborted === true) return;
      if (dryRun) return setAnswer({ is: 'tried', changes: changesBetween(object, editable(result)), stays: [] });
      setCreated(true);
      const { name = '' } = result.metadata;
      // The kind may have been changed in the text.
      if (object.kind !== kind.kind) go({ at: 'table', group, version, plural, query: NO_QUERY });
      else go({ at: 'object', group, version, plural, namespace: result.metadata.namespace, name, tab: 'yaml' });
    } catch (error) {
      if (signal?.aborted !== true) setAnswer({ is: 'failed', error });
    }
  };
  const show = (form: boolean): void => go({ at: 'create', group, version, plural, namespace, asForm: form }, true);
  const editor = useEditor(begun, {
    changed: (changed) => {
      setText(changed);
      setAnswer(undefined);
    },
    tryOut: () => void send(true),
    save: () => void send(false),
  });
  const isDraft = text !== template && !created;
  useKeptDraft(key, isDraft ? { text } : undefined, kind);
  const parsed = useMemo(() => parsedIn(text), [text]);
  const { mayNot, stop } = useDryRun({
    what: isDraft && parsed !== undefined ? text : undefined,
    access: { verb: 'create', kind, namespace: parsed?.metadata.namespace, name: '' },
    tryOut: (signal) => send(true, signal),
  });
  useMarks(editor, text, answer);
  return (
    <>
      <div class="tools" role="group" aria-label="How the object is entered">
        {[false, true].map((form) => (
          <button key={String(form)} type="button" aria-pressed={form === asForm} onClick={() => show(form)}>
            {form ? 'Form' : 'YAML'}
          </button>
        ))}
      </div>
      <Draft kind={kind} exists={false} {...{ text, editor, asForm }} />
      <div class="tools">
        <button type="button" onClick={() => void send(true)} title="Ctrl+Enter">
          Dry run
        </button>
        <button type="button" class="main" onClick={() => void send(false)} title="Ctrl+S">
          Create
        </button>
        <button type="button" disabled={!isDraft} onClick={() => editor.replace(template)}>
          Discard
        </button>
      </div>
      {mayNot && <p class="muted">You may not create it: nothing is tried as you type.</p>}
      {answer !== undefined && <AnswerView answer={answer} />}
    </>
  );
}

/** Returns the object of a text; undefined for a text that is not yet one. */
function parsedIn(text: string): UntypedObject | undefined {
  try {
    const object = objectIn(text);
    return isApiObject(object) ? object : undefined;
  } catch {
    return undefined;
  }
}
