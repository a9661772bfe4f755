import { useEffect, useState } from 'preact/hooks';
import type { UntypedObject } from '../../../entries/client-web.js';
import { NO_QUERY, TABS, type Tab } from '../data/address.js';
import { draftKeyOf } from '../data/drafts.js';
import { apiVersionOf, type PageKind } from '../data/kinds.js';
import { isTyping } from '../parts/keys.js';
import { lateView } from '../parts/late-view.js';
import { NotLive, staleClass } from '../parts/not-live.js';
import { drafts, go, info } from '../state.js';
import { Actions } from './actions.js';
import { Conditions } from './conditions.js';
import { DeleteDialog } from './delete-dialog.js';
import { Events } from './events.js';
import { RelatedTab } from './related.js';
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
  related: 'Related',
  graph: 'Graph',
  history: 'History',
  decoded: 'Decoded',
  edit: 'Edit',
  form: 'Form',
};

/** The parts of an address that say what a tab shows. See `Route`. */
export interface ShownParts {
  readonly past?: string | undefined;
  readonly diff?: string | undefined;
  readonly other?: string | undefined;
  readonly line?: string | undefined;
}

/** These load when they are opened. */
const EditTab = lateView(() => import('./edit.js').then(({ Edit }) => Edit));
const HistoryTab = lateView(() => import('../history/history-view.js').then(({ HistoryView }) => HistoryView));

const DecodedTab = lateView(() => import('../decode/decoded-view.js').then(({ DecodedView }) => DecodedView));
const GraphTab = lateView(() => import('../graph/graph-view.js').then(({ GraphView }) => GraphView));

/** An object, live. */
export function ObjectView({
  kind,
  namespace,
  name,
  tab,
  shown,
}: ObjectPlace & { readonly tab: Tab; readonly shown: ShownParts }) {
  const place = { kind, namespace, name };
  const isSecret = kind.group === '' && kind.kind === 'Secret';
  const [unmasked, setUnmasked] = useState(!isSecret);
  const [deleting, setDeleting] = useState(false);
  const [draft, setDraft] = useState<UntypedObject | undefined>(undefined);
  const live = useLiveObject(place, unmasked ? 'whole' : 'metadata');
  const { group, version, plural } = kind;
  const address = { at: 'object', group, version, plural, namespace, name } as const;
  const show = (to: Tab): void => {
    setDraft(undefined);
    go({ ...address, tab: to }, true);
  };
  const restore = (restored: UntypedObject): void => {
    show('edit');
    setDraft(restored);
  };
  const back = (): void => go({ at: 'table', group, version, plural, query: NO_QUERY });
  useEffect(() => {
    document.title = `${name} · ${kind.kind}`;
  }, []);
  useObjectKeys({ back, show, askToDelete: () => setDeleting(true) });
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
        {live.object !== undefined && !live.gone && !info.value.readOnly && (
          <Actions kind={kind} object={live.object} />
        )}
        {!info.value.readOnly && (
          <button type="button" class="danger" disabled={live.object === undefined} onClick={() => setDeleting(true)}>
            Delete…
          </button>
        )}
      </div>
      {live.missing && !info.value.readOnly && <DraftOfMissing place={place} />}
      <Tabs tab={tab} onShow={show} />
      <div
        role="tabpanel"
        id="tab-panel"
        aria-labelledby={`tab-${tab}`}
        // A draft does not come from the server.
        class={staleClass(isStale(live) && tab !== 'edit' && tab !== 'form')}
      >
        {live.object !== undefined && (
          <Panel
            {...{ tab, place, unmasked, draft, shown }}
            object={live.object}
            gone={live.gone}
            onShow={(to) => go({ ...address, tab, ...to }, true)}
            onRestore={restore}
          />
        )}
      </div>
      {deleting && live.object !== undefined && (
        <DeleteDialog place={place} object={live.object} onClose={() => setDeleting(false)} />
      )}
    </main>
  );
}

