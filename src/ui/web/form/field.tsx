import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isMap, textOf } from '../data/guards.js';
import type { ValuePath } from '../data/check-schema.js';
import { formOf, resolved, type FieldForm, type Schema } from '../data/schema.js';
import { shortest } from '../data/template.js';
import { shownValue } from '../parts/shown-value.js';
import { idOf, keyOf, type FieldProps } from './form-context.js';
import { Input } from './input.js';
import { inPlace, Members, MOST_DRAWN } from './members.js';

/** Levels of an object that are open at first; of its metadata only one. */
const OPEN_LEVELS = 2;

const isOpenAtFirst = (path: ValuePath): boolean => path.length <= (path[0] === 'metadata' ? 1 : OPEN_LEVELS);

/** A field of an object, and what is in it. */
export function Field(props: FieldProps) {
  const { schema, value } = props;
  const form: FieldForm = schema === undefined ? 'anything' : formOf(schema);
  if (schema !== undefined && form === 'list' && (value === undefined || Array.isArray(value)))
    return <ListField {...props} schema={schema} list={value ?? []} />;
  if (schema !== undefined && (form === 'fields' || form === 'map') && (value === undefined || isMap(value)))
    return (
      <Group {...props}>
        <Members form={props.form} path={props.path} schema={schema} value={value ?? {}} />
      </Group>
    );
  return <Simple {...props} kind={wants(form, value)} />;
}

/** A value that is not of the schema's type is entered as what it is. */
const wants = (form: FieldForm, value: unknown): FieldForm =>
  form === 'list' || form === 'map' || form === 'fields' || (form !== 'anything' && typeof value === 'object')
    ? 'anything'
    : form;

/** A field with one value. */
function Simple({ form, path, title, schema, value, required, kind }: FieldProps & { readonly kind: FieldForm }) {
  const key = keyOf(path);
  const problems = form.problems.get(key) ?? [];
  const place = useRef<HTMLDivElement>(null);
  useFocusOfAdded(form.added, key, () => place.current?.querySelector<HTMLElement>('input, select, textarea'));
  return (
    <div class="field" ref={place}>
      <label for={`field-${idOf(path)}`}>
        {title}
        {required && <b title="required"> *</b>}
      </label>
      <div class="entry">
        <Input
          id={`field-${idOf(path)}`}
          describedBy={`about-${idOf(path)}`}
          kind={kind}
          schema={schema}
          value={value}
          isWrong={problems.length > 0}
          onChange={(changed) => form.set(path, changed)}
        />
        {value !== undefined && !required && <Remove {...{ form, path, title }} />}
      </div>
      <About id={`about-${idOf(path)}`} schema={schema} problems={problems} />
    </div>
  );
}

/** A field with others in it. */
function Group({ form, path, title, schema, value, required, children }: FieldProps & { children: ComponentChildren }) {
  const key = keyOf(path);
  const problems = form.problems.get(key) ?? [];
  const inside = Array.isArray(value) ? value.length : isMap(value) ? Object.keys(value).length : 0;
  const [open, setOpen] = useState(isOpenAtFirst(path) || form.added.current === key);
  const place = useRef<HTMLDetailsElement>(null);
  useFocusOfAdded(form.added, key, () => place.current?.querySelector<HTMLElement>('summary'));
  return (
    <details ref={place} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {title}
        {required && <b title="required"> *</b>} <span class="muted">{inside}</span>
      </summary>
      {open && (
        <div class="inside">
          <About id={`about-${idOf(path)}`} schema={schema} problems={problems} />
          {children}
          {value !== undefined && !required && <Remove {...{ form, path, title }} named />}
        </div>
      )}
    </details>
  );
}

type ListProps = FieldProps & { readonly schema: Schema; readonly list: readonly unknown[] };

/** A list: its items in their order, and a way to add one. */
function ListField({ list, ...props }: ListProps) {
  const { form, path, schema, title } = props;
  const ofItem = resolved(schema['items'], form.all);
  const add = (): void => {
    const item = [...path, list.length];
    form.added.current = keyOf(item);
    // A list that is not there yet cannot be extended.
    const value = shortest(ofItem, form.all, 6);
    if (list.length === 0) form.set(path, [value]);
    else form.set(item, value);
  };
  return (
    <Group {...props}>
      {list.slice(0, MOST_DRAWN).map((item, index) => (
        <Field
          key={index}
          form={form}
          path={[...path, index]}
          title={nameOf(item, index)}
          schema={ofItem}
          value={item}
          required={false}
        />
      ))}
      {list.length > MOST_DRAWN && <p class="muted">{list.length - MOST_DRAWN} more items: edit them as YAML.</p>}
      <div class="add">
        <button type="button" onClick={add} aria-label={`Add an item${inPlace(title)}`}>
          + Item
        </button>
      </div>
    </Group>
  );
}

const nameOf = (item: unknown, index: number): string =>
  `${index + 1}${isMap(item) && typeof item['name'] === 'string' ? ` ${item['name']}` : ''}`;

type RemoveProps = Pick<FieldProps, 'form' | 'path' | 'title'> & {
  /** Whether the button says what it removes, as where it is not beside it. */
  readonly named?: boolean;
};

function Remove({ form, path, title, named = false }: RemoveProps) {
  return (
    <button type="button" class="remove" onClick={() => form.set(path, undefined)} aria-label={`Remove ${title}`}>
      {named ? `Remove ${title}` : '✕'}
    </button>
  );
}

/** The values of an enum are in the choice already. */
const VALUES = /\n\nPossible enum values:[^]*$/;

interface AboutProps {
  readonly id: string;
  readonly schema: Schema | undefined;
  readonly problems: readonly string[];
}

/** Shows the description of a field, its default, and the objections to its value. */
function About({ id, schema, problems }: AboutProps) {
  const said = textOf(schema?.['description'])?.replace(VALUES, '');
  const standard = schema?.['default'];
  const isTold = standard !== undefined && standard !== '' && !isMap(standard);
  return (
    <div id={id} class="about">
      {schema === undefined && <span class="warn">▲ The schema does not have this field; it is kept. </span>}
      {said} {isTold && <>Default: {shownValue(standard)}. </>}
      {problems.map((problem) => (
        <span class="bad" key={problem}>
          ✕ {problem}{' '}
        </span>
      ))}
    </div>
  );
}

/** Gives the focus to a field that was just added. */
function useFocusOfAdded(
  added: { current: string | undefined },
  key: string,
  find: () => HTMLElement | null | undefined,
): void {
  useEffect(() => {
    if (added.current !== key) return;
    added.current = undefined;
    find()?.focus();
  }, []);
}
