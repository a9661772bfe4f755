import { helping } from '../state.js';
import { Dialog } from './dialog.js';
import { characterKeys, switchCharacterKeys } from './keys.js';

const KEYS = [
  [':', 'jump to a kind, a view, or the past'],
  ['/', 'filter the rows by text'],
  ['j, ↓', 'next row'],
  ['k, ↑', 'previous row'],
  ['j, k; ←, →', 'in the YAML: next, previous line; fold, unfold it'],
  ['g, G', 'first row, last row'],
  ['Enter', 'open the row'],
  ['Esc', 'back; in a table, no row'],
  ['y', 'the object as YAML'],
  ['o, g', 'owners and dependants, as a list, as a graph'],
  ['h', 'the versions of the object'],
  ['[, ]', 'an older, a newer version'],
  ['e, f', 'edit the object as YAML, by a form'],
  ['d', 'delete the object, after a question'],
  ['x, Space', 'select the row, or no longer'],
  ['X', 'select all rows, or none'],
  ['c', 'copy the name of the row'],
  ['n', 'filter the rows by namespace'],
  ['Ctrl+Enter, Ctrl+S', 'in the editor: dry run, save'],
  ['?', 'this list'],
] as const;

/** The keys of the page. */
export function KeyHelp() {
  const close = (): void => void (helping.value = false);
  return (
    <Dialog label="Keys" onClose={close}>
      <h1>Keys</h1>
      <dl class="keys">
        {KEYS.map(([key, meaning]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </>
        ))}
      </dl>
      <label>
        <input
          type="checkbox"
          checked={characterKeys.value}
          onChange={(event) => switchCharacterKeys(event.currentTarget.checked)}
        />{' '}
        Keys that are single characters
      </label>
      <div class="tools">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
