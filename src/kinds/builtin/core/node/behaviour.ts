import type { Strategy, SubresourceStrategy, Unvalidated } from '../../../../registry/index.js';
import type { coreV1 } from '../../../types/index.js';
import type { Behaviour, StoredKind } from '../../behaviour.js';
import { nodeCells } from './cells.js';
import { validateNode, validateNodeStatus, validateNodeUpdate } from './validate.js';

type NodeObject = StoredKind<coreV1.Node>;

/** Keeps podCIDR equal to the first of podCIDRs. When they differ, podCIDR wins. */
function syncPodCidrs(spec: NonNullable<Unvalidated<NodeObject>['spec']>): void {
  const { podCIDR, podCIDRs = [] } = spec;
  const [first] = podCIDRs;
  if (podCIDR && podCIDR !== first) spec.podCIDRs = [podCIDR];
  else if (first) spec.podCIDR = first;
}

const strategy: Strategy<NodeObject> = {
  // Kubernetes does not count generations of nodes.
  countsGeneration: false,
  defaults(node) {
    syncPodCidrs((node.spec ??= {}));
    node.status ??= {};
    if (node.status.allocatable === undefined && node.status.capacity !== undefined)
      node.status.allocatable = { ...node.status.capacity };
  },
  prepareForCreate({ spec }) {
    // The feature of this field no longer exists.
    delete spec?.configSource;
  },
  prepareForUpdate(node, { spec, status }) {
    node.status = status;
    if (spec?.configSource === undefined) delete node.spec?.configSource;
  },
  validate: (object, { work, dialect }) => validateNode(object, dialect, work),
  validateUpdate: (object, old, { work }) => validateNodeUpdate(object, old, work),
  warnings({ spec = {} }) {
    const texts: string[] = [];
    if (spec.configSource !== undefined) texts.push('spec.configSource: the feature is no longer available');
    if (spec.externalID) texts.push('spec.externalID: this field is deprecated, and is unused');
    return texts;
  },
};

const statusStrategy: SubresourceStrategy<NodeObject> = {
  prepareForUpdate(node, { spec, status }) {
    node.spec = spec;
    if (status?.config === undefined) delete node.status?.config;
  },
  validateUpdate: (object, old, { work, dialect }) => validateNodeStatus(object, old, dialect, work),
};

/** The behaviour of a node. */
export const nodeBehaviour: Behaviour<coreV1.Node> = {
  strategy,
  subresources: { status: statusStrategy },
  cells: nodeCells,
};
