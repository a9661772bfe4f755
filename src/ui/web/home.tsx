import { useEffect, useState } from 'preact/hooks';
import { codeOf } from './data/api.js';
import { NO_QUERY } from './data/address.js';
import { countKinds } from './data/counts.js';
import type { PageKind } from './data/kinds.js';
import { inPage } from './parts/keys.js';
import { api, go, hrefOf, kinds } from './state.js';

/** All kinds by group, with the numbers of their objects. */
export function Home() {
  const [counts, setCounts] = useState<ReadonlyMap<PageKind, string>>(new Map());
  useEffect(() => {
    const leaving = new AbortController();
    const opened = api.value;
    document.title = 'Kinds';
    if (opened !== undefined)
      void countKinds(opened, kinds.value, leaving.signal, (kind, count) => {
        const text = typeof count === 'number' ? String(count) : codeOf(count) === 403 ? 'not allowed' : '–';
        setCounts((before) => new Map(before).set(kind, text));
      });
    return () => leaving.abort();
  }, [kinds.value]);
  const groups = grouped(kinds.value);
  return (
    <main>
      <h1>Kinds</h1>
      <div class="groups">
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
    </main>
  );
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
