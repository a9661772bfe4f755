import { shown, suggestion, type Dialect } from '../../foundation/index.js';
import type { coreV1 } from '../../kinds/index.js';
import type { NodeCondition, NodeSpecFields } from '../objects.js';

/** The state that a rule gives to nodes. */
export interface NodePlan {
  readonly outcome: NodeOutcome;
  /** Whether the agent of the node works: pods start and end. */
  readonly works: boolean;
  /** Status of the condition Ready. */
  readonly ready: 'True' | 'False' | 'Unknown';
  /** Name of the taint, without its domain. */
  readonly taint: string | undefined;
  readonly cordons: boolean;
}

/**
 * An outcome of a node.
 *
 * - `NotReady`: the node says that it is not ready. Its pods are not ready, and are evicted after five minutes.
 * - `Unreachable`: the node says nothing any more. In addition, nothing happens to its pods: deleted ones stay.
 * - `Cordoned`: no new pods come to the node.
 */
export type NodeOutcome = 'NotReady' | 'Unreachable' | 'Cordoned';

const HEALTHY = { works: true, ready: 'True', taint: undefined, cordons: false } as const;

const PLANS: Readonly<Record<NodeOutcome, Omit<NodePlan, 'outcome'>>> = {
  NotReady: { ...HEALTHY, ready: 'False', taint: 'not-ready' },
  Unreachable: { ...HEALTHY, works: false, ready: 'Unknown', taint: 'unreachable' },
  Cordoned: { ...HEALTHY, cordons: true },
};

/** Returns the plan of an outcome. @throws TypeError for an unknown outcome, with the known ones */
export function nodePlanOf(outcome: NodeOutcome): NodePlan {
  const known = Object.keys(PLANS);
  if (typeof outcome !== 'string' || !known.includes(outcome))
    throw new TypeError(
      `nodes cannot become ${shown(outcome)}${typeof outcome === 'string' ? suggestion(outcome, known) : ''}; an outcome is one of ${known.join(', ')}`,
    );
  return { outcome, ...PLANS[outcome] };
}

type Condition = Omit<NodeCondition, 'lastHeartbeatTime' | 'lastTransitionTime'>;

const HEALTHY_CONDITIONS: readonly Condition[] = [
  {
    ...{ type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory' },
    message: 'kubelet has sufficient memory available',
  },
  {
    ...{ type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure' },
    message: 'kubelet has no disk pressure',
  },
  {
    ...{ type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID' },
    message: 'kubelet has sufficient PID available',
  },
];
const READY: Condition = {
  ...{ type: 'Ready', status: 'True', reason: 'KubeletReady' },
  message: 'kubelet is posting ready status',
};
const NOT_READY: Condition = {
  ...{ type: 'Ready', status: 'False', reason: 'KubeletNotReady' },
  message: 'a rule of the simulation keeps the node from being ready',
};

/** Returns the conditions of a node that follows a plan. */
export function nodeConditions(plan: NodePlan | undefined): readonly Condition[] {
  const ready = plan?.ready ?? 'True';
  if (ready === 'Unknown')
    return [...HEALTHY_CONDITIONS, READY].map(({ type }) => ({
      ...{ type, status: 'Unknown', reason: 'NodeStatusUnknown' },
      message: 'Kubelet stopped posting node status.',
    }));
  return [...HEALTHY_CONDITIONS, ready === 'True' ? READY : NOT_READY];
}

/** Taints that follow from the state of a node; the names come without their domain. */
const STATE_TAINTS = ['not-ready', 'unreachable', 'unschedulable'];

/** Returns the taints of a node: those that follow from its state, and its own. */
export function nodeTaints(
  spec: NodeSpecFields,
  plan: NodePlan | undefined,
  { labelDomain }: Dialect,
  now: string,
): coreV1.Taint[] {
  const keyOf = (name: string): string => `node.${labelDomain}/${name}`;
  const wanted: coreV1.Taint[] = [
    ...(spec.unschedulable === true ? [{ key: keyOf('unschedulable'), effect: 'NoSchedule' }] : []),
    ...(plan?.taint === undefined
      ? []
      : ['NoSchedule', 'NoExecute'].map((effect) => ({ key: keyOf(plan.taint ?? ''), effect }))),
  ];
  const old = spec.taints ?? [];
  const own = new Set(STATE_TAINTS.map(keyOf));
  return [
    ...old.filter(({ key }) => !own.has(key)),
    ...wanted.map(
      (taint) =>
        old.find(({ key, effect }) => key === taint.key && effect === taint.effect) ?? { ...taint, timeAdded: now },
    ),
  ];
}