/** Shows the draft of an object that does not exist any more, as when the server has another store. */
function DraftOfMissing({ place: { kind, namespace, name } }: { readonly place: ObjectPlace }) {
  const [draft, setDraft] = useState(() => drafts.ofOther(draftKeyOf(kind, namespace, name)));
  // The values of a Secret are not shown before somebody asks.
  const [isShown, setShown] = useState(false);
  if (draft === undefined) return null;
  const discard = (): void => {
    drafts.drop(draft.key);
    setDraft(undefined);
  };
  return (
    <section aria-label="Your draft">
      <p class="warn">▲ You have a draft of it, which is kept until you discard it.</p>
      {isShown && <pre tabIndex={0}>{draft.text}</pre>}
      <div class="tools">
        <button type="button" disabled={isShown} onClick={() => setShown(true)}>
          Show its text
        </button>
        <button type="button" class="danger" onClick={discard}>
          Discard it
        </button>
      </div>
    </section>
  );
}

/** The keys of the page of an object. Those that write are off where the page can only read. */
function useObjectKeys({ back, show, askToDelete }: ObjectKeys): void {
  useEffect(() => {
    const writing: [string, () => void][] = [
      ['e', () => show('edit')],
      ['f', () => show('form')],
      ['d', askToDelete],
    ];
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event)) return;
      const actions = new Map([
        ['Escape', back],
        ['y', () => show('yaml')],
        ['h', () => show('history')],
        ['o', () => show('related')],
        ['g', () => show('graph')],
        ...(info.value.readOnly ? [] : writing),
      ]);
      const action = actions.get(event.key);
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** The actions of the keys. */
interface ObjectKeys {
  readonly back: () => void;
  readonly show: (to: Tab) => void;
  readonly askToDelete: () => void;
}

/** Chooses a part of the object. */
function Tabs({ tab, onShow }: { readonly tab: Tab; readonly onShow: (to: Tab) => void }) {
  return (
    <div role="tablist" aria-label="Parts of the object">
      {TABS.filter((each) => !info.value.readOnly || (each !== 'edit' && each !== 'form')).map((each) => (
        <button
          key={each}
          id={`tab-${each}`}
          type="button"
          role="tab"
          aria-selected={each === tab}
          aria-controls="tab-panel"
          onClick={() => onShow(each)}
        >
          {TITLES[each]}
        </button>
      ))}
    </div>
  );
}

/** Whether the state of an object may be an old one. */
const isStale = ({ gone, loss, failure }: LiveObject): boolean => !gone && (loss ?? failure) !== undefined;

function State({ live }: { readonly live: LiveObject }) {
  const { object, gone, loss, failure } = live;
  if (!gone && loss !== undefined)
    return (
      <div role="status">
        <NotLive loss={loss} />
      </div>
    );
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

/** The properties of a part of an object's page. */
interface PanelProps {
  readonly tab: Tab;
  readonly place: ObjectPlace;
  readonly object: UntypedObject;
  readonly gone: boolean;
  readonly unmasked: boolean;
  /** The object that the editor begins with instead; undefined for the object itself. */
  readonly draft: UntypedObject | undefined;
  readonly shown: ShownParts;
  readonly onShow: (shown: ShownParts) => void;
  readonly onRestore: (draft: UntypedObject) => void;
}

function Panel({ tab, place, object, gone, unmasked, draft, shown, onShow, onRestore }: PanelProps) {
  if (tab === 'yaml')
    return <YamlView object={object} masked={!unmasked} marked={shown.line} onMark={(line) => onShow({ line })} />;
  if (tab === 'conditions') return <Conditions object={object} />;
  if (tab === 'events') return <Events object={object} />;
  if (tab === 'related') return <RelatedTab object={object} />;
  if (tab === 'graph') return <GraphTab kind={place.kind} object={object} />;
  if (!unmasked) return <p>The values of a Secret have to be shown before this part can be.</p>;
  // One draft, whichever of the two shows it. An object that is made again while it is edited has another.
  if (tab === 'edit' || tab === 'form')
    return <EditTab key={object.metadata.uid} {...{ place, object, draft }} asForm={tab === 'form'} />;
  if (tab === 'decoded') return <DecodedTab object={object} />;
  return <HistoryTab {...{ place, object, gone, shown, onShow, onRestore }} />;
}
