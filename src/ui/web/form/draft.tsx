import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { suggestionsAt } from '../complete/suggest.js';
import { wordsOf } from '../data/api.js';
import { problemsIn, type Problem, type ValuePath } from '../data/check-schema.js';
import { isMap } from '../data/guards.js';
import { apiVersionOf, type PageKind } from '../data/kinds.js';
import { Patterns } from '../data/patterns.js';
import { readSchema, type KindSchema } from '../data/schema.js';
import { objectIn, withValueIn } from '../data/yaml-text.js';
import type { PlacedEditor } from '../object/use-editor.js';
import { Failure } from '../parts/failure.js';
import { api, kinds } from '../state.js';
import { SchemaForm } from './schema-form.js';

/** A draft of an object: a text that is edited as it is, or by a form of its fields. */
export interface DraftProps {
  readonly kind: PageKind;
  readonly text: string;
  /** The editor, which holds the text. */
  readonly editor: PlacedEditor;
  readonly asForm: boolean;
  /** Whether the object exists: then its name stays. */
  readonly exists: boolean;
}

/** Shows a draft as text or as a form, and what the schema objects to in it. */
export function Draft({ kind, text, editor, asForm, exists }: DraftProps) {
  const parsed = useMemo(() => parsedIn(text), [text]);
  // The kind may be changed in the text of a new object.
  const named = useRef(kind);
  named.current = kindOf(parsed.value) ?? named.current;
  const { schema, failure } = useSchema(named.current);
  const [patternsLoaded, setPatternsLoaded] = useState(false);
  const [patterns] = useState(() => new Patterns(() => setPatternsLoaded(true)));
  const problems = useMemo(
    () =>
      schema === undefined || parsed.failure !== undefined
        ? []
        : problemsIn(parsed.value, schema.own, schema.all, patterns.matches),
    [schema, parsed, patternsLoaded],
  );
  useEffect(() => {
    if (schema === undefined) return;
    const all = kinds.value.map((each) => ({ apiVersion: apiVersionOf(each), kind: each.kind }));
    editor.suggestFrom((place) => suggestionsAt(place, schema, all));
  }, [schema]);
  const [refusal, setRefusal] = useState<string | undefined>(undefined);
  const set = (path: ValuePath, value: unknown): void => {
    try {
      editor.replace(withValueIn(text, path, value));
      setRefusal(undefined);
    } catch (error) {
      // Such as a value behind an alias of YAML.
      setRefusal(wordsOf(error));
    }
  };
  return (
    <>
      <div class="editor" ref={editor.place} hidden={asForm} />
      {asForm && failure !== undefined && <p class="muted">{failure} Edit the object as YAML.</p>}
      {asForm && parsed.failure !== undefined && <p class="muted">A form needs a text that is YAML.</p>}
      {asForm && parsed.failure === undefined && schema !== undefined && (
        <SchemaForm schema={schema} value={parsed.value} problems={problems} exists={exists} onSet={set} />
      )}
      {asForm && refusal !== undefined && <Failure text={refusal} />}
      <Problems problems={problems} />
    </>
  );
}

/** Returns the kind that an object names; undefined for one that the server does not have. */
const kindOf = (value: unknown): PageKind | undefined =>
  isMap(value)
    ? kinds.value.find((each) => apiVersionOf(each) === value['apiVersion'] && each.kind === value['kind'])
    : undefined;

type Parsed = { readonly value: unknown; readonly failure: string | undefined };

function parsedIn(text: string): Parsed {
  try {
    return { value: objectIn(text), failure: undefined };
  } catch (error) {
    return { value: undefined, failure: wordsOf(error) };
  }
}

/** Returns the schema of a kind once it is read, or why there is none. */
function useSchema(kind: PageKind): { readonly schema: KindSchema | undefined; readonly failure: string | undefined } {
  const [schema, setSchema] = useState<KindSchema | undefined>(undefined);
  const [failure, setFailure] = useState<string | undefined>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    const opened = api.value;
    if (opened !== undefined)
      readSchema(opened, kind, leaving.signal).then(
        (read) => (read === undefined ? setFailure('The server has no schema of this kind.') : setSchema(read)),
        (error: unknown) => leaving.signal.aborted || setFailure(`The schema cannot be read: ${wordsOf(error)}.`),
      );
    return () => leaving.abort();
  }, [kind]);
  return { schema, failure };
}

/** The most problems that are shown. */
const MOST_SHOWN = 10;

/** Lists the objections of the schema. They do not keep a user from sending: the server decides. */
function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  return (
    <div role="status" aria-label="Problems" class="problems">
      {problems.length > 0 && (
        <ul>
          {problems.slice(0, MOST_SHOWN).map(({ path, message }) => (
            <li key={`${path.join('.')} ${message}`} class="warn">
              ▲ <b>{path.join('.')}</b> {message}
            </li>
          ))}
          {problems.length > MOST_SHOWN && <li class="muted">… and {problems.length - MOST_SHOWN} more</li>}
        </ul>
      )}
    </div>
  );
}
