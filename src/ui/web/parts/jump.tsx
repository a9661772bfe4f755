import { useState } from 'preact/hooks';
import { NO_QUERY } from '../data/address.js';
import { kindsLike, type PageKind } from '../data/kinds.js';
import { go, jumping, kinds } from '../state.js';
import { Dialog } from './dialog.js';

/** The most kinds that are offered. */
const MOST = 50;

/** Finds a kind by its name: `:deploy shop` opens the Deployments of the namespace shop. */
export function Jump() {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [sought = '', namespace] = text.trim().split(/\s+/);
  const found = kindsLike(kinds.value, sought).slice(0, MOST);
  const close = (): void => void (jumping.value = false);
  const open = (kind: PageKind | undefined): void => {
    if (kind === undefined) return;
    close();
    const { group, version, plural } = kind;
    const namespaces = namespace === undefined || !kind.namespaced ? [] : [namespace];
    go({ at: 'table', group, version, plural, query: { ...NO_QUERY, namespaces } });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') open(found[at]);
    else if (event.key === 'ArrowDown') setAt(Math.min(found.length - 1, at + 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(0, at - 1));
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label="Jump to a kind" onClose={close}>
      <input
        autofocus
        role="combobox"
        aria-label="Kind, and a namespace"
        aria-expanded="true"
        aria-controls="jump-kinds"
        aria-activedescendant={found.length > 0 ? `jump-${at}` : undefined}
        placeholder="deploy shop"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <ul class="options" role="listbox" id="jump-kinds" aria-label="Kinds">
        {found.map((kind, index) => (
          <li
            id={`jump-${index}`}
            key={`${kind.group}/${kind.plural}`}
            role="option"
            aria-selected={index === at}
            onClick={() => open(kind)}
          >
            {kind.kind} <span class="muted">{kind.group}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
