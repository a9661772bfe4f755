import { useEffect, useRef, useState } from 'preact/hooks';
import type { TrafficQuery } from '../data/address.js';
import { wordsOf } from '../data/api.js';
import { Batches } from '../data/batches.js';
import { browserClock } from '../data/clock.js';
import type { RecordedRequest } from '../../answers.js';
import type { Loss } from '../data/loss.js';
import { persist } from '../data/persist.js';
import { bytesText, FollowedRequests, readSeries, type Series } from '../data/traffic.js';
import { PlainTable } from '../parts/plain-table.js';
import { api, go, sight } from '../state.js';
import { ControllersView } from './controllers-view.js';
import { NowView } from './now-view.js';
import { Plot } from './plot.js';
import { RequestDetails } from './request-details.js';
import { Failure } from '../parts/failure.js';
import { NotLive, staleClass } from '../parts/not-live.js';
import { useRepeated } from '../parts/use-repeated.js';

/** The most requests that are shown. */
const MOST = 200;
/** Shortest time between two drawings, in milliseconds. */
const DRAW_MS = 200;
/** How often the plots are read again, in milliseconds. */
const SERIES_MS = 5000;

const FILTERS = [
  ['verb', 'Verb', 'list'],
  ['user', 'User', 'alice'],
  ['code', 'Code', '4xx'],
  ['path', 'Path', '/pods'],
] as const;

const PLOTS = [
  ['requests', 'Requests'],
  ['failures', 'Failures'],
  ['writes', 'Writes'],
  ['p99Ms', 'Latency, 99 of 100, ms'],
  ['memoryBytes', 'Memory'],
] as const;

/** The requests of the server as they are answered, and its last hour. */
export function TrafficView({ query }: { readonly query: TrafficQuery }) {
  const [paused, setPaused] = useState(false);
  const open = new Set(query.show.split(',').filter((part) => part !== ''));
  const toggle = (part: string, isOpen: boolean): void => {
    // Also told when a part is drawn open.
    if (open.has(part) === isOpen) return;
    const parts = isOpen ? [...open, part] : [...open].filter((other) => other !== part);
    go({ at: 'traffic', query: { ...query, show: parts.join(',') } }, true);
  };
  const [opened, setOpened] = useState<number | undefined>(undefined);
  const { requests, loss, failure } = useRequests(query, paused);
  const series = useSeries();
  useEffect(() => {
    document.title = 'Traffic';
  }, []);
  return (
    <main>
      <h1>Traffic</h1>
      {series !== undefined && (
        <div class="plots">
          {PLOTS.map(([name, title]) => (
            <Plot key={name} title={title} series={series} name={name} />
          ))}
        </div>
      )}
      <details open={open.has('now')} onToggle={(event) => toggle('now', event.currentTarget.open)}>
        <summary>Now: watches, priority levels, memory, health, version</summary>
        {open.has('now') && <NowView />}
      </details>
      <details open={open.has('controllers')} onToggle={(event) => toggle('controllers', event.currentTarget.open)}>
        <summary>Controllers: queues, last errors, leaders</summary>
        {open.has('controllers') && <ControllersView />}
      </details>
      <div class="tools" role="search">
        {FILTERS.map(([name, label, placeholder]) => (
          <label key={name}>
            {label}
            <input
              name={name}
              value={query[name]}
              placeholder={placeholder}
              onChange={(event) =>
                go({ at: 'traffic', query: { ...query, [name]: event.currentTarget.value.trim() } }, true)
              }
            />
          </label>
        ))}
        <button type="button" aria-pressed={paused} onClick={() => setPaused(!paused)}>
          {paused ? '▶ Go on' : '‖ Pause'}
        </button>
        <span role="status" class="muted">
          {requests.length} shown{paused ? ', paused' : ''}
        </span>
        <span role="status">{loss !== undefined && <NotLive loss={loss} />}</span>
      </div>
      {failure !== undefined && <Failure text={failure} />}
      <div class={staleClass((loss ?? failure) !== undefined)}>
        <PlainTable titles={['Time', 'Verb', 'Path', 'User', 'Code', 'ms', 'Size']}>
          {requests.map((request) => (
            <Row
              key={request.number}
              request={request}
              isOpen={request.number === opened}
              onOpen={() => setOpened(request.number === opened ? undefined : request.number)}
            />
          ))}
        </PlainTable>
      </div>
    </main>
  );
}

function Row({
  request,
  isOpen,
  onOpen,
}: {
  readonly request: RecordedRequest;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}) {
  const { time, verb, path, user, code, ms, bytesOut } = request;
  return (
    <>
      <tr>
        <td title={new Date(time).toISOString()}>{new Date(time).toLocaleTimeString()}</td>
        <td>{verb}</td>
        <td>
          <button type="button" class="plain" aria-expanded={isOpen} onClick={onOpen}>
            {path}
          </button>
        </td>
        <td>{user}</td>
        <td class={code >= 400 ? 'bad' : ''}>
          {code >= 400 ? '✕ ' : ''}
          {code}
        </td>
        <td>{ms}</td>
        <td>{bytesText(bytesOut)}</td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={7}>
            <RequestDetails request={request} />
          </td>
        </tr>
      )}
    </>
  );
}

/** Follows the requests that pass a filter, the newest first. */
function useRequests(query: TrafficQuery, paused: boolean) {
  const [requests, setRequests] = useState<readonly RecordedRequest[]>([]);
  const [loss, setLoss] = useState<Loss | undefined>(undefined);
  const [failure, setFailure] = useState<string | undefined>(undefined);
  const isPaused = useRef(paused);
  isPaused.current = paused;
  useEffect(() => {
    const leaving = new AbortController();
    const waiting = new Batches<RecordedRequest>(browserClock, DRAW_MS, MOST, (newest) =>
      setRequests((before) => [...newest.toReversed(), ...before].slice(0, MOST)),
    );
    let isOther = false;
    const seen = (more: readonly RecordedRequest[], isNew: boolean): void => {
      isOther ||= isNew;
      // A list that is paused stays as it is, also when its stream ends, or its server.
      if (isPaused.current) return;
      if (isOther) {
        waiting.clear();
        setRequests([]);
      }
      isOther = false;
      waiting.add(more);
    };
    setRequests([]);
    setLoss(undefined);
    setFailure(undefined);
    const opened = api.value;
    if (opened === undefined) return;
    const followed = new FollowedRequests(opened, query, seen);
    const follow = (works: () => void, signal: AbortSignal): Promise<'ended'> => followed.follow(signal, works);
    const { signal } = leaving;
    persist(follow, { clock: browserClock, sight, signal, lost: setLoss }).catch((error: unknown) =>
      setFailure(wordsOf(error)),
    );
    return () => {
      leaving.abort();
      waiting.clear();
    };
  }, [query.verb, query.user, query.code, query.path, api.value]);
  return { requests, loss, failure };
}

/** Reads the last hour again and again. */
function useSeries(): Series | undefined {
  const [series, setSeries] = useState<Series | undefined>(undefined);
  useRepeated(
    SERIES_MS,
    async (opened, signal) => setSeries(await readSeries(opened, signal)),
    // The table says what failed.
    () => undefined,
  );
  return series;
}
