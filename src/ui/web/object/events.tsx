import { useState } from 'preact/hooks';
import type { UntypedObject } from '../../../entries/client-web.js';
import type { Api } from '../data/api.js';
import { textOf } from '../data/guards.js';
import type { Loss } from '../data/loss.js';
import { NotLive } from '../parts/not-live.js';
import { PlainTable } from '../parts/plain-table.js';
import { Failure } from '../parts/failure.js';
import { useRepeated } from '../parts/use-repeated.js';

/** The most events that are read. */
const MOST = 200;
/** How often they are read, in milliseconds. */
const READ_MS = 5000;

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
  const { events, loss } = useEvents(object);
  return (
    <>
      {events === undefined && (loss === undefined ? <p class="muted">Loading…</p> : <Failure text={loss.words} />)}
      <div role="status">{events !== undefined && loss !== undefined && <NotLive loss={loss} />}</div>
      {events?.length === 0 && <p class="muted">The object has no events.</p>}
      {events !== undefined && events.length > 0 && (
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
      )}
    </>
  );
}

/** Reads the events of an object again and again: many come without a change of the object, such as those of a scheduler. */
function useEvents({ metadata: { uid, namespace } }: UntypedObject) {
  const [events, setEvents] = useState<readonly ShownEvent[] | undefined>(undefined);
  const [loss, setLoss] = useState<Loss | undefined>(undefined);
  const read = async ({ client }: Api, signal: AbortSignal): Promise<void> => {
    const resource = client.resource({ apiVersion: 'v1', kind: 'Event' });
    const scoped = namespace === undefined ? resource : resource.namespace(namespace);
    const { items } = await scoped.list({ fieldSelector: `involvedObject.uid=${uid}`, limit: MOST, signal });
    setEvents(items.map(shownEvent).sort(newestFirst));
    setLoss(undefined);
  };
  useRepeated(READ_MS, read, setLoss);
  return { events, loss };
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
