import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { TableQuery } from '../data/address.js';
import type { PageKind } from '../data/kinds.js';
import { isTyping } from '../parts/keys.js';

/** The filters of a table: text as it is typed, the others with Enter, since the server applies them. */
export function Filters({
  kind,
  query,
  onChange,
}: {
  readonly kind: PageKind;
  readonly query: TableQuery;
  readonly onChange: (changed: Partial<TableQuery>) => void;
}) {
  const text = useRef<HTMLInputElement>(null);
  const namespaces = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const field = event.key === '/' ? text : event.key === 'n' ? namespaces : undefined;
      if (field?.current == null || isTyping(event)) return;
      event.preventDefault();
      field.current.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <div class="tools" role="search">
      <label>
        Filter
        <input
          ref={text}
          type="search"
          value={query.text}
          placeholder="/"
          onInput={(event) => onChange({ text: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' && event.key !== 'Escape') return;
            event.preventDefault();
            document.querySelector<HTMLElement>('.grid')?.focus();
          }}
        />
      </label>
      {kind.namespaced && (
        <Entered
          field={namespaces}
          label="Namespaces"
          placeholder="all"
          value={query.namespaces.join(',')}
          onEnter={(value) => onChange({ namespaces: value.split(/[\s,]+/).filter((name) => name !== '') })}
        />
      )}
      <Entered
        label="Labels"
        placeholder="app=web,tier!=db"
        value={query.labels}
        onEnter={(labels) => onChange({ labels })}
      />
      <Entered
        label="Fields"
        placeholder="metadata.name=web"
        value={query.fields}
        onEnter={(fields) => onChange({ fields })}
      />
    </div>
  );
}

function Entered({
  field,
  label,
  placeholder,
  value,
  onEnter,
}: {
  readonly field?: RefObject<HTMLInputElement | null>;
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onEnter: (value: string) => void;
}) {
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  return (
    <label>
      {label}
      <input
        {...(field === undefined ? {} : { ref: field })}
        value={draft}
        placeholder={placeholder}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onChange={() => onEnter(draft.trim())}
      />
    </label>
  );
}
