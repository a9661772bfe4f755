/**
 * Checks of a node agent's requests by the graph and the node's name. The reasons are those of Kubernetes.
 *
 * @module
 */
import { goQuote, groupName, systemGroup, type Dialect, type SystemGroup } from '../../../foundation/index.js';
import type { Attributes } from '../attributes.js';
import { ALLOW, NO_OPINION, type Decision } from '../authorizer.js';
import type { NodeGraph } from './graph.js';
import type { RelatedResource } from './object-index.js';

/** Decides a node agent's request for one resource. */
export type Check = (nodeName: string, attributes: Attributes) => Decision;

const refusal = (reason: string): Decision => Object.freeze({ decision: 'NoOpinion', reason });

const NO_NAME = refusal('No Object name found');
const ONLY_GET = refusal('can only get individual resources of this type');
const NO_SUBRESOURCE = refusal('cannot get subresource');
const ONLY_READ = refusal('can only read resources of this type');
const NO_READ_OF_SUBRESOURCE = refusal('cannot read subresource');
const ONLY_NAMESPACED = refusal('can only read namespaced object of this type');
const ONLY_STATUS_UPDATE = refusal('can only get/update/patch this type');
const ONLY_NAMED_TOKENS = refusal('can only create tokens for individual service accounts');
const ONLY_TOKENS = refusal('can only create token subresource of serviceaccount');

const READ_VERBS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const OWN_OBJECT_VERBS: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch', 'delete']);

/** Checks by API group and plural name. */
export type CheckTable = ReadonlyMap<string, ReadonlyMap<string, Check>>;

/** Options of {@link checksOf}. */
export interface CheckOptions {
  readonly graph: NodeGraph;
  readonly dialect: Dialect;
  /** Restrict nodes, pods and lists of resource slices too (feature gate `AuthorizeNodeWithSelectors`). */
  readonly requireSelectors: boolean;
}

/** Returns the checks of all resources that rules do not decide. */
export function checksOf({ graph, dialect, requireSelectors }: CheckOptions): CheckTable {
  const related = relatedTo(graph);
  const rows: readonly (readonly [group: string | SystemGroup, resource: string, check: Check])[] = [
    ['', 'secrets', readOne('secrets', related)],
    ['', 'configmaps', readOne('configmaps', related)],
    ['', 'persistentvolumeclaims', getOrUpdateStatus('persistentvolumeclaims', related)],
    ['', 'persistentvolumes', getOne('persistentvolumes', related)],
    ['', 'serviceaccounts', createToken(related)],
    [systemGroup('resource'), 'resourceclaims', getOne('resourceclaims', related)],
    [systemGroup('resource'), 'resourceslices', ownSlices(related, requireSelectors)],
    [systemGroup('storage'), 'volumeattachments', getOne('volumeattachments', related)],
    [systemGroup('storage'), 'csinodes', ownCsiNode],
    [systemGroup('coordination'), 'leases', ownLease(dialect.namespaces.nodeLease)],
    ...(requireSelectors
      ? ([
          ['', 'nodes', ownNode],
          ['', 'pods', ownPods(related)],
        ] as const)
      : []),
  ];
  const table = new Map<string, Map<string, Check>>();
  for (const [group, resource, check] of rows) {
    const name = groupName(group, dialect);
    table.set(name, (table.get(name) ?? new Map<string, Check>()).set(resource, check));
  }
  return table;
}

/** Looks up the request's object in the graph. */
type Related = (nodeName: string, resource: RelatedResource, attributes: Attributes) => Decision;

const relatedTo =
  (graph: NodeGraph): Related =>
  (nodeName, resource, { namespace, name }) => {
    if (name === '') return NO_NAME;
    if (graph.isNeeded(nodeName, resource, namespace, name)) return ALLOW;
    return { decision: 'NoOpinion', reason: `no relationship found between node '${nodeName}' and this object` };
  };

const getOne =
  (resource: RelatedResource, related: Related): Check =>
  (nodeName, attributes) => {
    if (attributes.verb !== 'get') return ONLY_GET;
    return attributes.subresource === '' ? related(nodeName, resource, attributes) : NO_SUBRESOURCE;
  };

/** A list or watch whose field selector names one object counts as a read of it. */
const readOne =
  (resource: RelatedResource, related: Related): Check =>
  (nodeName, attributes) => {
    if (!READ_VERBS.has(attributes.verb)) return ONLY_READ;
    if (attributes.subresource !== '') return NO_READ_OF_SUBRESOURCE;
    return attributes.namespace === '' ? ONLY_NAMESPACED : related(nodeName, resource, attributes);
  };

const getOrUpdateStatus = (resource: RelatedResource, related: Related): Check => {
  const get = getOne(resource, related);
  return (nodeName, attributes) => {
    if (attributes.subresource !== 'status') return get(nodeName, attributes);
    return attributes.verb === 'update' || attributes.verb === 'patch'
      ? related(nodeName, resource, attributes)
      : ONLY_STATUS_UPDATE;
  };
};

