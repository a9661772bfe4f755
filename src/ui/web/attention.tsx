import { useState } from 'preact/hooks';
import type { Concern } from '../answers.js';
import { codeOf } from './data/api.js';
import { concernGroups, readAttention, type Attention, type ConcernGroup } from './data/attention.js';
import type { Loss } from './data/loss.js';
import { NotLive } from './parts/not-live.js';
import { ObjectLink, placeText } from './parts/object-link.js';
import { useRepeated } from './parts/use-repeated.js';
import { kindAt } from './state.js';

/** How often the server is asked, in milliseconds. */
const PAUSE_MS = 10_000;
/** The most objects of a group that are shown without being asked for. */
const MOST_OPEN = 3;

/** The objects that need attention, the gravest first. Nothing for a user who may not ask. */
export function NeedsAttention() {
  const { attention, loss } = useAttention();
  if (attention === undefined) return null;
  const { items, more, complete } = attention;
  return (
    <section aria-label="Needs attention" class="changes">
      <h2>Needs attention</h2>
      <div role="status">{loss !== undefined && <NotLive loss={loss} />}</div>
      {items.length === 0 && <p class="ok">✓ Nothing{complete ? '' : ' among the objects that were looked at'}.</p>}
      {concernGroups(items).map((group) => (
        <Group key={`${group.sign} ${group.kind}`} group={group} />
      ))}
      {more > 0 && <p class="muted">… and {more} more</p>}
      {!complete && items.length > 0 && <p class="muted">There are more objects than the server looks at.</p>}
    </section>
  );
}

const SIGNS: Readonly<Record<Concern['sign'], readonly [sign: string, look: string, words: string]>> = {
  failed: ['✕', 'bad', 'failing'],
  deleting: ['⊘', 'bad', 'in deletion'],
  warning: ['▲', 'warn', 'with a warning'],
};

/** Objects of one kind; many of them are folded. */
function Group({ group: { kind, sign, items } }: { readonly group: ConcernGroup }) {
  const list = (
    <ul>
      {items.map((item) => (
        <Item key={placeText(item.namespace, item.name)} item={item} />
      ))}
    </ul>
  );
  if (items.length <= MOST_OPEN) return list;
  const [shape, look, words] = SIGNS[sign];
  return (
    <details>
      <summary>
        <span class={look}>{shape}</span> {items.length} {kind} {words}
      </summary>
      {list}
    </details>
  );
}

function Item({ item: { group, kind, resource, namespace, name, sign, words, since } }: { readonly item: Concern }) {
  const known = kindAt(group, resource);
  const [shape, look] = SIGNS[sign];
  return (
    <li>
      <span class={look}>{shape}</span> {kind}{' '}
      {known === undefined ? placeText(namespace, name) : <ObjectLink kind={known} {...{ namespace, name }} />}{' '}
      <span class="muted" title={since}>
        {words}
      </span>
    </li>
  );
}

function useAttention() {
  const [attention, setAttention] = useState<Attention | undefined>(undefined);
  const [loss, setLoss] = useState<Loss | undefined>(undefined);
  useRepeated(
    PAUSE_MS,
    async (opened, signal) => {
      const read = await readAttention(opened, signal).catch((error: unknown) => {
        if (codeOf(error) === 403 || codeOf(error) === 404) return undefined;
        throw error;
      });
      setAttention(read);
      setLoss(undefined);
    },
    setLoss,
  );
  return { attention, loss };
}
