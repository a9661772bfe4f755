import { useEffect, useState } from 'preact/hooks';
import type { UntypedObject } from '../../../entries/client-web.js';
import { wordsOf } from '../data/api.js';
import type { Dependant } from '../../answers.js';
import { ownersOf, placeOfOwner, readRelated, type Related } from '../data/related.js';
import { AsOf, useReading } from '../parts/as-of.js';
import { inPage } from '../parts/keys.js';
import { api, go, hrefOf, kinds } from '../state.js';
import { Failure } from '../parts/failure.js';

/** The owners and the dependants of an object, as a tree. */
export function RelatedTab({ object }: { readonly object: UntypedObject }) {
  const { uid = '', namespace, name } = object.metadata;
  const owners = ownersOf(object);
  const reading = useReading(object);
  return (
    <>
      <AsOf reading={reading} />
      <ul class="tree" aria-label="Owners and dependants">
        {owners.map((owner) => (
          <li key={owner.uid}>
            <Place {...placeOfOwner(owner, namespace, kinds.value)} />{' '}
            <span class="muted">{owner.controller === true ? 'owner, its controller' : 'owner'}</span>
          </li>
        ))}
        <li>
          <b>
            {object.kind} {name}
          </b>
          <Dependants uid={uid} depth={0} turn={reading.turn} />
        </li>
      </ul>
    </>
  );
}

/** Levels of dependants that are read without being asked for. */
const OPEN_LEVELS = 2;

/** A level of the tree. */
interface Level {
  readonly depth: number;
  /** The number of the reading. */
  readonly turn: number;
}

/** The dependants of an object, and theirs. */
function Dependants({ uid, depth, turn }: { readonly uid: string } & Level) {
  const found = useRelated(uid, turn);
  if (typeof found === 'string') return <Failure text={found} />;
  if (found === undefined) return <span class="muted"> …</span>;
  if (found.dependants.length === 0 && found.hidden === 0)
    return depth === 0 ? <p class="muted">No object names it as an owner.</p> : null;
  return (
    <ul>
      {found.dependants.map((dependant) => (
        <DependantItem key={dependant.uid} dependant={dependant} depth={depth} turn={turn} />
      ))}
      {found.hidden > 0 && <li class="muted">{found.hidden} more, which you may not see</li>}
      {!found.complete && <li class="muted">… and more</li>}
    </ul>
  );
}

function DependantItem({ dependant, depth, turn }: { readonly dependant: Dependant } & Level) {
  const [open, setOpen] = useState(depth + 1 < OPEN_LEVELS);
  return (
    <li>
      <button
        type="button"
        class="plain"
        aria-expanded={open}
        aria-label="Its dependants"
        onClick={() => setOpen(!open)}
      >
        {open ? '▾' : '▸'}
      </button>{' '}
      <Place {...dependant} />
      {open && <Dependants uid={dependant.uid} depth={depth + 1} turn={turn} />}
    </li>
  );
}

/**
 * The dependants of an object; undefined while they are read first, and a text when they cannot be.
 *
 * @param turn another one reads them again
 */
export function useRelated(uid: string, turn = 0): Related | string | undefined {
  const [found, setFound] = useState<Related | string | undefined>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    const opened = api.value;
    if (opened !== undefined)
      readRelated(opened, uid, leaving.signal).then(
        setFound,
        (error: unknown) => leaving.signal.aborted || setFound(wordsOf(error)),
      );
    return () => leaving.abort();
  }, [uid, turn]);
  return found;
}

type PlaceProps = Pick<Dependant, 'group' | 'version' | 'kind' | 'resource' | 'namespace' | 'name'>;

/** A link to an object. */
function Place({ group, version, kind, resource: plural, namespace, name }: PlaceProps) {
  const address = { at: 'object', group, version, plural, name, tab: 'yaml' } as const;
  const to = { ...address, namespace: namespace === '' ? undefined : namespace };
  return (
    <a href={hrefOf(to)} onClick={inPage(() => go(to))}>
      {kind} {name}
    </a>
  );
}
