import { useState } from 'preact/hooks';
import type { UntypedObject } from '../../../entries/client-web.js';
import { wordsOf } from '../data/api.js';
import { Dialog } from '../parts/dialog.js';
import type { ObjectPlace } from './object-view.js';
import { resourceOf } from './use-live-object.js';

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
      {failure !== undefined && (
        <p class="message" role="alert">
          ✕ {failure}
        </p>
      )}
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

const policyOf = (text: string): Policy => POLICIES.find(([name]) => name === text)?.[0] ?? 'Background';
