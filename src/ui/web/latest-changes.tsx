import { useEffect, useState } from 'preact/hooks';
import { Batches } from './data/batches.js';
import { browserClock } from './data/clock.js';
import type { Loss } from './data/loss.js';
import { persist } from './data/persist.js';
import { followWrites, keyOf, newestOf, type ShownWrite } from './data/writes.js';
import { ClockTime } from './parts/clock-time.js';
import { NotLive, staleClass } from './parts/not-live.js';
import { ObjectLink, placeText } from './parts/object-link.js';
import { api, kindAt, sight } from './state.js';

/** The most changes that are shown. */
const MOST = 20;
/** Shortest time between two drawings, in milliseconds. */
const DRAW_MS = 500;

/** The newest writes of objects: which, when, and by which manager. Nothing for a user who may not read them. */
export function LatestChanges() {
  const { writes, loss } = useWrites();
  if (writes === undefined) return null;
  return (
    <section aria-label="Latest changes" class="changes">
      <h2>Latest changes</h2>
      <div role="status">{loss !== undefined && <NotLive loss={loss} />}</div>
      {writes.length === 0 && <p class="muted">Nothing has changed since the page was first opened on this server.</p>}
      <ol class={staleClass(loss !== undefined)}>
        {writes.map((write) => (
          <Change key={keyOf(write)} write={write} />
        ))}
      </ol>
    </section>
  );
}

const SIGNS: ReadonlyMap<string, string> = new Map([
  ['create', '+ created'],
  ['update', '~ changed'],
  ['delete', '⊘ deleted'],
]);

function Change({ write }: { readonly write: ShownWrite }) {
  const { time, type, group, resource, namespace, name, manager } = write;
  const kind = kindAt(group, resource);
  return (
    <li>
      <ClockTime at={time} /> {SIGNS.get(type)} {kind?.kind ?? resource}{' '}
      {kind === undefined || type === 'delete' ? (
        placeText(namespace, name)
      ) : (
        <ObjectLink kind={kind} {...{ namespace, name }} />
      )}
      {manager !== '' && <span class="muted"> by {manager}</span>}
    </li>
  );
}

/** Follows the newest writes. They are undefined before they are read, and for a user who may not read them. */
function useWrites() {
  const [writes, setWrites] = useState<readonly ShownWrite[] | undefined>(undefined);
  const [loss, setLoss] = useState<Loss | undefined>(undefined);
  useEffect(() => {
    const opened = api.value;
    if (opened === undefined) return;
    const leaving = new AbortController();
    const later = new Batches<ShownWrite>(browserClock, DRAW_MS, MOST, (more) =>
      setWrites((before = []) => newestOf(before, more, MOST)),
    );
    const follow = (works: () => void, signal: AbortSignal): Promise<'ended'> => {
      let isRead = false;
      return followWrites(opened, MOST, signal, (more) => {
        if (isRead) return later.add(more);
        // Those of before may be those of another server.
        isRead = true;
        later.clear();
        setWrites(newestOf([], more, MOST));
        works();
      });
    };
    const { signal } = leaving;
    persist(follow, { clock: browserClock, sight, signal, lost: setLoss }).catch(() => setWrites(undefined));
    return () => {
      leaving.abort();
      later.clear();
    };
  }, [api.value]);
  return { writes, loss };
}
