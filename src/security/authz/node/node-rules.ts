import { groupName, systemGroup, type Dialect, type SystemGroup } from '../../../foundation/index.js';
import type { PolicyRule } from '../rbac/types.js';

const READ: readonly string[] = ['get', 'list', 'watch'];

type Row = readonly [group: string | SystemGroup, resources: readonly string[], verbs: readonly string[]];

/** Rules of every node agent that need no graph. Admission restricts writes of nodes and pods further. */
const ROWS: readonly Row[] = [
  [systemGroup('authentication'), ['tokenreviews'], ['create']],
  [systemGroup('authorization'), ['localsubjectaccessreviews', 'subjectaccessreviews'], ['create']],
  [systemGroup('certificates'), ['certificatesigningrequests'], ['create', ...READ]],
  ['', ['services'], READ],
  ['', ['endpoints'], ['get']],
  ['', ['events'], ['create', 'update', 'patch']],
  ['', ['nodes'], ['create', ...READ, 'update', 'patch']],
  ['', ['nodes/status'], ['update', 'patch']],
  ['', ['pods'], [...READ, 'create', 'delete']],
  ['', ['pods/status'], ['update', 'patch']],
  ['', ['pods/eviction'], ['create']],
  [systemGroup('storage'), ['csidrivers'], READ],
  [systemGroup('node'), ['runtimeclasses'], READ],
];

const TRUST_BUNDLES: Row = [systemGroup('certificates'), ['clustertrustbundles'], READ];

/**
 * Returns the rules of node agents for resources that the graph does not decide: those of the Kubernetes role
 * `system:node` (release 1.31) without secrets, config maps, claims, volumes, attachments, tokens, leases, CSI nodes
 * and resource slices.
 *
 * @param clusterTrustBundles whether the server serves trust bundles (feature gate `ClusterTrustBundle`)
 */
export function nodeRules(
  dialect: Dialect,
  { clusterTrustBundles = false }: { readonly clusterTrustBundles?: boolean | undefined } = {},
): readonly PolicyRule[] {
  const rows = clusterTrustBundles ? [...ROWS, TRUST_BUNDLES] : ROWS;
  return rows.map(([group, resources, verbs]) => ({ verbs, apiGroups: [groupName(group, dialect)], resources }));
}
