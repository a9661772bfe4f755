import type { UntypedObject } from '../../../entries/client-web.js';
import { isMap, textOf } from '../data/guards.js';
import { PlainTable } from '../parts/plain-table.js';

/** A condition; what is missing or is not a string is undefined. */
type Condition = Readonly<Record<'type' | 'status' | 'reason' | 'message' | 'lastTransitionTime', string | undefined>>;

/** The conditions of an object. */
export function Conditions({ object }: { readonly object: UntypedObject }) {
  const conditions = conditionsOf(object);
  if (conditions.length === 0) return <p class="muted">The object has no conditions.</p>;
  return (
    <PlainTable titles={['Type', 'Status', 'Reason', 'Message', 'Since']}>
      {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
        <tr key={type}>
          <td>{type}</td>
          <td>{status === 'True' ? '✓ True' : status === 'False' ? '✕ False' : `○ ${status ?? ''}`}</td>
          <td>{reason}</td>
          <td>{message}</td>
          <td title={lastTransitionTime}>
            {lastTransitionTime === undefined ? '' : new Date(lastTransitionTime).toLocaleString()}
          </td>
        </tr>
      ))}
    </PlainTable>
  );
}

function conditionsOf({ status }: UntypedObject): readonly Condition[] {
  const conditions = isMap(status) ? status['conditions'] : undefined;
  return Array.isArray(conditions) ? conditions.filter(isMap).map(conditionOf) : [];
}

const conditionOf = (sent: Readonly<Record<string, unknown>>): Condition => ({
  type: textOf(sent['type']),
  status: textOf(sent['status']),
  reason: textOf(sent['reason']),
  message: textOf(sent['message']),
  lastTransitionTime: textOf(sent['lastTransitionTime']),
});
