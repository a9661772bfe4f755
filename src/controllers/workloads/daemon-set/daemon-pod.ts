/**
 * The pods of daemon sets: on which nodes they run, and how they differ from the template. Pure functions.
 *
 * @module
 */
import type { Dialect } from '../../../foundation/index.js';
import type { coreV1 } from '../../../kinds/index.js';
import { NodeRules } from '../../placement/node-selection.js';
import type { NodeObject, PodObject } from '../shared/kinds.js';
import type { PodChanges } from '../shared/pod-control.js';
import { REVISION_LABEL } from '../shared/revisions.js';
import type { DaemonSetObject } from './types.js';

const NODE_NAME_FIELD = 'metadata.name';
/** Label of pods with the older form of a revision. */
const GENERATION_LABEL = 'pod-template-generation';
const GENERATION_ANNOTATION = 'deprecated.daemonset.template.generation';

/** Conditions of nodes that the pods of daemon sets tolerate as taints. */
const TOLERATED: readonly (readonly [condition: string, effect: string])[] = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
];

function specOf({ spec }: DaemonSetObject): coreV1.PodSpec {
  return spec?.template.spec ?? { containers: [] };
}

/** Returns the tolerations of a daemon pod: those of the template, and those of node conditions. */
export function daemonTolerations(spec: coreV1.PodSpec, { labelDomain }: Dialect): coreV1.Toleration[] {
  const added = spec.hostNetwork === true ? [...TOLERATED, ['network-unavailable', 'NoSchedule'] as const] : TOLERATED;
  const tolerations = [...(spec.tolerations ?? [])];
  for (const [condition, effect] of added) {
    const toleration = { key: `node.${labelDomain}/${condition}`, operator: 'Exists', effect };
    const same = tolerations.findIndex(
      ({ key, operator, value = '', effect: other }) =>
        key === toleration.key && operator === 'Exists' && value === '' && other === effect,
    );
    if (same >= 0) tolerations[same] = toleration;
    else tolerations.push(toleration);
  }
  return tolerations;
}

/** Whether a daemon pod belongs on a node. */
export interface NodeDecision {
  /** A new pod should be created. */
  readonly run: boolean;
  /** A pod that exists may stay. */
  readonly keep: boolean;
}

/** Decides on which nodes the pods of a daemon set belong. Made once for all nodes. */
export class DaemonPlacement {
  /** The node that the template names; none of an empty name. */
  readonly #nodeName: string;
  readonly #rules: NodeRules;

  constructor(set: DaemonSetObject, dialect: Dialect) {
    const template = specOf(set);
    this.#nodeName = template.nodeName ?? '';
    this.#rules = new NodeRules({ ...template, tolerations: daemonTolerations(template, dialect) });
  }

  /** Returns the units of work to decide about a node; about. */
  unitsFor(node: NodeObject): number {
    return 2 * this.#rules.unitsFor(node);
  }

  /** Decides whether a pod belongs on a node. A taint without NoExecute keeps new pods away only. */
  on(node: NodeObject): NodeDecision {
    if (this.#nodeName !== '' && this.#nodeName !== node.metadata.name) return { run: false, keep: false };
    if (!this.#rules.selects(node)) return { run: false, keep: false };
    if (this.#rules.untolerated(node, ['NoSchedule', 'NoExecute']) === undefined) return { run: true, keep: true };
    return { run: false, keep: this.#rules.untolerated(node, ['NoExecute']) === undefined };
  }
}

/** Returns what distinguishes the pod for a node from its template. The scheduler binds it by its affinity. */
export function daemonPodChanges(set: DaemonSetObject, node: string, hash: string, dialect: Dialect): PodChanges {
  const template = specOf(set);
  const { template: { metadata = {} } = {} } = set.spec ?? {};
  const generation = set.metadata.annotations?.[GENERATION_ANNOTATION];
  const labels = {
    ...metadata.labels,
    ...(generation !== undefined && /^-?\d+$/.test(generation) ? { [GENERATION_LABEL]: generation } : {}),
    [REVISION_LABEL]: hash,
  };
  const spec = { ...template, tolerations: daemonTolerations(template, dialect), affinity: onlyNode(template, node) };
  return { metadata: { labels }, spec };
}

/** Returns an affinity for one node. The required terms of the template are replaced: the node satisfies them. */
function onlyNode({ affinity }: coreV1.PodSpec, node: string): coreV1.Affinity {
  const term = { matchFields: [{ key: NODE_NAME_FIELD, operator: 'In', values: [node] }] };
  const required = { nodeSelectorTerms: [term] };
  return {
    ...affinity,
    nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required },
  };
}

/** Returns the node of a daemon pod, also before it is bound; undefined when the pod names none. */
export function nodeOf({ spec }: PodObject): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  for (const { matchFields = [] } of required?.nodeSelectorTerms ?? [])
    for (const { key, operator, values = [] } of matchFields)
      if (key === NODE_NAME_FIELD && operator === 'In' && values.length === 1) return values[0];
  return undefined;
}
