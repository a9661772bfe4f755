import { useState } from 'preact/hooks';
import type { UntypedObject } from '../../../entries/client-web.js';
import { wordsOf } from '../data/api.js';
import { Dialog } from '../parts/dialog.js';
import type { ObjectPlace } from './object-view.js';
import { useRelated } from './related.js';
import { resourceOf } from './use-live-object.js';
import { Failure } from '../parts/failure.js';

const POLICIES = [
  ['Background', 'dependants afterwards'],
  ['Foreground', 'dependants first'],
  ['Orphan', 'dependants stay'],
] as const;

type Policy = (typeof POLICIES)[number][0];

/** Asks before an object is deleted, and says what keeps it. */
export function DeleteDialog({
  place,
  object,
  onClose,
}: {
  readonly place: ObjectPlace;
  readonly object: UntypedObject;
  readonly onClose: () => void;
}) {
  const [policy, setPolicy] = useState<Policy>('Background');
  const [failure, setFailure] = useState<string | undefined>(undefined);
  const { uid, finalizers = [] } = object.metadata;
  const remove = (): void => {
    // The object that was shown, not another one that has taken its name since.
    const preconditions = uid === undefined ? {} : { preconditions: { uid } };
    resourceOf(place)
      ?.delete(place.name, { propagationPolicy: policy, ...preconditions })
      .then(onClose)
      .catch((error: unknown) => setFailure(wordsOf(error)));
  };
  return (
    <Dialog label={`Delete ${place.kind.kind} ${place.name}?`} onClose={onClose}>
      <h1>
        Delete {place.kind.kind} {place.name}?
      </h1>
      {uid !== undefined && <Consequences uid={uid} policy={policy} />}
      {finalizers.length > 0 && <p>It stays until these finalizers are removed: {finalizers.join(', ')}.</p>}
      <label>
        Dependants{' '}
        <select value={policy} onChange={(event) => setPolicy(policyOf(event.currentTarget.value))}>
          {POLICIES.map(([name, meaning]) => (
            <option key={name} value={name}>
              {name}: {meaning}
            </option>
          ))}
        </select>
      </label>
      {failure !== undefined && <Failure text={failure} />}
      <div class="tools">
        <button type="button" autofocus onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={remove}>
          Delete
        </button>
      </div>
    </Dialog>
  );
}

/** The most dependants that are named. */
const MOST = 10;

/** Says which dependants are deleted, or stay. */
function Consequences({ uid, policy }: { readonly uid: string; readonly policy: Policy }) {
  const found = useRelated(uid);
  if (found === undefined) return <p class="muted">Looking for dependants…</p>;
  if (typeof found === 'string') return <p class="muted">Its dependants are not known: {found}</p>;
  const { dependants, hidden } = found;
  const count = dependants.length + hidden;
  if (count === 0) return <p>No object depends on it.</p>;
  const names = dependants.slice(0, MOST).map(({ kind, name }) => `${kind} ${name}`);
  return (
    <p>
      {policy === 'Orphan' ? 'These stay, without their owner' : 'These are deleted with it, and what depends on them'}:{' '}
      {names.join(', ')}
      {count > names.length ? `, and ${count - names.length} more` : ''}.
    </p>
  );
}

const policyOf = (text: string): Policy => POLICIES.find(([name]) => name === text)?.[0] ?? 'Background';
