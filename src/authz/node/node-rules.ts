import { groupName, systemGroup, type Dialect, type SystemGroup } from '../../names/dialect.js';
import type { PolicyRule } from '../rbac/types.js';

const READ: readonly string[] = ['get', 'list', 'watch'];

type Row = readonly [group: string | SystemGroup, resources: readonly string[], verbs: readonly string[]];

/** What every node agent may do without a look at the graph. What is here of nodes and pods is narrowed by admission. */
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
 * The rules of node agents for resources that the graph does not decide: those of production's role `system:node` (release 1.31)
 * without secrets, config maps, claims, volumes, attachments, tokens, leases, CSI nodes and resource slices.
 *
 * @param clusterTrustBundles whether the server has trust bundles (feature gate `ClusterTrustBundle`)
 */
export function nodeRules(
  dialect: Dialect,
  { clusterTrustBundles = false }: { readonly clusterTrustBundles?: boolean } = {},
): readonly PolicyRule[] {
  const rows = clusterTrustBundles ? [...ROWS, TRUST_BUNDLES] : ROWS;
  return rows.map(([group, resources, verbs]) => ({ verbs, apiGroups: [groupName(group, dialect)], resources }));
}
