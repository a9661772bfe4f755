import { useEffect, useRef, useState } from 'preact/hooks';
import { labelsIn, runForAll, type BulkProgress, type BulkTask } from '../data/bulk.js';
import type { PageKind } from '../data/kinds.js';
import type { Row } from '../data/rows.js';
import { ActionQuestion } from '../object/actions.js';
import { PolicyChoice, type Policy } from '../object/delete-dialog.js';
import { Dialog } from '../parts/dialog.js';
import { placeText } from '../parts/object-link.js';
import { api } from '../state.js';
import { BulkConsequences } from './bulk-consequences.js';
import type { BulkChoice } from './bulk-tools.js';

/** The most names that are listed. */
const MOST = 10;

interface BulkDialogProps {
  readonly kind: PageKind;
  readonly rows: readonly Row[];
  readonly choice: BulkChoice;
  /** Called with the rows for which it has been done. */
  readonly onDone: (rows: readonly Row[]) => void;
  readonly onClose: () => void;
}

/** Asks before something is done to all selected rows, does it, and says what has failed. */
export function BulkDialog({ kind, rows, choice, onDone, onClose }: BulkDialogProps) {
  const [policy, setPolicy] = useState<Policy>('Background');
  const [labels, setLabels] = useState('');
  const [number, setNumber] = useState(choice.is === 'act' ? (choice.action.number ?? 0) : 0);
  const { progress, isRunning, run } = useRun(kind, rows, onDone, onClose);
  const verb = choice.is === 'act' ? choice.action.title.replace('…', '') : choice.is === 'label' ? 'Label' : 'Delete';
  const task = taskOf(choice, policy, labels, number);
  const title = `${verb} ${rows.length} ${rows.length === 1 ? kind.kind : kind.plural}`;
  const isOver = progress !== undefined && !isRunning;
  return (
    <Dialog label={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (task !== undefined) void run(task);
        }}
      >
        <h1>{title}</h1>
        <p class="muted">{namesOf(rows)}</p>
        {choice.is === 'delete' && <BulkConsequences kind={kind} rows={rows} policy={policy} />}
        {choice.is === 'delete' && <PolicyChoice policy={policy} onChoose={setPolicy} />}
        {choice.is === 'label' && (
          <label>
            Labels to set, and with “-” to remove{' '}
            <input
              autofocus
              placeholder="app=web tier-"
              value={labels}
              onInput={(event) => setLabels(event.currentTarget.value)}
            />
          </label>
        )}
        {choice.is === 'act' && <ActionQuestion action={choice.action} number={number} onNumber={setNumber} />}
        {progress !== undefined && <Progress progress={progress} all={rows.length} />}
        <div class="tools">
          <button type="button" autofocus={choice.is === 'delete'} onClick={onClose}>
            {isOver ? 'Close' : 'Cancel'}
          </button>
          <button
            type="submit"
            class={choice.is === 'delete' ? 'danger' : 'main'}
            disabled={task === undefined || progress !== undefined}
          >
            {verb} {rows.length}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns what is to be done; undefined while the dialog is not filled in. */
function taskOf(choice: BulkChoice, policy: Policy, labels: string, number: number): BulkTask | undefined {
  if (choice.is === 'delete') return { is: 'delete', policy };
  if (choice.is === 'act') return Number.isNaN(number) ? undefined : { is: 'act', title: choice.action.title, number };
  const read = labels.trim() === '' ? undefined : labelsIn(labels);
  return read && { is: 'label', labels: read };
}

/** Runs a task, until the dialog is closed. It closes itself when nothing has failed. */
function useRun(kind: PageKind, rows: readonly Row[], onDone: BulkDialogProps['onDone'], onClose: () => void) {
  const [progress, setProgress] = useState<BulkProgress | undefined>(undefined);
  const [isRunning, setRunning] = useState(false);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const run = async (task: BulkTask): Promise<void> => {
    const opened = api.value;
    if (opened === undefined) return;
    setRunning(true);
    const { signal } = leaving.current;
    const { failures } = await runForAll(opened, kind, rows, task, signal, setProgress);
    if (signal.aborted) return;
    setRunning(false);
    onDone(rows.filter((row) => !failures.some((failure) => failure.row === row)));
    if (failures.length === 0) onClose();
  };
  return { progress, isRunning, run };
}

function Progress({ progress: { done, failures }, all }: { readonly progress: BulkProgress; readonly all: number }) {
  return (
    <>
      <p role="status">
        {done} of {all} done
      </p>
      {failures.length > 0 && (
        <ul class="message" role="alert">
          {failures.slice(0, MOST).map(({ row, message }) => (
            <li key={row.uid}>
              ✕ {row.name}: {message}
            </li>
          ))}
          {failures.length > MOST && <li>… and {failures.length - MOST} more</li>}
        </ul>
      )}
    </>
  );
}

/** Returns the names of rows in a line. */
function namesOf(rows: readonly Row[]): string {
  const names = rows.slice(0, MOST).map(({ namespace = '', name }) => placeText(namespace, name));
  return names.join(', ') + (rows.length > MOST ? `, and ${rows.length - MOST} more` : '');
}
