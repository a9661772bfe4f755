import type { RequestContext } from '../../../../registry/index.js';
import {
  CLUSTER_IP,
  EXTERNAL_NAME,
  isExternallyAccessible,
  LOAD_BALANCER,
  NODE_PORT,
  type DraftService,
  type DraftSpec,
} from './types.js';

/** How long a client keeps its endpoint, in seconds: three hours. */
const AFFINITY_SECONDS = 10_800;

/** Sets the defaults of a service. Addresses and node ports are allocated later. */
export function setServiceDefaults(service: DraftService, { featureGates }: RequestContext): void {
  const spec = (service.spec ??= {});
  spec.sessionAffinity ||= 'None';
  setAffinityDefaults(spec);
  spec.type ||= CLUSTER_IP;
  for (const port of spec.ports ?? []) {
    port.protocol ||= 'TCP';
    if (!port.targetPort && port.port !== undefined) port.targetPort = port.port;
  }
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ||= 'Cluster';
  if (isKnownType(spec.type) && spec.type !== EXTERNAL_NAME) spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type !== LOAD_BALANCER) return;
  spec.allocateLoadBalancerNodePorts ??= true;
  if (featureGates.enabled('LoadBalancerIPMode'))
    for (const ingress of service.status?.loadBalancer?.ingress ?? []) if (ingress.ip) ingress.ipMode ??= 'VIP';
}

const isKnownType = (type: string): boolean => [CLUSTER_IP, NODE_PORT, LOAD_BALANCER, EXTERNAL_NAME].includes(type);

function setAffinityDefaults(spec: DraftSpec): void {
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== 'ClientIP' || spec.sessionAffinityConfig?.clientIP?.timeoutSeconds !== undefined) return;
  spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: AFFINITY_SECONDS } };
}
