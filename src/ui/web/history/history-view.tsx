import { useEffect, useRef, useState } from 'preact/hooks';
import { changesBetween, comparedParts, type FieldChange, type ObjectVersion } from '../../../foundation/index.js';
import type { UntypedObject } from '../../../entries/client-web.js';
import { wordsOf } from '../data/api.js';
import { valueAt, withFields } from '../data/changes.js';
import { otherObject, readHistory, readNewest, type History } from '../data/history.js';
import type { PageKind } from '../data/kinds.js';
import type { ObjectPlace, ShownParts } from '../object/object-view.js';
import { PlainTable } from '../parts/plain-table.js';
import { isTyping } from '../parts/keys.js';
import { shownValue } from '../parts/shown-value.js';
import { api, info } from '../state.js';
import { Failure } from '../parts/failure.js';

interface HistoryProps {
  readonly place: ObjectPlace;
  /** Its newest state. */
  readonly object: UntypedObject;
  /** Whether it exists: a deleted object has a history, but nothing can be restored. */
  readonly gone: boolean;
  /** The versions, or the other object, that the address names. */
  readonly shown: ShownParts;
  readonly onShow: (shown: ShownParts) => void;
  readonly onRestore: (draft: UntypedObject) => void;
}

/** The versions of an object that the server still has: who wrote each, and what it changed. */
export function HistoryView({ place, object, gone, shown: parts, onShow, onRestore }: HistoryProps) {
  const [history, setHistory] = useState<History | undefined>(undefined);
  const [failure, setFailure] = useState<string | undefined>(undefined);
  const newest = object.metadata.resourceVersion ?? '';
  useEffect(() => {
    const leaving = new AbortController();
    const opened = api.value;
    if (opened !== undefined)
      readHistory(opened, { ...place, newest }, leaving.signal).then(
        (read) => {
          setHistory(read);
          setFailure(undefined);
        },
        (error: unknown) => leaving.signal.aborted || setFailure(wordsOf(error)),
      );
    return () => leaving.abort();
  }, [newest, gone]);
  const versions = history?.versions ?? [];
  const { other: otherName } = parts;
  const { against, named } = comparedIn(parts.past, parts.diff);
  const found = placeOf(versions, named, against);
  const index = found < 0 ? versions.length - 1 : found;
  /** @param compared what it is compared with; undefined for the same as now */
  const show = (to: number, compared?: string): void => {
    const version = versions[Math.min(versions.length - 1, Math.max(0, to))]?.version;
    if (version === undefined) return;
    const beside = compared ?? against;
    if (otherName !== undefined && compared === undefined) onShow({ past: version, other: otherName });
    else if (beside === 'previous') onShow({ past: version });
    else onShow({ diff: beside === 'now' ? `${version}..now` : `${beside}..${version}` });
  };
  useVersionKeys(
    () => show(index - 1),
    () => show(index + 1),
  );
  if (failure !== undefined) return <Failure text={failure} />;
  const shown = versions[index];
  if (history === undefined) return <p class="muted">Loading…</p>;
  if (shown === undefined) return <p class="muted">The server has no version of the object.</p>;
  const other =
    against === 'now'
      ? versions.at(-1)
      : against === 'previous'
        ? versions[index - 1]
        : versions.find(({ version }) => version === against);
  const isLost = (version: string): boolean => Number(version) > 0 && placeOf(versions, version, against) < 0;
  const lost = [named, against].filter((version) => version !== undefined && isLost(version));
  return (
    <>
      <label class="slider">
        Version {shown.version}
        <input
          type="range"
          min={0}
          max={versions.length - 1}
          value={index}
          aria-valuetext={`${shown.version}, ${describe(shown)}`}
          onInput={(event) => show(Number(event.currentTarget.value))}
        />
        <span class="muted">history begins at version {history.since}</span>
      </label>
      <div class="tools">
        <label>
          Compare with{' '}
          <select
            value={otherName === undefined ? against : ''}
            onChange={(event) => show(index, event.currentTarget.value)}
          >
            {otherName !== undefined && <option value="">another object</option>}
            <option value="previous">the previous version</option>
            <option value="now">the newest version</option>
            {versions.map(({ version }) => (
              <option key={version} value={version}>
                version {version}
              </option>
            ))}
          </select>
        </label>
        <OtherField
          kind={place.kind}
          value={otherName ?? ''}
          onChange={(other) => onShow({ past: shown.version, ...(other === '' ? {} : { other }) })}
        />
        <button
          type="button"
          disabled={gone || info.value.readOnly || index === versions.length - 1}
          onClick={() => onRestore(restored(object, shown.object))}
        >
          Restore these fields…
        </button>
      </div>
      <div class="history">
        <Versions versions={versions} index={index} onShow={show} />
        {lost.length > 0 ? (
          <Failure text={`The server no longer has version ${lost.join(' and ')} of the object.`} />
        ) : otherName !== undefined ? (
          <OtherDiff key={otherName} kind={place.kind} shown={shown} name={otherName} />
        ) : (
          <Diff shown={shown} other={other} isOlder={against !== 'now'} />
        )}
      </div>
    </>
  );
}

