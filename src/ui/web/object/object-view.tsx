import { useEffect, useState } from 'preact/hooks';
import { NO_QUERY, TABS, type Tab } from '../data/address.js';
import { apiVersionOf, type PageKind } from '../data/kinds.js';
import { isTyping } from '../parts/keys.js';
import { api, go } from '../state.js';
import { Conditions } from './conditions.js';
import { DeleteDialog } from './delete-dialog.js';
import { EditTab } from './edit-tab.js';
import { Events } from './events.js';
import { useLiveObject, type LiveObject } from './use-live-object.js';
import { YamlView } from './yaml-view.js';

/** An object, as it is named by an address. */
export interface ObjectPlace {
  readonly kind: PageKind;
  readonly namespace: string | undefined;
  readonly name: string;
}

const TITLES: Readonly<Record<Tab, string>> = {
  yaml: 'YAML',
  conditions: 'Conditions',
  events: 'Events',
  edit: 'Edit',
};

/** An object, live. */
export function ObjectView({ kind, namespace, name, tab }: ObjectPlace & { readonly tab: Tab }) {
  const place = { kind, namespace, name };
  const isSecret = kind.group === '' && kind.kind === 'Secret';
  const [unmasked, setUnmasked] = useState(!isSecret);
  const [deleting, setDeleting] = useState(false);
  const live = useLiveObject(place, unmasked ? 'whole' : 'metadata');
  const { group, version, plural } = kind;
  const show = (to: Tab): void => go({ at: 'object', group, version, plural, namespace, name, tab: to }, true);
  const back = (): void => go({ at: 'table', group, version, plural, query: NO_QUERY });
  useEffect(() => {
    document.title = `${name} · ${kind.kind}`;
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event)) return;
      const actions = new Map([
        ['Escape', back],
        ['y', () => show('yaml')],
        ['e', () => show('edit')],
        ['d', () => setDeleting(true)],
      ]);
      const action = actions.get(event.key);
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <main>
      <h1>
        {kind.kind} {name} <span class="muted">{namespace === undefined ? apiVersionOf(kind) : `· ${namespace}`}</span>
      </h1>
      <State live={live} />
      <div class="tools">
        <button type="button" onClick={back}>
          Back to the table
        </button>
        {!unmasked && (
          <button type="button" onClick={() => setUnmasked(true)}>
            Show the values
          </button>
        )}
        <button type="button" class="danger" disabled={live.object === undefined} onClick={() => setDeleting(true)}>
          Delete…
        </button>
      </div>
      <div role="tablist" aria-label="Parts of the object">
        {TABS.map((each) => (
          <button
            key={each}
            id={`tab-${each}`}
            type="button"
            role="tab"
            aria-selected={each === tab}
            aria-controls="tab-panel"
            onClick={() => show(each)}
          >
            {TITLES[each]}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tab}`}>
        <Panel tab={tab} place={place} live={live} unmasked={unmasked} />
      </div>
      {deleting && live.object !== undefined && (
        <DeleteDialog place={place} object={live.object} onClose={() => setDeleting(false)} />
      )}
    </main>
  );
}

function State({ live }: { readonly live: LiveObject }) {
  const { object, gone, failure } = live;
  return (
    <div role="status">
      {gone && <span class="bad">⊘ deleted; this is its last state</span>}
      {!gone && failure !== undefined && <span class="warn">▲ not live: {failure}</span>}
      {!gone && failure === undefined && object === undefined && (
        <span class="muted">{live.missing ? '○ there is no such object' : '◐ loading'}</span>
      )}
      {!gone && failure === undefined && object !== undefined && (
        <span class="ok">● live at version {object.metadata.resourceVersion}</span>
      )}
    </div>
  );
}

function Panel({
  tab,
  place,
  live,
  unmasked,
}: {
  readonly tab: Tab;
  readonly place: ObjectPlace;
  readonly live: LiveObject;
  readonly unmasked: boolean;
}) {
  const { object } = live;
  if (object === undefined || api.value === undefined) return null;
  if (tab === 'yaml') return <YamlView object={object} masked={!unmasked} />;
  if (tab === 'conditions') return <Conditions object={object} />;
  if (tab === 'events') return <Events object={object} />;
  if (!unmasked) return <p>The values of a Secret have to be shown before it can be edited.</p>;
  return <EditTab place={place} object={object} />;
}
