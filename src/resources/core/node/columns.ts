import type { StoredObject } from '../../../meta/object.js';
import { dialects } from '../../../names/dialect.js';
import type { Column } from '../../../registry/definition.js';
import { ageColumn, nameColumn, NONE, textColumn, UNKNOWN_TIME as UNKNOWN } from '../../shared/columns.js';
import type { NodeFields } from './schema.js';

type StoredNode = StoredObject & Readonly<NodeFields>;

/** The label `node-role.<domain>/<role>` gives a node a role; the dialect sets the domain. */
const ROLE_KEY = /^node-role\.[^/]+\/(.+)$/;
/** Older labels, whose value is the role. */
const ROLE_LABELS: ReadonlySet<string> = new Set(
  [...dialects.values()].map(({ labelDomain }) => `${labelDomain}/role`),
);

function statusCell(object: StoredObject): string {
  const { spec, status } = object as StoredNode;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

function rolesCell({ metadata }: StoredObject): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    const role = ROLE_LABELS.has(key) ? value : ROLE_KEY.exec(key)?.[1];
    if (role) roles.add(role);
  }
  return roles.size === 0 ? NONE : [...roles].sort().join(',');
}

const addressCell =
  (type: string) =>
  (object: StoredObject): string =>
    (object as StoredNode).status?.addresses?.find((address) => address.type === type)?.address ?? NONE;

type Info = NonNullable<NonNullable<NodeFields['status']>['nodeInfo']>;
const infoCell =
  (field: keyof Info) =>
  (object: StoredObject): string =>
    (object as StoredNode).status?.nodeInfo?.[field] || UNKNOWN;

/** Table columns of nodes. */
export const nodeColumns: readonly Column[] = [
  nameColumn,
  textColumn('Status', 'Whether the node is ready and accepts new pods.', statusCell),
  textColumn('Roles', "The node's roles, from its labels.", rolesCell),
  ageColumn,
  textColumn(
    'Version',
    'Version of the node agent.',
    (object) => (object as StoredNode).status?.nodeInfo?.kubeletVersion ?? '',
  ),
  textColumn('Internal-IP', 'Address within the cluster.', addressCell('InternalIP'), 1),
  textColumn('External-IP', 'Address from outside of the cluster.', addressCell('ExternalIP'), 1),
  textColumn('OS-Image', 'The operating system.', infoCell('osImage'), 1),
  textColumn('Kernel-Version', 'The kernel.', infoCell('kernelVersion'), 1),
  textColumn('Container-Runtime', 'The container runtime.', infoCell('containerRuntimeVersion'), 1),
];
