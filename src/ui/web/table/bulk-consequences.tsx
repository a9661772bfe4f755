import { useEffect, useState } from 'preact/hooks';
import { wordsOf, type Api } from '../data/api.js';
import { forEachAtOnce } from '../data/at-once.js';
import { readBudgets, type Budget } from '../data/budgets.js';
import { metadataOf } from '../data/bulk.js';
import type { PageKind } from '../data/kinds.js';
import { readRelated } from '../data/related.js';
import type { Row } from '../data/rows.js';
import type { Policy } from '../object/delete-dialog.js';
import { api, kinds } from '../state.js';

/** The most rows that are looked at. */
const MOST_ROWS = 20;
/** The most names that are listed. */
const MOST = 10;

/** What a deletion of rows brings about. */
interface Consequences {
  /** How many rows have been looked at. */
  readonly looked: number;
  readonly dependants: readonly string[];
  readonly hidden: number;
  /** The rows that have finalizers, with these. */
  readonly kept: readonly string[];
  readonly budgets: ReadonlyMap<string, Budget>;
  readonly failure: string | undefined;
}

const NONE: Consequences = {
  ...{ looked: 0, dependants: [], hidden: 0, kept: [], budgets: new Map(), failure: undefined },
};

interface BulkConsequencesProps {
  readonly kind: PageKind;
  readonly rows: readonly Row[];
  readonly policy: Policy;
}

/** Says what is deleted with rows, what keeps them, and which budgets count them. */
export function BulkConsequences({ kind, rows, policy }: BulkConsequencesProps) {
  const looking = rows.slice(0, MOST_ROWS);
  const { looked, dependants, hidden, kept, budgets, failure } = useConsequences(kind, looking);
  const count = dependants.length + hidden;
  const names = dependants.slice(0, MOST).join(', ') + (count > MOST ? `, and ${count - MOST} more` : '');
  const fate = policy === 'Orphan' ? 'stay, without their owners' : 'are deleted with them, and what depends on them';
  return (
    <div aria-label="Consequences" role="group">
      {looked < looking.length && (
        <p class="muted">
          Looking for what depends on them: {looked} of {looking.length}…
        </p>
      )}
      {looked === looking.length && count === 0 && <p>No object depends on them.</p>}
      {count > 0 && (
        <p>
          These {fate}: {names || `${hidden} that you may not see`}.
        </p>
      )}
      {kept.length > 0 && <p>These stay until their finalizers are removed: {kept.join('; ')}.</p>}
      {[...budgets.values()].map(({ name, allowed }) => (
        <p key={name} class={allowed === 0 ? 'warn' : ''}>
          {allowed === 0 ? '▲ ' : ''}PodDisruptionBudget {name} counts some of them, and allows{' '}
          {allowed ?? 'an unknown number of'} evictions now. A deletion does not ask it.
        </p>
      ))}
      {rows.length > MOST_ROWS && <p class="muted">Only the first {MOST_ROWS} were looked at for this.</p>}
      {failure !== undefined && <p class="muted">Not all of it is known: {failure}</p>}
    </div>
  );
}

function useConsequences(kind: PageKind, rows: readonly Row[]): Consequences {
  const [found, setFound] = useState(NONE);
  useEffect(() => {
    const opened = api.value;
    if (opened === undefined) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    void forEachAtOnce(rows, signal, async (row) => {
      const more = await look(opened, kind, row, signal).catch((error: unknown) => ({
        ...NONE,
        failure: wordsOf(error),
      }));
      if (!signal.aborted) setFound((before) => added(before, more));
    });
    return () => leaving.abort();
  }, []);
  return found;
}

/** Returns what the deletion of one row brings about. */
async function look(opened: Api, kind: PageKind, row: Row, signal: AbortSignal): Promise<Consequences> {
  const object = await metadataOf(opened, kind, row, signal);
  const { finalizers = [] } = object.metadata;
  const [related, budgets] = await Promise.all([
    readRelated(opened, row.uid, signal),
    readBudgets(opened, kinds.value, object, signal),
  ]);
  return {
    ...NONE,
    dependants: related.dependants.map((each) => `${each.kind} ${each.name}`),
    hidden: related.hidden,
    kept: finalizers.length === 0 ? [] : [`${row.name} (${finalizers.join(', ')})`],
    budgets: new Map(budgets.map((budget) => [`${row.namespace}/${budget.name}`, budget])),
  };
}

const added = (before: Consequences, more: Consequences): Consequences => ({
  looked: before.looked + 1,
  dependants: [...before.dependants, ...more.dependants],
  hidden: before.hidden + more.hidden,
  kept: [...before.kept, ...more.kept],
  budgets: new Map([...before.budgets, ...more.budgets]),
  failure: before.failure ?? more.failure,
});
