import { useState } from 'preact/hooks';
import { shortest } from '../data/template.js';
import { isMap } from '../data/guards.js';
import type { ValuePath } from '../data/check-schema.js';
import { memberSchema, requiredOf, resolved, type Schema } from '../data/schema.js';
import { Field } from './field.js';
import { keyOf, type FormContext } from './form-context.js';

/** The most members of a map, and items of a list, that are drawn. */
export const MOST_DRAWN = 100;

interface MembersProps {
  readonly form: FormContext;
  readonly path: ValuePath;
  readonly schema: Schema;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The members of a map: those that it has, those that it must have, and a way to add others. */
export function Members({ form, path, schema, value }: MembersProps) {
  const isShown = (name: string): boolean => !form.hidden.has(keyOf([...path, name]));
  const required = requiredOf(schema);
  const named = isMap(schema['properties']) ? Object.keys(schema['properties']) : [];
  const has = (name: string): boolean => Object.hasOwn(value, name) && value[name] !== undefined;
  const inOrder = [
    ...named.filter((name) => has(name) || required.includes(name)),
    ...Object.keys(value).filter((name) => !named.includes(name) && has(name)),
  ].filter(isShown);
  const missing = named.filter((name) => !has(name) && !required.includes(name)).filter(isShown);
  const add = (name: string, inSchema: Schema): void => {
    form.added.current = keyOf([...path, name]);
    form.set([...path, name], shortest(inSchema, form.all, DEEPEST_ADDED));
  };
  const ofOthers = schema['additionalProperties'];
  return (
    <>
      {inOrder.slice(0, MOST_DRAWN).map((name) => (
        <Field
          key={name}
          form={form}
          path={[...path, name]}
          title={name}
          schema={memberSchema(schema, name, form.all)}
          value={value[name]}
          required={required.includes(name) || (path.length === 0 && name === 'metadata')}
        />
      ))}
      {inOrder.length > MOST_DRAWN && (
        <p class="muted">{inOrder.length - MOST_DRAWN} more members: edit them as YAML.</p>
      )}
      {missing.length > 0 && (
        <AddNamed
          place={path.join('.')}
          names={missing}
          onAdd={(name) => add(name, memberSchema(schema, name, form.all) ?? {})}
        />
      )}
      {isMap(ofOthers) && (
        <AddKey place={path.join('.')} known={value} onAdd={(name) => add(name, resolved(ofOthers, form.all))} />
      )}
    </>
  );
}

/** How deep the value goes that a new field begins with. */
const DEEPEST_ADDED = 6;

interface AddNamedProps {
  readonly place: string;
  readonly names: readonly string[];
  readonly onAdd: (name: string) => void;
}

/** Adds one of the fields that the schema has and the object has not. */
function AddNamed({ place, names, onAdd }: AddNamedProps) {
  const [chosen, setChosen] = useState('');
  const name = names.includes(chosen) ? chosen : '';
  return (
    <div class="add">
      <select
        aria-label={`Field to add${inPlace(place)}`}
        value={name}
        onChange={(event) => setChosen(event.currentTarget.value)}
      >
        <option value="">Add a field…</option>
        {names.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      <button type="button" disabled={name === ''} onClick={() => onAdd(name)} aria-label={`Add${inPlace(place)}`}>
        Add
      </button>
    </div>
  );
}

interface AddKeyProps {
  readonly place: string;
  readonly known: Readonly<Record<string, unknown>>;
  readonly onAdd: (name: string) => void;
}

/** Adds a member under a key that is typed. */
function AddKey({ place, known, onAdd }: AddKeyProps) {
  const [key, setKey] = useState('');
  const canAdd = key !== '' && !Object.hasOwn(known, key);
  const add = (): void => {
    if (!canAdd) return;
    onAdd(key);
    setKey('');
  };
  return (
    <div class="add">
      <input
        aria-label={`New key${inPlace(place)}`}
        placeholder="new key"
        value={key}
        onInput={(event) => setKey(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
      <button type="button" disabled={!canAdd} onClick={add} aria-label={`Add the key${inPlace(place)}`}>
        Add
      </button>
    </div>
  );
}

/** Returns the end of the name of a control, by which a screen reader tells it from others. */
export const inPlace = (place: string): string => (place === '' ? '' : ` in ${place}`);
