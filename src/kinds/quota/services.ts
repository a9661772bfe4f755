import type { coreV1 } from '../types/index.js';
import { countOf, type Amounts } from './amounts.js';
import { countName, type MeasuredObject, type QuotaEvaluator } from './evaluator.js';

/** A service, as far as quotas measure it. */
export interface MeasuredService extends MeasuredObject {
  readonly spec?: Readonly<Pick<coreV1.ServiceSpec, 'allocateLoadBalancerNodePorts' | 'ports' | 'type'>> | undefined;
}

const COUNT = countName('', 'services');
const NODE_PORTS = 'services.nodeports';
const LOAD_BALANCERS = 'services.loadbalancers';
const MEASURED: readonly string[] = [COUNT, 'services', NODE_PORTS, LOAD_BALANCERS];

/** Returns the number of node ports that a service has or will get. */
function nodePortsOf({
  type,
  ports = [],
  allocateLoadBalancerNodePorts,
}: NonNullable<MeasuredService['spec']>): number {
  if (type === 'NodePort') return ports.length;
  if (type !== 'LoadBalancer') return 0;
  return allocateLoadBalancerNodePorts === false
    ? ports.filter(({ nodePort = 0 }) => nodePort !== 0).length
    : ports.length;
}

/** The evaluator of services. */
export const serviceEvaluator: QuotaEvaluator<MeasuredService> = {
  group: '',
  resource: 'services',
  measures: (name) => MEASURED.includes(name),
  isInScope: () => false,
  usage: ({ spec = {} }): Amounts =>
    new Map([
      [COUNT, countOf(1)],
      ['services', countOf(1)],
      [NODE_PORTS, countOf(nodePortsOf(spec))],
      [LOAD_BALANCERS, countOf(spec.type === 'LoadBalancer' ? 1 : 0)],
    ]),
};
