import { useEffect, useState } from 'preact/hooks';
import type { UntypedObject } from '../../../entries/client-web.js';
import { wordsOf } from '../data/api.js';
import { readBudgets, type Budget } from '../data/budgets.js';
import { Dialog } from '../parts/dialog.js';
import type { ObjectPlace } from './object-view.js';
import { useRelated } from './related.js';
import { resourceOf } from './use-live-object.js';
import { Failure } from '../parts/failure.js';
import { api, kinds } from '../state.js';

/** What happens to the dependants of an object that is deleted. */
const POLICIES = [
  ['Background', 'dependants afterwards'],
  ['Foreground', 'dependants first'],
  ['Orphan', 'dependants stay'],
] as const;

export type Policy = (typeof POLICIES)[number][0];

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
      <Budgets object={object} />
      {finalizers.length > 0 && <p>It stays until these finalizers are removed: {finalizers.join(', ')}.</p>}
      <PolicyChoice policy={policy} onChoose={setPolicy} />
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

/** Asks what happens to the dependants. */
export function PolicyChoice({
  policy,
  onChoose,
}: {
  readonly policy: Policy;
  readonly onChoose: (policy: Policy) => void;
}) {
  return (
    <label>
      Dependants{' '}
      <select value={policy} onChange={(event) => onChoose(policyOf(event.currentTarget.value))}>
        {POLICIES.map(([name, meaning]) => (
          <option key={name} value={name}>
            {name}: {meaning}
          </option>
        ))}
      </select>
    </label>
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

/** Says which budgets count a pod: a deletion does not ask them, as an eviction does. */
function Budgets({ object }: { readonly object: UntypedObject }) {
  const [budgets, setBudgets] = useState<readonly Budget[] | string>([]);
  useEffect(() => {
    const leaving = new AbortController();
    if (api.value !== undefined)
      readBudgets(api.value, kinds.value, object, leaving.signal).then(
        setBudgets,
        (error: unknown) => leaving.signal.aborted || setBudgets(wordsOf(error)),
      );
    return () => leaving.abort();
  }, [object.metadata.uid]);
  if (typeof budgets === 'string') return <p class="muted">Its disruption budgets are not known: {budgets}</p>;
  if (budgets.length === 0) return null;
  return (
    <ul aria-label="Disruption budgets">
      {budgets.map(({ name, allowed }) => (
        <li key={name} class={allowed === 0 ? 'warn' : ''}>
          {allowed === 0 ? '▲ ' : ''}PodDisruptionBudget {name} counts it, and allows{' '}
          {allowed === undefined ? 'an unknown number of' : allowed} {allowed === 1 ? 'eviction' : 'evictions'} now. A
          deletion does not ask it.
        </li>
      ))}
    </ul>
  );
}

/** Returns the policy of a name. */
const policyOf = (text: string): Policy => POLICIES.find(([name]) => name === text)?.[0] ?? 'Background';
