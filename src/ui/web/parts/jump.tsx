import { useState } from 'preact/hooks';
import { NO_QUERY } from '../data/address.js';
import { wordsOf } from '../data/api.js';
import { commandsLike, routeAt, versionAt, type Command } from '../data/commands.js';
import { kindsLike, type PageKind } from '../data/kinds.js';
import { api, go, info, jumping, kinds, route } from '../state.js';
import { Dialog } from './dialog.js';
import { Failure } from './failure.js';

/** The most choices that are offered. */
const MOST = 50;

/** What can be chosen. */
interface Choice {
  readonly key: string;
  readonly title: string;
  readonly more: string;
  readonly run: () => void;
}

const close = (): void => void (jumping.value = false);

/** Finds a kind by its name, or a view: `:deploy shop` opens the Deployments of the namespace shop, `:at 14:03` the past. */
export function Jump() {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [failure, setFailure] = useState<string | undefined>(undefined);
  const [sought = '', namespace] = text.trim().split(/\s+/);
  const fail = (error: unknown): void => setFailure(wordsOf(error));
  const commands = commandsLike(text, info.value.test);
  const choicesOf = (some: readonly Command[]): Choice[] => some.map((command) => commandChoice(command, fail));
  const found = [
    ...choicesOf(commands.filter(({ isExact }) => isExact)),
    ...kindsLike(kinds.value, sought).map((kind) => kindChoice(kind, namespace)),
    ...choicesOf(commands.filter(({ isExact }) => !isExact)),
  ].slice(0, MOST);
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') found[at]?.run();
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
        aria-label="Kind, and a namespace; or a command"
        aria-expanded="true"
        aria-controls="jump-kinds"
        aria-activedescendant={found.length > 0 ? `jump-${at}` : undefined}
        placeholder="deploy shop, access, at 14:03"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
          setFailure(undefined);
        }}
        onKeyDown={onKey}
      />
      {failure !== undefined && <Failure text={failure} />}
      <ul class="options" role="listbox" id="jump-kinds" aria-label="Kinds and commands">
        {found.map(({ key, title, more, run }, index) => (
          <li id={`jump-${index}`} key={key} role="option" aria-selected={index === at} onClick={run}>
            {title} <span class="muted">{more}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function kindChoice(kind: PageKind, namespace: string | undefined): Choice {
  const { group, version, plural, namespaced } = kind;
  const namespaces = namespace === undefined || !namespaced ? [] : [namespace];
  const run = (): void => {
    close();
    go({ at: 'table', group, version, plural, query: { ...NO_QUERY, namespaces } });
  };
  return { key: `${group}/${plural}`, title: kind.kind, more: group, run };
}

/** @param failed called when the command cannot be done */
function commandChoice(command: Command, failed: (error: unknown) => void): Choice {
  const { title } = command;
  const key = `: ${title}`;
  if (command.is === 'past')
    return { key, title, more: 'the past', run: () => void goBack(command.when).then(close, failed) };
  const open = (): void => {
    close();
    go(command.to);
  };
  return { key, title, more: 'view', run: open };
}

/** Shows what is open as it was. @throws Error in words for the user */
async function goBack(when: string): Promise<void> {
  const opened = api.value;
  if (opened === undefined) return;
  const shown = route.value;
  if (routeAt(shown, '') === undefined) throw new Error('Only tables and objects have a past: open one first.');
  const version = await versionAt(opened, when);
  const to = routeAt(shown, version);
  if (to !== undefined) go(to);
}
