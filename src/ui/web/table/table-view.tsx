import { useEffect, useMemo, useState } from 'preact/hooks';
import { NO_ACCESS, type AccessQuery, type TableQuery, type Tab } from '../data/address.js';
import { browserClock } from '../data/clock.js';
import { annotationsIn, chosenColumns, columnsText, drawnColumns, knownColumns } from '../data/columns.js';
import { pathOf, type PageKind } from '../data/kinds.js';
import { LiveTable, type Liveness } from '../data/live-table.js';
import { repeatWhileSeen } from '../data/persist.js';
import { RowOrder } from '../data/row-order.js';
import { isExtra, type Column, type Row } from '../data/rows.js';
import { api, go, info, sight } from '../state.js';
import { ColumnsDialog } from './columns-dialog.js';
import { Filters } from './filters.js';
import { Grid } from './grid.js';
import { TimeSlider } from './time-slider.js';
import { pickedRows, usePicked } from './use-picked.js';
import { Failure } from '../parts/failure.js';
import { lateView } from '../parts/late-view.js';
import { NotLive } from '../parts/not-live.js';

/** It loads when the first row is selected. */
const BulkTools = lateView(() => import('./bulk-tools.js').then((loaded) => loaded.BulkTools));

const NO_ROWS: readonly Row[] = [];
const NO_COLUMNS: readonly Column[] = [];

/** The objects of a kind, live. */
export function TableView({ kind, query }: { readonly kind: PageKind; readonly query: TableQuery }) {
  const table = useLiveTable(kind, query);
  const [choosing, setChoosing] = useState(false);
  const [, draw] = useState(0);
  const { group, version, plural } = kind;
  const filter = (changed: Partial<TableQuery>): void =>
    go({ at: 'table', group, version, plural, query: { ...query, ...changed } }, true);
  const open = ({ namespace, name }: Row, tab: Tab): void => {
    const isWriting = tab === 'edit' || tab === 'form';
    if (isWriting && info.value.readOnly) return;
    go({ at: 'object', group, version, plural, namespace, name, tab });
  };
  const settle = (): void => {
    order.release();
    draw((count) => count + 1);
  };
  const columns = table?.columns ?? NO_COLUMNS;
  const order = useMemo(() => new RowOrder(), [table]);
  const chosen = chosenColumns(query.columns);
  const drawn = useMemo(
    () => drawnColumns(columns, kind.namespaced, chosenColumns(query.columns)),
    [columns, kind.namespaced, query.columns],
  );
  const { namespaces, text, sort } = query;
  const extras = chosen.map(({ key }) => key).filter(isExtra);
  const liveness = table?.liveness ?? { is: 'loading' };
  const { picked, pick, pickNone, isHeld, hold } = usePicked(table);
  const view = { columns, namespaces, text, sort, extras };
  const isStill = isHeld && liveness.is === 'live';
  const rows = table === undefined ? NO_ROWS : order.shown(table.byUid, view, isStill, table.takeTouched());
  return (
    <main class="fixed">
      <h1>
        {kind.kind} <span class="muted">{group === '' ? version : `${group}/${version}`}</span>
      </h1>
      <Filters kind={kind} query={query} onChange={filter} />
      <div class="tools">
        {kind.verbs.includes('create') && !info.value.readOnly && (
          <button
            type="button"
            onClick={() => go({ at: 'create', group, version, plural, namespace: query.namespaces[0] })}
          >
            + New
          </button>
        )}
        <button type="button" aria-haspopup="dialog" onClick={() => setChoosing(true)}>
          Columns…
        </button>
        <TimeSlider past={query.past} onChange={(past) => filter({ past })} />
      </div>
      <div role="status">
        {rows.length === (table?.size ?? 0) ? rows.length : `${rows.length} of ${table?.size}`} shown ·{' '}
        <Live liveness={liveness} />
        {order.waiting + order.gone > 0 && (
          <>
            {' · '}
            <button type="button" class="plain" onClick={settle}>
              {waitingText(order)}
            </button>
          </>
        )}
      </div>
      {picked.size > 0 && (
        <BulkTools kind={kind} rows={pickedRows(table, picked)} onPick={pick} onPickNone={pickNone} />
      )}
      {liveness.is === 'refused' && <Failure text={liveness.message} />}
      {liveness.is === 'refused' && liveness.code === 403 && (
        <div class="tools">
          <button type="button" onClick={() => go({ at: 'access', query: whyNot(kind, query) })}>
            Why?
          </button>
        </div>
      )}
      {rows.length === 0 && !['loading', 'lost', 'behind', 'refused'].includes(liveness.is) && (
        <Empty kind={kind} all={table?.size ?? 0} query={query} />
      )}
      <Grid
        label={kind.plural}
        isLoading={rows.length === 0 && liveness.is === 'loading'}
        isStale={liveness.is === 'lost'}
        columns={drawn}
        rows={rows}
        filter={text}
        sort={query.sort}
        onSort={(sort) => filter({ sort })}
        onOpen={open}
        picked={picked}
        onPick={pick}
        onPickNone={pickNone}
        onHold={hold}
      />
      {choosing && (
        <ColumnsDialog
          isLoading={columns.length === 0}
          known={knownColumns(columns, kind.namespaced)}
          chosen={drawn}
          labels={labelsOf(rows)}
          onChange={(changed) => filter({ columns: columnsText(changed) })}
          onReset={() => filter({ columns: '' })}
          onClose={() => setChoosing(false)}
        />
      )}
    </main>
  );
}

