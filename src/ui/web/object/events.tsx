import { useEffect, useState } from 'preact/hooks';
import type { UntypedObject } from '../../../entries/client-web.js';
import { wordsOf } from '../data/api.js';
import { textOf } from '../data/guards.js';
import { api } from '../state.js';
import { PlainTable } from '../parts/plain-table.js';
import { Failure } from '../parts/failure.js';

/** The most events that are read. */
const MOST = 200;

/** The parts of an event that are shown. */
interface ShownEvent {
  readonly uid: string | undefined;
  readonly time: string;
  readonly type: string | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly count: number;
}

/** The events of an object, the newest first. */
export function Events({ object }: { readonly object: UntypedObject }) {
  const [events, setEvents] = useState<readonly ShownEvent[] | undefined>(undefined);
  const [failure, setFailure] = useState<string | undefined>(undefined);
  const { uid, namespace } = object.metadata;
  useEffect(() => {
    const leaving = new AbortController();
    const resource = api.value?.client.resource({ apiVersion: 'v1', kind: 'Event' });
    const scoped = namespace === undefined ? resource : resource?.namespace(namespace);
    scoped
      ?.list({ fieldSelector: `involvedObject.uid=${uid}`, limit: MOST, signal: leaving.signal })
      .then(({ items }) => setEvents(items.map(shownEvent).sort(newestFirst)))
      .catch((error: unknown) => leaving.signal.aborted || setFailure(wordsOf(error)));
    return () => leaving.abort();
  }, [uid, object.metadata.resourceVersion]);
  if (failure !== undefined) return <Failure text={failure} />;
  if (events === undefined) return <p class="muted">Loading…</p>;
  if (events.length === 0) return <p class="muted">The object has no events.</p>;
  return (
    <PlainTable titles={['Time', 'Type', 'Reason', 'Message', 'Count']}>
      {events.map((event) => (
        <tr key={event.uid}>
          <td title={event.time}>{new Date(event.time).toLocaleString()}</td>
          <td>{event.type === 'Warning' ? '▲ Warning' : event.type}</td>
          <td>{event.reason}</td>
          <td>{event.message}</td>
          <td>{event.count}</td>
        </tr>
      ))}
    </PlainTable>
  );
}

function shownEvent({ metadata, ...sent }: UntypedObject): ShownEvent {
  const { type, reason, message, count, lastTimestamp } = sent;
  return {
    uid: metadata.uid,
    time: textOf(lastTimestamp) ?? metadata.creationTimestamp ?? '',
    type: textOf(type),
    reason: textOf(reason),
    message: textOf(message),
    count: typeof count === 'number' ? count : 1,
  };
}

const newestFirst = (a: ShownEvent, b: ShownEvent): number => b.time.localeCompare(a.time);
