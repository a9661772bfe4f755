import type { UntypedObject } from '../../../entries/client-web.js';
import type { FieldChange } from '../../../foundation/index.js';
import type { ApplyConflict } from '../data/applied.js';
import { valueAt } from '../data/changes.js';
import { ownedMember, ownedOf, ownersHere } from '../data/owners.js';
import { shownValue } from '../parts/shown-value.js';

/** Returns the key of a field. */
export const keyOf = (path: readonly string[]): string => JSON.stringify(path);

function ownersOf(object: UntypedObject, path: readonly string[]): string {
  const owned = path.reduce((below, name) => [...ownedMember(below, name)], ownedOf(object));
  return ownersHere(owned)
    .map(({ manager }) => manager)
    .join(', ');
}

/** Fields that another writer has changed since the text was opened. */
export function Conflicts({
  conflicts,
  current,
  takenOver,
  onTakeOver,
}: {
  readonly conflicts: readonly FieldChange[];
  readonly current: UntypedObject;
  readonly takenOver: ReadonlySet<string>;
  readonly onTakeOver: (key: string, on: boolean) => void;
}) {
  return (
    <section class="message" role="alert" aria-label="Conflicts">
      <p>▲ Others have changed these fields since you opened them. What you do not take over is not saved.</p>
      <ul>
        {conflicts.map(({ path, after }) => (
          <li key={keyOf(path)}>
            <label>
              <input
                type="checkbox"
                checked={takenOver.has(keyOf(path))}
                onChange={(event) => onTakeOver(keyOf(path), event.currentTarget.checked)}
              />{' '}
              Take over <b>{path.join('.')}</b>: now {shownValue(valueAt(current, path))}, by{' '}
              {ownersOf(current, path) || 'nobody'}; yours {shownValue(after)}
            </label>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Fields for which an apply was refused, since other managers own them. */
export function ApplyConflicts({
  conflicts,
  takenOver,
  onTakeOver,
}: {
  readonly conflicts: readonly ApplyConflict[];
  readonly takenOver: ReadonlySet<string>;
  readonly onTakeOver: (key: string, on: boolean) => void;
}) {
  return (
    <section class="message" role="alert" aria-label="Conflicts">
      <p>▲ Others own these fields. What you do not take over is not applied.</p>
      <ul>
        {conflicts.map(({ field, message }) => (
          <li key={field}>
            <label>
              <input
                type="checkbox"
                checked={takenOver.has(field)}
                onChange={(event) => onTakeOver(field, event.currentTarget.checked)}
              />{' '}
              Take over <b>{field}</b>: {message}
            </label>
          </li>
        ))}
      </ul>
    </section>
  );
}
