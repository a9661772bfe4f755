import { useRef, useState } from 'preact/hooks';
import type { Api } from '../data/api.js';
import type { Loss } from '../data/loss.js';
import { readChecks, readMetrics, readVersion, sumOf, sumsBy, type Check, type Samples } from '../data/metrics.js';
import { bytesText, type Series } from '../data/traffic.js';
import { Failure } from '../parts/failure.js';
import { NotLive, staleClass } from '../parts/not-live.js';
import { PlainTable } from '../parts/plain-table.js';
import { useRepeated } from '../parts/use-repeated.js';
import { Plot } from './plot.js';

/** How often the values are read again, in milliseconds. */
const READ_MS = 10_000;
/** The most values of a plot: fifty minutes. */
const MOST = 300;

const PLOTS = [
  ['watches', 'Watches'],
  ['waiting', 'Waiting requests'],
  ['storageBytes', 'Storage'],
  ['objects', 'Objects'],
] as const;

/** The current state of the server: watches, priority levels, memory, health checks, version, and plots since it was opened. */
export function NowView() {
  const { samples, points, checks, version, loss } = useNow();
  const series: Series = { step: READ_MS, names: PLOTS.map(([name]) => name), values: points };
  const executing = samples && new Map(sumsBy(samples, 'apiserver_flowcontrol_current_executing_requests', LEVEL));
  return (
    <section aria-label="Now" class={staleClass(samples !== undefined && loss !== undefined)}>
      <h2>Now</h2>
      {samples === undefined && loss !== undefined && <Failure text={loss.words} />}
      <div role="status">{samples !== undefined && loss !== undefined && <NotLive loss={loss} />}</div>
      {checks !== undefined && <Checks checks={checks} />}
      {version !== undefined && <p>The store is at version {version}: each write makes the next one.</p>}
      {samples !== undefined && (
        <>
          <div class="plots">
            {PLOTS.map(([name, title]) => (
              <Plot key={name} title={title} series={series} name={name} />
            ))}
          </div>
          <div class="nows">
            <Values
              titles={['Priority level', 'Executing', 'Waiting']}
              rows={sumsBy(samples, 'apiserver_flowcontrol_current_inqueue_requests', LEVEL).map(([level, waiting]) => [
                level,
                String(executing?.get(level) ?? 0),
                String(waiting),
              ])}
            />
            <Values
              titles={['Memory', 'Size']}
              rows={sumsBy(samples, 'apiserver_memory_reserved_bytes', 'use').map(([use, size]) => [
                use,
                bytesText(size),
              ])}
            />
          </div>
        </>
      )}
    </section>
  );
}

const LEVEL = 'priority_level';

function Values({
  titles,
  rows,
}: {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
}) {
  if (rows.length === 0) return null;
  return (
    <PlainTable titles={titles}>
      {rows.map(([name, ...values]) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          {values.map((value, index) => (
            <td key={titles[index + 1]}>{value}</td>
          ))}
        </tr>
      ))}
    </PlainTable>
  );
}

function Checks({ checks }: { readonly checks: readonly Check[] }) {
  const failed = checks.filter(({ ok }) => !ok);
  return (
    <p role="status" class={failed.length === 0 ? 'ok' : 'bad'}>
      {failed.length === 0
        ? `✓ ${checks.length} health checks pass`
        : `✕ ${failed.length} of ${checks.length} health checks fail: ${failed.map(({ name }) => name).join(', ')}`}
    </p>
  );
}

/** Reads the values again and again. */
function useNow() {
  const [samples, setSamples] = useState<Samples | undefined>(undefined);
  const [points, setPoints] = useState<readonly (readonly number[])[]>([]);
  const [checks, setChecks] = useState<readonly Check[] | undefined>(undefined);
  const [version, setVersion] = useState<string | undefined>(undefined);
  const [loss, setLoss] = useState<Loss | undefined>(undefined);
  const count = useRef(0);
  const read = async (opened: Api, signal: AbortSignal): Promise<void> => {
    const [metrics, health, newest] = await Promise.all([
      readMetrics(opened, signal),
      readChecks(opened, signal),
      readVersion(opened, signal),
    ]);
    const point = pointOf(metrics, (count.current += 1));
    setSamples(metrics);
    setChecks(health);
    setVersion(newest);
    setPoints((before) => [...before.slice(1 - MOST), point]);
    setLoss(undefined);
  };
  useRepeated(READ_MS, read, setLoss);
  return { samples, points, checks, version, loss };
}

/** Returns the values of the plots, in their order. */
const pointOf = (samples: Samples, count: number): number[] => [
  count * READ_MS,
  sumOf(samples, 'apiserver_longrunning_requests', ['verb', 'WATCH']),
  sumOf(samples, 'apiserver_flowcontrol_current_inqueue_requests'),
  // A store in the memory of the server has no size of its own.
  sumOf(samples, 'apiserver_storage_size_bytes') ||
    sumOf(samples, 'apiserver_memory_reserved_bytes', ['use', 'objects']),
  // A kind whose objects cannot be counted has -1.
  (samples.get('apiserver_storage_objects') ?? []).reduce((sum, { value }) => sum + Math.max(0, value), 0),
];
