import { dialects } from '../../../../foundation/index.js';
import type { coreV1 } from '../../../types/index.js';
import type { Cells, StoredKind } from '../../behaviour.js';
import { NONE, UNKNOWN_TIME as UNKNOWN } from '../../shared/columns.js';

type NodeObject = StoredKind<coreV1.Node>;

/** The label `node-role.<domain>/<role>` gives a node a role; the dialect sets the domain. */
const ROLE_KEY = /^node-role\.[^/]+\/(.+)$/;
/** Older labels, whose value is the role. */
const ROLE_LABELS: ReadonlySet<string> = new Set(
  [...dialects.values()].map(({ labelDomain }) => `${labelDomain}/role`),
);

function statusCell({ spec, status }: NodeObject): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

function rolesCell({ metadata }: NodeObject): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    const role = ROLE_LABELS.has(key) ? value : ROLE_KEY.exec(key)?.[1];
    if (role) roles.add(role);
  }
  return roles.size === 0 ? NONE : [...roles].sort().join(',');
}

const addressCell =
  (type: string) =>
  ({ status }: NodeObject): string =>
    status?.addresses?.find((address) => address.type === type)?.address ?? NONE;

const infoCell =
  (field: keyof coreV1.NodeSystemInfo) =>
  ({ status }: NodeObject): string =>
    status?.nodeInfo?.[field] || UNKNOWN;

/** The cells of nodes. */
export const nodeCells: Cells<coreV1.Node> = {
  Status: statusCell,
  Roles: rolesCell,
  Version: ({ status }) => status?.nodeInfo?.kubeletVersion ?? '',
  'Internal-IP': addressCell('InternalIP'),
  'External-IP': addressCell('ExternalIP'),
  'OS-Image': infoCell('osImage'),
  'Kernel-Version': infoCell('kernelVersion'),
  'Container-Runtime': infoCell('containerRuntimeVersion'),
};
