import type { StoredObject } from '../../../meta/object.js';
import type { Column } from '../../../registry/definition.js';
import { ageColumn, nameColumn, NONE, textColumn, timeSince } from '../../shared/columns.js';
import { summarizePod, type PodSummary } from './columns-status.js';
import type { StoredPod } from './types.js';

const summaries = new WeakMap<StoredObject, PodSummary>();

/** Returns the summary of a pod, computed once for all columns of a row. */
function summaryOf(object: StoredObject): PodSummary {
  let summary = summaries.get(object);
  if (summary === undefined) summaries.set(object, (summary = summarizePod(object)));
  return summary;
}

function restartsCell(object: StoredObject, nowMs: number): string {
  const { restarts, lastRestart } = summaryOf(object);
  return restarts > 0 && lastRestart !== undefined
    ? `${restarts} (${timeSince(lastRestart, nowMs)} ago)`
    : String(restarts);
}

/** Returns how many readiness gates are True, or {@link NONE} without readiness gates. */
function readinessGatesCell(object: StoredObject): string {
  const { spec, status } = object as StoredPod;
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return NONE;
  const fulfilled = new Set(
    (status?.conditions ?? []).filter((condition) => condition.status === 'True').map(({ type }) => type),
  );
  const open = gates.filter(({ conditionType }) => fulfilled.has(conditionType));
  return `${open.length}/${gates.length}`;
}

/** Table columns of pods. */
export const podColumns: readonly Column[] = [
  nameColumn,
  textColumn(
    'Ready',
    'Number of ready containers, of all containers.',
    (object) => `${summaryOf(object).ready}/${summaryOf(object).total}`,
  ),
  textColumn('Status', 'The state in one word.', (object) => summaryOf(object).reason),
  textColumn('Restarts', 'Number of restarts of the containers, and the time since the last one.', restartsCell),
  ageColumn,
  textColumn(
    'IP',
    'First address of the pod.',
    (object) => (object as StoredPod).status?.podIPs?.[0]?.ip || (object as StoredPod).status?.podIP || NONE,
    1,
  ),
  textColumn('Node', 'The node that it runs on.', (object) => (object as StoredPod).spec?.nodeName || NONE, 1),
  textColumn(
    'Nominated Node',
    'The node on which other pods are preempted for this pod.',
    (object) => (object as StoredPod).status?.nominatedNodeName || NONE,
    1,
  ),
  textColumn('Readiness Gates', 'Conditions that are met, of those that it waits for.', readinessGatesCell, 1),
];
