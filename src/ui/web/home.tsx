import { useEffect, useState } from 'preact/hooks';
import { NeedsAttention } from './attention.js';
import { codeOf, wordsOf } from './data/api.js';
import type { Loss } from './data/loss.js';
import { NO_QUERY } from './data/address.js';
import { browserClock } from './data/clock.js';
import { countKinds } from './data/counts.js';
import type { PageKind } from './data/kinds.js';
import { persist } from './data/persist.js';
import { LatestChanges } from './latest-changes.js';
import { inPage } from './parts/keys.js';
import { NotLive, staleClass } from './parts/not-live.js';
import { api, go, hrefOf, kinds, sight } from './state.js';

/** All kinds by group, with the numbers of their objects, what needs attention, and the latest changes. */
export function Home() {
  const { counts, loss, refused } = useCounts();
  const groups = grouped(kinds.value);
  return (
    <main class="home">
      <div>
        <h1>Kinds</h1>
        <p role="status" class="warn">
          {loss !== undefined && <NotLive what="The numbers are" loss={loss} />}
          {refused !== undefined && `▲ The numbers are not live: ${refused}`}
        </p>
        <div class={staleClass(loss !== undefined || refused !== undefined, 'groups')}>
          {[...groups].map(([group, members]) => (
            <section key={group} aria-label={group === '' ? 'core' : group}>
              <h2>{group === '' ? 'core' : group}</h2>
              <ul>
                {members.map((kind) => (
                  <Entry key={kind.plural} kind={kind} count={counts.get(kind)} />
                ))}
              </ul>
            </section>
          ))}
        </div>
      </div>
      <div class="beside">
        <NeedsAttention />
        <LatestChanges />
      </div>
    </main>
  );
}

/** Follows the numbers of objects. `loss` and `refused` say why they may be old. */
function useCounts() {
  const [counts, setCounts] = useState<ReadonlyMap<PageKind, string>>(new Map());
  const [loss, setLoss] = useState<Loss | undefined>(undefined);
  const [refused, setRefused] = useState<string | undefined>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    const opened = api.value;
    document.title = 'Kinds';
    setRefused(undefined);
    if (opened === undefined) return;
    const count = (works: () => void, signal: AbortSignal) =>
      countKinds(opened, kinds.value, signal, (kind, count) => {
        works();
        const text = typeof count === 'number' ? String(count) : codeOf(count) === 403 ? 'not allowed' : '–';
        setCounts((before) => new Map(before).set(kind, text));
      });
    const { signal } = leaving;
    persist(count, { clock: browserClock, sight, signal, lost: setLoss }).catch((error: unknown) =>
      setRefused(wordsOf(error)),
    );
    return () => leaving.abort();
  }, [kinds.value, api.value]);
  return { counts, loss, refused };
}

function Entry({ kind, count }: { readonly kind: PageKind; readonly count: string | undefined }) {
  const { group, version, plural } = kind;
  const to = { at: 'table', group, version, plural, query: NO_QUERY } as const;
  return (
    <li>
      <a href={hrefOf(to)} onClick={inPage(() => go(to))}>
        {kind.kind}
      </a>
      <span class="muted">{count ?? '…'}</span>
    </li>
  );
}

function grouped(all: readonly PageKind[]): Map<string, PageKind[]> {
  const groups = new Map<string, PageKind[]>();
  for (const kind of all) groups.set(kind.group, [...(groups.get(kind.group) ?? []), kind]);
  return groups;
}
