/**
 * Which pods leave a node so that a critical pod can run there.
 *
 * @see release 1.31, `pkg/kubelet/preemption` for the rules and their words
 * @module
 */
import { shareTurn, type Dialect } from '../../foundation/index.js';
import { mirrorAnnotation, SYSTEM_CRITICAL_PRIORITY } from '../../kinds/index.js';
import type { NodeState } from '../nodes/cluster-state.js';
import type { PlacedPod } from '../nodes/pods-on-node.js';
import type { SimulatedPod } from '../objects.js';
import { pieces, shownAmount } from '../scheduling/requests.js';
import { priorityOf } from './preemption.js';

/** An amount that a node lacks for a pod. */
export interface Lack {
  readonly name: string;
  readonly amount: number;
}

/** How a pod ends that makes room. */
export const PREEMPTED = { reason: 'Preempting', message: 'Preempted in order to admit critical pod' } as const;

/** Returns whether a pod is critical: by its priority, or as the mirror of a pod that its node runs by itself. */
export const isCritical = (pod: SimulatedPod, dialect: Dialect): boolean =>
  priorityOf(pod) >= SYSTEM_CRITICAL_PRIORITY ||
  Object.hasOwn(pod.metadata.annotations ?? {}, mirrorAnnotation(dialect));

/**
 * Returns the pods that make room for a critical pod: few and small ones, those that ask for nothing before those that
 * are guaranteed what they ask for. Returns the problem when all of them together are not enough.
 *
 * @param lacks what the node lacks; at least one amount
 */
export async function podsToPreempt(
  pod: SimulatedPod,
  { on }: NodeState,
  lacks: readonly Lack[],
  dialect: Dialect,
): Promise<readonly SimulatedPod[] | string> {
  const preemptable = [...on.pods.values()].filter((placed) => mayPreempt(pod, placed.pod, dialect));
  const unmet = remaining(lacks, preemptable);
  if (unmet.length > 0) return `no set of running pods found to reclaim resources: ${listOf(unmet)}`;
  const ofClass = (name: string): PlacedPod[] =>
    preemptable.filter((placed) => (placed.pod.status?.qosClass ?? 'BestEffort') === name);
  const [bestEffort, burstable, guaranteed] = [ofClass('BestEffort'), ofClass('Burstable'), ofClass('Guaranteed')];
  const last = await nearest(guaranteed, remaining(lacks, [...bestEffort, ...burstable]));
  const middle = await nearest(burstable, remaining(lacks, [...bestEffort, ...last]));
  const first = await nearest(bestEffort, remaining(lacks, [...middle, ...last]));
  return [...first, ...middle, ...last].map((placed) => placed.pod);
}

function mayPreempt(pod: SimulatedPod, other: SimulatedPod, dialect: Dialect): boolean {
  if (isCritical(pod, dialect) && !isCritical(other, dialect)) return true;
  const [own, others] = [pod.spec?.priority, other.spec?.priority];
  return own !== undefined && others !== undefined && own > others;
}

/** Returns the pods that together meet the needs: again and again the one that meets most, the smallest of equal ones. */
async function nearest(candidates: readonly PlacedPod[], needs: readonly Lack[]): Promise<PlacedPod[]> {
  const left = new Set(candidates);
  const chosen: PlacedPod[] = [];
  for (let open = needs; open.length > 0;) {
    const turn = shareTurn();
    if (turn !== undefined) await turn;
    const best = nearestOf(left, open);
    if (best === undefined) break;
    left.delete(best);
    chosen.push(best);
    open = remaining(open, [best]);
  }
  return chosen;
}

function nearestOf(candidates: Iterable<PlacedPod>, needs: readonly Lack[]): PlacedPod | undefined {
  let best: PlacedPod | undefined;
  let least = Infinity;
  for (const candidate of candidates) {
    const distance = distanceOf(candidate, needs);
    if (distance > least || (distance === least && best !== undefined && !isSmaller(candidate, best))) continue;
    best = candidate;
    least = distance;
  }
  return best;
}

/** Returns how much of the needs a pod leaves open. Each resource has the same weight. */
function distanceOf(placed: PlacedPod, needs: readonly Lack[]): number {
  let distance = 0;
  for (const { name, amount } of needs) {
    const open = amount - requestOf(placed, name);
    if (open > 0) distance += (open / amount) ** 2;
  }
  return distance;
}

/** Returns whether a pod asks for less than another, or the same. Memory counts first. */
function isSmaller(one: PlacedPod, other: PlacedPod): boolean {
  for (const name of ['memory', 'cpu']) {
    const difference = requestOf(one, name) - requestOf(other, name);
    if (difference !== 0) return difference < 0;
  }
  return true;
}

/** Returns what the needs are once pods have gone. */
const remaining = (needs: readonly Lack[], gone: readonly PlacedPod[]): Lack[] =>
  needs
    .map(({ name, amount }) => ({ name, amount: gone.reduce((open, one) => open - requestOf(one, name), amount) }))
    .filter(({ amount }) => amount > 0);

const requestOf = ({ requests }: PlacedPod, name: string): number =>
  name === 'pods' ? pieces(1) : (requests.get(name) ?? 0);

/** Returns needs as the kubelet prints them. */
const listOf = (needs: readonly Lack[]): string =>
  `[${needs.map(({ name, amount }) => `(res: ${name}, q: ${shownAmount(name, amount)}), `).join('')}]`;
