import type { TimedCell } from '../../../../registry/index.js';
import type { coreV1 } from '../../../types/index.js';
import type { Behaviour } from '../../behaviour.js';
import { NONE, timeSince } from '../../shared/columns.js';
import { summarizePod, type PodSummary } from './columns-status.js';
import type { StoredPod } from './types.js';

const summaries = new WeakMap<StoredPod, PodSummary>();

/** Returns the summary of a pod, computed once for all columns of a row. */
function summaryOf(object: StoredPod): PodSummary {
  let summary = summaries.get(object);
  if (summary === undefined) summaries.set(object, (summary = summarizePod(object)));
  return summary;
}

function restartsCell(object: StoredPod): string | TimedCell {
  const { restarts, lastRestart } = summaryOf(object);
  if (restarts === 0 || lastRestart === undefined) return String(restarts);
  const ago = timeSince(lastRestart);
  return (nowMs) => `${restarts} (${typeof ago === 'function' ? String(ago(nowMs)) : ago} ago)`;
}

/** Returns how many readiness gates are True, or {@link NONE} without readiness gates. */
function readinessGatesCell(object: StoredPod): string {
  const { spec, status } = object;
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return NONE;
  const fulfilled = new Set(
    (status?.conditions ?? []).filter((condition) => condition.status === 'True').map(({ type }) => type),
  );
  const open = gates.filter(({ conditionType }) => fulfilled.has(conditionType));
  return `${open.length}/${gates.length}`;
}

/** The cells of the Table form of a pod. */
export const podCells: NonNullable<Behaviour<coreV1.Pod>['cells']> = {
  Ready: (pod) => `${summaryOf(pod).ready}/${summaryOf(pod).total}`,
  Status: (pod) => summaryOf(pod).reason,
  Restarts: restartsCell,
  IP: ({ status }) => status?.podIPs?.[0]?.ip || status?.podIP || NONE,
  Node: ({ spec }) => spec?.nodeName || NONE,
  'Nominated Node': ({ status }) => status?.nominatedNodeName || NONE,
  'Readiness Gates': readinessGatesCell,
};