/** Returns the question why the user may not list a kind. */
const whyNot = ({ plural, group }: PageKind, { namespaces: [namespace = ''] }: TableQuery): AccessQuery => ({
  ...NO_ACCESS,
  ...{ verb: 'list', resource: plural, group, namespace },
});

/** Says what waits until rows need no longer stay in their places: `3 new, 1 gone ↑`. */
const waitingText = ({ waiting, gone }: RowOrder): string =>
  `${[...(waiting > 0 ? [`${waiting} new`] : []), ...(gone > 0 ? [`${gone} gone`] : [])].join(', ')} ↑`;

/** Rows that are looked at for labels to offer. */
const LOOKED_AT = 1000;

/** Returns the labels that rows have. */
const labelsOf = (rows: readonly Row[]): readonly string[] =>
  [
    ...new Set(rows.slice(0, LOOKED_AT).flatMap(({ labels }) => (labels === undefined ? [] : [...labels.keys()]))),
  ].sort();

/** Interval at which ages are drawn again, in milliseconds. */
const TICK_MS = 10_000;

/** Returns the table of a kind, which is drawn again when it changes. */
function useLiveTable(
  kind: PageKind,
  { namespaces, labels, fields, past, columns }: TableQuery,
): LiveTable | undefined {
  const [, draw] = useState(0);
  const opened = api.value;
  // The server filters by one namespace; several are filtered here.
  const namespace = kind.namespaced && namespaces.length === 1 ? namespaces[0] : undefined;
  const path = pathOf(kind, namespace);
  const annotations = annotationsIn(chosenColumns(columns));
  const isListOnly = !kind.verbs.includes('watch');
  const table = useMemo(
    () =>
      opened &&
      new LiveTable(
        opened,
        { path, labels, fields, past, annotations, isListOnly },
        { clock: browserClock, sight },
        () => draw((count) => count + 1),
      ),
    [opened, path, labels, fields, past, annotations.join()],
  );
  useEffect(() => {
    document.title = kind.plural;
    void table?.run();
    const leaving = new AbortController();
    const circumstances = { clock: browserClock, sight, signal: leaving.signal };
    void repeatWhileSeen(TICK_MS, () => draw((count) => count + 1), circumstances);
    return () => {
      leaving.abort();
      table?.close();
    };
  }, [table]);
  return table;
}

function Live({ liveness }: { readonly liveness: Liveness }) {
  if (liveness.is === 'live') return <span class="ok">● live</span>;
  if (liveness.is === 'past') return <span class="warn">▲ read-only: as of version {liveness.version}</span>;
  if (liveness.is === 'listed')
    return <span class="warn">▲ as it was when it was opened: this kind cannot be followed</span>;
  if (liveness.is === 'loading') return <span class="muted">◐ loading</span>;
  if (liveness.is === 'refused') return <span class="bad">✕ refused</span>;
  if (liveness.is === 'behind')
    return (
      <span class="warn">▲ behind {liveness.perSecond} changes a second: reads the rows again when they are fewer</span>
    );
  return <NotLive loss={liveness.loss} />;
}

function Empty({ kind, all, query }: { readonly kind: PageKind; readonly all: number; readonly query: TableQuery }) {
  if (all > 0 || query.labels !== '' || query.fields !== '' || query.namespaces.length > 0)
    return <p class="muted">No object passes the filters{all > 0 ? `; ${all} do not` : ''}.</p>;
  return (
    <p class="muted">
      There is none. To make one: <code>kubectl create -f FILE</code> with <code>kind: {kind.kind}</code>.
    </p>
  );
}
