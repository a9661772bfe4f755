import { joinedSteps, type Steps, type Work } from '../../../../foundation/index.js';
import type { coreV1 } from '../../../types/index.js';
import type { Behaviour } from '../../behaviour.js';
import { NONE } from '../../shared/columns.js';
import { balancerAddresses } from '../../shared/network/network-cells.js';
import { labelsCell } from '../../shared/selectors/label-selectors.js';
import { CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT, type ServiceObject } from './types.js';

/** Returns the addresses at which a service is reached from outside of the cluster. */
function* externalIP({ spec = {}, status }: ServiceObject, work: Work): Steps<string> {
  const { type, externalIPs = [], externalName = '' } = spec;
  const external = yield* joinedSteps(externalIPs, String, ',', work);
  if (type === CLUSTER_IP || type === NODE_PORT) return external || NONE;
  if (type === LOAD_BALANCER) {
    const balanced = yield* balancerAddresses(status?.loadBalancer?.ingress, work);
    return [balanced, external].filter((text) => text !== '').join(',') || '<pending>';
  }
  return type === EXTERNAL_NAME ? externalName : '<unknown>';
}

const portText = ({ port, nodePort = 0, protocol = '' }: coreV1.ServicePort): string =>
  nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;

function* portsText({ spec }: ServiceObject, work: Work): Steps<string> {
  return (yield* joinedSteps(spec?.ports ?? [], portText, ',', work)) || NONE;
}

/** Cells of services. */
export const serviceCells: NonNullable<Behaviour<coreV1.Service>['cells']> = {
  Type: ({ spec }) => spec?.type ?? '',
  'Cluster-IP': ({ spec }) => spec?.clusterIPs?.[0] ?? NONE,
  'External-IP': externalIP,
  'Port(s)': portsText,
  Selector: ({ spec }, work) => labelsCell(spec?.selector, work),
};
