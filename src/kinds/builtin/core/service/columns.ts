import type { coreV1 } from '../../../types/index.js';
import type { Behaviour } from '../../behaviour.js';
import { NONE } from '../../shared/columns.js';
import { balancerAddresses, labelsText } from '../../shared/network/network-cells.js';
import { CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT, type ServiceObject } from './types.js';

/** Returns the addresses at which a service is reached from outside of the cluster. */
function externalIP({ spec = {}, status }: ServiceObject): string {
  const { type, externalIPs = [], externalName = '' } = spec;
  if (type === CLUSTER_IP || type === NODE_PORT) return externalIPs.join(',') || NONE;
  if (type === LOAD_BALANCER) {
    const balanced = balancerAddresses(status?.loadBalancer?.ingress);
    return [...(balanced === '' ? [] : [balanced]), ...externalIPs].join(',') || '<pending>';
  }
  return type === EXTERNAL_NAME ? externalName : '<unknown>';
}

function portsText({ spec }: ServiceObject): string {
  const ports = (spec?.ports ?? []).map(({ port, nodePort = 0, protocol = '' }) =>
    nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return ports.join(',') || NONE;
}

/** Cells of services. */
export const serviceCells: NonNullable<Behaviour<coreV1.Service>['cells']> = {
  Type: ({ spec }) => spec?.type ?? '',
  'Cluster-IP': ({ spec }) => spec?.clusterIPs?.[0] ?? NONE,
  'External-IP': externalIP,
  'Port(s)': portsText,
  Selector: ({ spec }) => labelsText(spec?.selector),
};
