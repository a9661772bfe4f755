import { dnsLabel1035, equalJson } from '../../../../foundation/index.js';
import type { RequestContext, Strategy, SubresourceStrategy } from '../../../../registry/index.js';
import { setServiceDefaults } from './defaults.js';
import { loadBalancerStatusErrors } from './status.js';
import {
  LOAD_BALANCER,
  mayHaveNodePort,
  needsClusterIP,
  needsHealthCheck,
  nodePortsOf,
  sameTexts,
  type DraftService,
  type DraftSpec,
  type ServiceObject,
  type ServiceSpec,
} from './types.js';
import { serviceErrors } from './validate.js';
import { serviceWarnings } from './warnings.js';

/** Drops the fields of disabled features that the stored service does not have. */
function dropDisabledFields(service: DraftService, old: ServiceObject | undefined, context: RequestContext): void {
  const { featureGates } = context;
  if (!featureGates.enabled('ServiceTrafficDistribution') && old?.spec?.trafficDistribution === undefined)
    delete service.spec?.trafficDistribution;
  const hasIPMode = old?.status?.loadBalancer?.ingress?.some(({ ipMode }) => ipMode !== undefined) === true;
  if (!featureGates.enabled('LoadBalancerIPMode') && !hasIPMode)
    for (const ingress of service.status?.loadBalancer?.ingress ?? []) delete ingress.ipMode;
}

/**
 * Clears fields that do not apply to the new type of a service and that the client has not changed: the server may have
 * set them. A client that did change them gets an error.
 */
function dropFieldsOfOldType(service: DraftService, spec: DraftSpec, old: ServiceSpec): void {
  if (needsClusterIP(old) && !needsClusterIP(spec)) dropAddresses(spec, old);
  if (mayHaveNodePort(old) && !mayHaveNodePort(spec)) {
    const before = new Set(nodePortsOf(old));
    if (nodePortsOf(spec).every((port) => before.has(port))) for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (needsHealthCheck(old) && !needsHealthCheck(spec) && spec.healthCheckNodePort === old.healthCheckNodePort)
    delete spec.healthCheckNodePort;
  if (old.type === LOAD_BALANCER && spec.type !== LOAD_BALANCER) {
    if (spec.allocateLoadBalancerNodePorts === old.allocateLoadBalancerNodePorts)
      delete spec.allocateLoadBalancerNodePorts;
    if (spec.loadBalancerClass === old.loadBalancerClass) delete spec.loadBalancerClass;
  }
  if (mayHaveNodePort(old) && !mayHaveNodePort(spec) && spec.externalTrafficPolicy === old.externalTrafficPolicy)
    delete spec.externalTrafficPolicy;
  if (spec.type !== LOAD_BALANCER) service.status = { ...service.status, loadBalancer: {} };
}

function dropAddresses(spec: DraftSpec, old: ServiceSpec): void {
  if ((spec.clusterIP ?? '') === (old.clusterIP ?? '') && sameTexts(spec.clusterIPs, old.clusterIPs)) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  if (sameTexts(spec.ipFamilies, old.ipFamilies)) delete spec.ipFamilies;
  if (spec.ipFamilyPolicy === old.ipFamilyPolicy) delete spec.ipFamilyPolicy;
}

/** The main resource. Addresses and node ports are allocated before these hooks run; see `allocation`. */
export const serviceStrategy: Strategy<ServiceObject> = {
  nameRule: dnsLabel1035,
  allowCreateOnUpdate: true,
  deleteReturnsObject: true,
  defaults: setServiceDefaults,
  prepareForCreate(service, context) {
    service.status = { loadBalancer: {} };
    dropDisabledFields(service, undefined, context);
  },
  prepareForUpdate(service, old, context) {
    service.status = { ...old.status };
    dropDisabledFields(service, old, context);
    dropFieldsOfOldType(service, (service.spec ??= {}), old.spec ?? {});
  },
  validate: (service, { dialect, work }, old) => serviceErrors(service, dialect, old, work),
  warnings: (service, _old, { dialect, work }) => serviceWarnings(service, dialect, work),
};

/** `/status`: keeps the spec. */
export const serviceStatusStrategy: SubresourceStrategy<ServiceObject> = {
  resetFields: [['spec']],
  prepareForUpdate(service, old) {
    if (old.spec === undefined) delete service.spec;
    else if (!equalJson(service.spec, old.spec)) service.spec = old.spec;
  },
  validateUpdate: (service, _old, { featureGates, work }) => loadBalancerStatusErrors(service, featureGates, work),
};