const createToken =
  (related: Related): Check =>
  (nodeName, attributes) => {
    if (attributes.verb !== 'create' || attributes.name === '') return ONLY_NAMED_TOKENS;
    return attributes.subresource === 'token' ? related(nodeName, 'serviceaccounts', attributes) : ONLY_TOKENS;
  };

/** A created object has no name at authorization; admission checks the name. */
const isOwn = (nodeName: string, { verb, name }: Attributes): boolean => verb === 'create' || name === nodeName;

const ownLease = (leaseNamespace: string): Check => {
  const wrongVerb = refusal('can only get, create, update, patch, or delete a node lease');
  const wrongNamespace = refusal(`can only access leases in the ${goQuote(leaseNamespace)} system namespace`);
  const wrongName = refusal('can only access node lease with the same name as the requesting node');
  return (nodeName, attributes) => {
    if (!OWN_OBJECT_VERBS.has(attributes.verb)) return wrongVerb;
    if (attributes.namespace !== leaseNamespace) return wrongNamespace;
    return isOwn(nodeName, attributes) ? ALLOW : wrongName;
  };
};

const CSI_NODE_VERBS = refusal('can only get, create, update, patch, or delete a CSINode');
const NO_CSI_NODE_SUBRESOURCE = refusal('cannot authorize CSINode subresources');
const OTHER_CSI_NODE = refusal('can only access CSINode with the same name as the requesting node');

const ownCsiNode: Check = (nodeName, attributes) => {
  if (!OWN_OBJECT_VERBS.has(attributes.verb)) return CSI_NODE_VERBS;
  if (attributes.subresource !== '') return NO_CSI_NODE_SUBRESOURCE;
  return isOwn(nodeName, attributes) ? ALLOW : OTHER_CSI_NODE;
};

/** True when a field selector requires a value. */
function selects({ fieldSelector = [] }: Attributes, field: string, wanted: string): boolean {
  return fieldSelector.some(
    ({ key, operator, values }) => key === field && operator === 'In' && values.length === 1 && values[0] === wanted,
  );
}

const NO_SLICE_SUBRESOURCE = refusal('cannot authorize ResourceSlice subresources');
const UNSELECTED_SLICES = refusal('can only list/watch/deletecollection resourceslices with nodeName field selector');
const SLICE_VERBS = refusal(
  'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
);

const ownSlices = (related: Related, requireSelectors: boolean): Check => {
  const one: Check = (nodeName, attributes) => related(nodeName, 'resourceslices', attributes);
  const many: Check = (nodeName, attributes) =>
    !requireSelectors || selects(attributes, 'nodeName', nodeName) ? ALLOW : UNSELECTED_SLICES;
  const checks = new Map<string, Check>([
    ['create', () => ALLOW],
    ...['get', 'update', 'patch', 'delete'].map((verb) => [verb, one] as const),
    ...['list', 'watch', 'deletecollection'].map((verb) => [verb, many] as const),
  ]);
  return (nodeName, attributes) => {
    if (attributes.subresource !== '') return NO_SLICE_SUBRESOURCE;
    return checks.get(attributes.verb)?.(nodeName, attributes) ?? SLICE_VERBS;
  };
};

/** Verbs by subresource that admission, not the authorizer, restricts to the node's own objects. */
type AdmissionChecked = ReadonlyMap<string, readonly string[]>;
const NODE_WRITES: AdmissionChecked = new Map([
  ['', ['create', 'update', 'patch']],
  ['status', ['update', 'patch']],
]);
const POD_WRITES: AdmissionChecked = new Map([
  ['', ['create', 'delete']],
  ['status', ['update', 'patch']],
  ['eviction', ['create']],
]);

const isLeftToAdmission = (table: AdmissionChecked, { verb, subresource }: Attributes): boolean =>
  table.get(subresource)?.includes(verb) === true;

/** A node can read its own Node before it exists, so the check uses the name and not the graph. */
const ownNode: Check = (nodeName, attributes) => {
  const { verb, subresource, name } = attributes;
  if (isLeftToAdmission(NODE_WRITES, attributes)) return ALLOW;
  if (subresource !== '' || !READ_VERBS.has(verb)) return NO_OPINION;
  if (name === nodeName) return ALLOW;
  const what = name === '' ? 'all nodes' : `'${name}'`;
  return { decision: 'NoOpinion', reason: `node '${nodeName}' cannot read ${what}, only its own Node object` };
};

const UNSELECTED_PODS = refusal('can only list/watch pods with spec.nodeName field selector');

const ownPods =
  (related: Related): Check =>
  (nodeName, attributes) => {
    const { verb, subresource, name } = attributes;
    if (isLeftToAdmission(POD_WRITES, attributes)) return ALLOW;
    if (subresource !== '' || !READ_VERBS.has(verb)) return NO_OPINION;
    if (verb === 'get') return related(nodeName, 'pods', attributes);
    if (selects(attributes, 'spec.nodeName', nodeName)) return ALLOW;
    return name === '' ? UNSELECTED_PODS : related(nodeName, 'pods', attributes);
  };