/** Names another object to compare with. */
function OtherField({
  kind,
  value,
  onChange,
}: {
  readonly kind: PageKind;
  readonly value: string;
  readonly onChange: (other: string) => void;
}) {
  return (
    <label>
      or with another {kind.kind}{' '}
      <input
        value={value}
        placeholder={kind.namespaced ? 'NAMESPACE/NAME' : 'NAME'}
        onChange={(event) => onChange(event.currentTarget.value.trim())}
      />
    </label>
  );
}

/** The differences to the newest version of another object of the kind. */
function OtherDiff({
  kind,
  shown,
  name,
}: {
  readonly kind: PageKind;
  readonly shown: ObjectVersion<UntypedObject>;
  readonly name: string;
}) {
  const [read, setRead] = useState<ObjectVersion<UntypedObject> | undefined>(undefined);
  const [failure, setFailure] = useState<string | undefined>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    const opened = api.value;
    const other = otherObject(name, kind.namespaced);
    if (other === undefined) setFailure(`${name} is not a name: ${kind.namespaced ? 'NAMESPACE/NAME' : 'NAME'}`);
    else if (opened !== undefined)
      readNewest(opened, kind, other, leaving.signal).then(setRead, (error: unknown) =>
        leaving.signal.aborted ? undefined : setFailure(wordsOf(error)),
      );
    return () => leaving.abort();
  }, []);
  if (failure !== undefined) return <Failure text={failure} />;
  if (read === undefined) return <p class="muted">Loading…</p>;
  return <Diff shown={{ ...read, version: `${name} at ${read.version}` }} other={shown} isOlder />;
}

/**
 * Returns the place of a version; -1 for one that the server no longer has. The state of the store at a version has the
 * version of the object before it.
 */
const placeOf = (
  versions: readonly ObjectVersion<UntypedObject>[],
  named: string | undefined,
  against: string,
): number =>
  versions.findLastIndex(({ version }) =>
    against === 'previous' ? Number(version) <= Number(named) : version === named,
  );

/**
 * Returns the version that an address shows, and the one beside it: `previous`, `now`, or a version.
 *
 * @param diff `A..B`: B beside A, or A beside the newest version
 */
function comparedIn(at: string | undefined, diff: string | undefined) {
  const [, from = '', to = ''] = /^(\d+)\.\.(\d+|now)$/.exec(diff ?? '') ?? [];
  if (from === '') return { against: 'previous', named: at };
  return to === 'now' ? { against: to, named: from } : { against: from, named: to };
}

function Versions({
  versions,
  index,
  onShow,
}: {
  readonly versions: readonly ObjectVersion<UntypedObject>[];
  readonly index: number;
  readonly onShow: (index: number) => void;
}) {
  return (
    <ol class="versions" aria-label="Versions, the newest first">
      {versions
        .map((version, at) => (
          <li key={version.version}>
            <button type="button" aria-pressed={at === index} onClick={() => onShow(at)}>
              <b>{version.version}</b> {describe(version)}
            </button>
          </li>
        ))
        .reverse()}
    </ol>
  );
}

function describe({ type, managers, time }: ObjectVersion<UntypedObject>): string {
  const when = time === undefined ? '' : new Date(time).toLocaleString();
  return [type === 'before' ? 'before the history' : type, managers.join(', '), when]
    .filter((part) => part !== '')
    .join(' · ');
}

function Diff({
  shown,
  other,
  isOlder,
}: {
  readonly shown: ObjectVersion<UntypedObject>;
  readonly other: ObjectVersion<UntypedObject> | undefined;
  readonly isOlder: boolean;
}) {
  if (other === undefined) return <p class="muted">There is no version before this one.</p>;
  const [left, right] = isOlder ? [other, shown] : [shown, other];
  const changes = changesBetween(comparedParts(left), comparedParts(right));
  if (changes.length === 0) return <p class="muted">Both versions have the same fields.</p>;
  return (
    <div class="diff">
      <PlainTable titles={['Field', left.version, right.version]}>
        {changes.map(({ path, before, after }) => (
          <tr key={path.join('.')}>
            <th scope="row">{path.join('.')}</th>
            <td class={before === undefined ? '' : 'removed'}>
              {before === undefined ? '' : `− ${shownValue(before)}`}
            </td>
            <td class={after === undefined ? '' : 'added'}>{after === undefined ? '' : `+ ${shownValue(after)}`}</td>
          </tr>
        ))}
      </PlainTable>
    </div>
  );
}

/** Returns an object with the fields of a former version: all but what the server, or a controller, sets. */
function restored(now: UntypedObject, former: UntypedObject): UntypedObject {
  const changes = changesBetween(now, former).filter(({ path: [first = '', second = ''] }: FieldChange) =>
    first === 'metadata' ? second === 'labels' || second === 'annotations' : first !== 'status',
  );
  return withFields(
    now,
    changes.map(({ path }) => ({ path, value: valueAt(former, path) })),
  );
}

/** The keys of a history: an older, a newer version. */
function useVersionKeys(older: () => void, newer: () => void): void {
  const current = useRef({ older, newer });
  current.current = { older, newer };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event) || (event.key !== '[' && event.key !== ']')) return;
      event.preventDefault();
      if (event.key === '[') current.current.older();
      else current.current.newer();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
