import type { ApiObject, StoredObject } from '../../../meta/object.js';
import { defineResource } from '../../../registry/definition.js';
import type { Strategy, SubresourceStrategy } from '../../../registry/strategy.js';
import { nodeColumns } from './columns.js';
import { nodeSchema, type NodeFields, type NodeSpec } from './schema.js';
import { validateNode, validateNodeUpdate } from './validate.js';

type NodeObject = ApiObject & NodeFields;
type StoredNode = StoredObject & Readonly<NodeFields>;

/** Keeps podCIDR equal to the first of podCIDRs. When they differ, podCIDR wins. */
function syncPodCidrs(spec: NodeSpec): void {
  const { podCIDR, podCIDRs = [] } = spec;
  const [first] = podCIDRs;
  if (podCIDR && podCIDR !== first) spec.podCIDRs = [podCIDR];
  else if (first) spec.podCIDR = first;
}

const strategy: Strategy = {
  // Kubernetes does not count generations of nodes.
  countsGeneration: false,
  defaults(object) {
    const node = object as NodeObject;
    syncPodCidrs((node.spec ??= {}));
    node.status ??= {};
    if (node.status.allocatable === undefined && node.status.capacity !== undefined)
      node.status.allocatable = { ...node.status.capacity };
  },
  prepareForCreate(object) {
    // The feature of this field no longer exists.
    delete (object as NodeObject).spec?.configSource;
  },
  prepareForUpdate(object, old) {
    const node = object as NodeObject;
    const previous = old as StoredNode;
    node.status = previous.status;
    if (previous.spec?.configSource === undefined) delete node.spec?.configSource;
  },
  validate: (object) => validateNode(object as StoredNode),
  validateUpdate: (object, old) => validateNodeUpdate(object as StoredNode, old as StoredNode),
  warnings(object) {
    const { spec = {} } = object as StoredNode;
    const texts: string[] = [];
    if (spec.configSource !== undefined) texts.push('spec.configSource: the feature is no longer available');
    if (spec.externalID) texts.push('spec.externalID: this field is deprecated, and is unused');
    return texts;
  },
};

const statusStrategy: SubresourceStrategy = {
  prepareForUpdate(object, old) {
    const node = object as NodeObject;
    const previous = old as StoredNode;
    node.spec = previous.spec;
    if (previous.status?.config === undefined) delete node.status?.config;
  },
  validateUpdate: (object, old) => validateNodeUpdate(object as StoredNode, old as StoredNode),
};

/** A machine that runs pods. */
export const Node = defineResource({
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  shortNames: ['no'],
  scope: 'Cluster',
  origin: 'builtin',
  lifecycle: { introduced: '1.0' },
  description: 'A machine that runs pods.',
  schema: nodeSchema,
  strategy,
  subresources: { status: { verbs: ['get', 'patch', 'update'], strategy: statusStrategy } },
  selectableFields: { 'spec.unschedulable': (object) => String((object as StoredNode).spec?.unschedulable === true) },
  columns: nodeColumns,
  // The storage prefix is the old name of nodes.
  storagePrefix: 'minions',
});
