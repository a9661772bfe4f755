import {
  forbidden,
  invalid,
  notSupported,
  qualifiedName,
  required,
  type Dialect,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../../foundation/index.js';
import { CIDR_TEXT, parseNetwork } from '../../shared/network/ip-network.js';
import { nameErrors } from '../../shared/validate.js';
import { portNumber } from '../pod/validate/validate-ports.js';
import {
  isExternallyAccessible,
  LOAD_BALANCER,
  needsHealthCheck,
  type ServiceObject,
  type ServiceSpec,
  type SpecView,
} from './types.js';

const POLICIES = ['Cluster', 'Local'];
const AFFINITIES = ['ClientIP', 'None'];
const MAX_AFFINITY_SECONDS = 86_400;
const ONLY_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'";
const CLASS = 'spec.loadBalancerClass';

/** Adds the errors of the session affinity. */
export function affinityErrors(errors: FieldError[], { sessionAffinity, sessionAffinityConfig }: ServiceSpec): void {
  const path = 'spec.sessionAffinity';
  if (!sessionAffinity) errors.push(required(path));
  else if (!AFFINITIES.includes(sessionAffinity)) errors.push(notSupported(path, sessionAffinity, AFFINITIES));
  const config = 'spec.sessionAffinityConfig';
  if (sessionAffinity === 'None' && sessionAffinityConfig !== undefined)
    errors.push(forbidden(config, 'must not be set when session affinity is None'));
  if (sessionAffinity !== 'ClientIP') return;
  const why = 'when session affinity type is ClientIP';
  if (sessionAffinityConfig === undefined) return void errors.push(required(config, why));
  if (sessionAffinityConfig.clientIP === undefined) return void errors.push(required(`${config}.clientIP`, why));
  const { timeoutSeconds } = sessionAffinityConfig.clientIP;
  const timeout = `${config}.clientIP.timeoutSeconds`;
  if (timeoutSeconds === undefined) errors.push(required(timeout, why));
  else if (timeoutSeconds <= 0 || timeoutSeconds > MAX_AFFINITY_SECONDS)
    errors.push(invalid(timeout, timeoutSeconds, `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`));
}

/** Adds the errors of the sources that a load balancer accepts, by the field or by the older annotation. */
export function* sourceRangeErrors(
  errors: FieldErrorList,
  { metadata, spec = {} }: ServiceObject,
  dialect: Dialect,
): Steps<void> {
  const { loadBalancerSourceRanges: ranges = [], type } = spec;
  const isBalanced = type === LOAD_BALANCER;
  const check = (path: string, text: string): void => {
    const range = text.trim();
    if (parseNetwork(range) === undefined) errors.push(invalid(path, range, CIDR_TEXT));
  };
  if (ranges.length > 0) {
    // Kubernetes writes the field with a capital letter.
    const path = 'spec.LoadBalancerSourceRanges';
    if (!isBalanced) errors.push(forbidden(path, ONLY_LOAD_BALANCER));
    for (const [index, range] of ranges.entries()) {
      if (errors.spend()) yield;
      check(`${path}[${index}]`, range);
    }
    return;
  }
  const key = `service.beta.${dialect.labelDomain}/load-balancer-source-ranges`;
  const value = metadata.annotations?.[key];
  if (value === undefined) return;
  const path = `metadata.annotations[${key}]`;
  if (!isBalanced) errors.push(forbidden(path, ONLY_LOAD_BALANCER));
  if (value.trim() !== '')
    for (const range of value.trim().split(',')) {
      if (errors.spend()) yield;
      check(path, range);
    }
}

/** Adds the errors of the fields of load balancers. */
export function loadBalancerErrors(errors: FieldError[], spec: ServiceSpec): void {
  const isBalanced = spec.type === LOAD_BALANCER;
  const allocates = spec.allocateLoadBalancerNodePorts;
  if (!isBalanced && allocates !== undefined)
    errors.push(forbidden('spec.allocateLoadBalancerNodePorts', ONLY_LOAD_BALANCER));
  // Kubernetes omits `spec` here.
  if (isBalanced && allocates === undefined) errors.push(required('allocateLoadBalancerNodePorts'));
  classErrors(errors, spec);
}

function classErrors(errors: FieldError[], { type, loadBalancerClass }: SpecView): void {
  if (loadBalancerClass === undefined) return;
  if (type === LOAD_BALANCER) nameErrors(errors, CLASS, loadBalancerClass, qualifiedName(loadBalancerClass));
  else errors.push(forbidden(CLASS, ONLY_LOAD_BALANCER));
}

/** Adds the errors of a change of the class of a load balancer. */
export function classChangeErrors(errors: FieldError[], spec: SpecView, old: SpecView): void {
  const { loadBalancerClass } = spec;
  if (spec.type === LOAD_BALANCER && old.type === LOAD_BALANCER && loadBalancerClass !== old.loadBalancerClass)
    errors.push(invalid(CLASS, loadBalancerClass, 'may not change once set'));
  classErrors(errors, spec);
}

/** Adds the errors of the policy for traffic from outside, and of the port of its health check. */
export function externalTrafficErrors(errors: FieldError[], spec: SpecView): void {
  const { externalTrafficPolicy = '', healthCheckNodePort = 0 } = spec;
  const policy = 'spec.externalTrafficPolicy';
  if (!isExternallyAccessible(spec)) {
    if (externalTrafficPolicy !== '')
      errors.push(invalid(policy, externalTrafficPolicy, 'may only be set for externally-accessible services'));
  } else if (externalTrafficPolicy === '') errors.push(required(policy));
  else if (!POLICIES.includes(externalTrafficPolicy))
    errors.push(notSupported(policy, externalTrafficPolicy, POLICIES));
  const port = 'spec.healthCheckNodePort';
  if (!needsHealthCheck(spec)) {
    if (healthCheckNodePort !== 0)
      errors.push(
        invalid(
          port,
          healthCheckNodePort,
          "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
        ),
      );
  } else if (healthCheckNodePort === 0) errors.push(required(port));
  else for (const problem of portNumber(healthCheckNodePort)) errors.push(invalid(port, healthCheckNodePort, problem));
}

/** Adds the error of a changed port of the health check. */
export function healthCheckChangeErrors(errors: FieldError[], spec: SpecView, old: SpecView): void {
  if (!needsHealthCheck(spec) || !needsHealthCheck(old)) return;
  if ((spec.healthCheckNodePort ?? 0) !== (old.healthCheckNodePort ?? 0))
    errors.push(forbidden('spec.healthCheckNodePort', 'field is immutable'));
}

/** Adds the errors of the policy for traffic from inside, and of the distribution of traffic. */
export function internalTrafficErrors(errors: FieldError[], spec: ServiceSpec): void {
  const { type = '', internalTrafficPolicy, trafficDistribution } = spec;
  const path = 'spec.internalTrafficPolicy';
  if (internalTrafficPolicy === undefined) {
    if (['NodePort', 'LoadBalancer', 'ClusterIP'].includes(type)) errors.push(required(path));
  } else if (!POLICIES.includes(internalTrafficPolicy))
    errors.push(notSupported(path, internalTrafficPolicy, POLICIES));
  if (trafficDistribution !== undefined && trafficDistribution !== 'PreferClose')
    errors.push(notSupported('spec.trafficDistribution', trafficDistribution, ['PreferClose']));
}
