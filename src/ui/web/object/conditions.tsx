import type { UntypedObject } from '../../../entries/client-web.js';
import { PlainTable } from './plain-table.js';

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

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
  if (typeof status !== 'object' || status === null || !('conditions' in status)) return [];
  return Array.isArray(status.conditions) ? (status.conditions as Condition[]) : [];
}
