import {
  appendErrors,
  checkLabels,
  dnsSubdomainErrors,
  FieldErrorList,
  forbidden,
  invalid,
  notSupported,
  required,
  type Dialect,
  type FieldError,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import { IP_TEXT, ipOctets } from '../../shared/network/ip-address.js';
import { ordinaryAddress } from '../../shared/network/special-address.js';
import { nameErrors } from '../../shared/validate.js';
import {
  CLUSTER_IP,
  EXTERNAL_NAME,
  isHeadless,
  LOAD_BALANCER,
  NODE_PORT,
  type ServiceObject,
  type ServiceSpec,
} from './types.js';
import { clusterIPChangeErrors, clusterIPErrors, familyChangeErrors } from './validate-cluster-ips.js';
import { NODE_AGENT_PORT, portConflictErrors, portErrors } from './validate-ports.js';
import {
  affinityErrors,
  classChangeErrors,
  externalTrafficErrors,
  healthCheckChangeErrors,
  internalTrafficErrors,
  loadBalancerErrors,
  sourceRangeErrors,
} from './validate-traffic.js';
import { topologyAnnotations } from './warnings.js';

const TYPES = [CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT];

/**
 * Returns the errors of a service, after its addresses and ports are allocated. Those of a change come first.
 *
 * @see release 1.31, `ValidateService` and `ValidateServiceUpdate` of core
 */
export function* serviceErrors(
  service: ServiceObject,
  dialect: Dialect,
  old: ServiceObject | undefined,
  work: Work | undefined,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  const { spec = {} } = service;
  if (old !== undefined) yield* changeErrors(errors, spec, old.spec ?? {});
  topologyErrors(errors, service, dialect);
  if ((spec.ports ?? []).length === 0 && !isHeadless(spec) && spec.type !== EXTERNAL_NAME)
    errors.push(required('spec.ports'));
  yield* typeErrors(errors, spec, dialect);
  yield* portErrors(errors, spec.ports ?? []);
  appendErrors(errors, yield* checkLabels(spec.selector, 'spec.selector', errors.work));
  affinityErrors(errors, spec);
  yield* clusterIPErrors(errors, spec);
  for (const [index, ip] of (spec.externalIPs ?? []).entries()) {
    if (errors.spend()) yield;
    const path = `spec.externalIPs[${index}]`;
    if (ipOctets(ip) === undefined) errors.push(invalid(path, ip, IP_TEXT));
    else ordinaryAddress(errors, path, ip);
  }
  if (!spec.type) errors.push(required('spec.type'));
  else if (!TYPES.includes(spec.type)) errors.push(notSupported('spec.type', spec.type, TYPES));
  yield* portConflictErrors(errors, spec);
  yield* sourceRangeErrors(errors, service, dialect);
  loadBalancerErrors(errors, spec);
  externalTrafficErrors(errors, spec);
  internalTrafficErrors(errors, spec);
  return errors;
}

/** Refuses two annotations for the same choice that differ. */
function topologyErrors(errors: FieldError[], { metadata }: ServiceObject, dialect: Dialect): void {
  const { hints, mode } = topologyAnnotations(dialect);
  const [former, current] = [metadata.annotations?.[hints], metadata.annotations?.[mode]];
  if (former === undefined || current === undefined || former === current) return;
  const why = `must match annotations[${hints}] when both are specified`;
  errors.push(invalid(`metadata.annotations[${mode}]`, current, why));
}

function* changeErrors(errors: FieldErrorList, spec: ServiceSpec, old: ServiceSpec): Steps<void> {
  yield* clusterIPChangeErrors(errors, spec, old);
  yield* familyChangeErrors(errors, spec, old);
  classChangeErrors(errors, spec, old);
  healthCheckChangeErrors(errors, spec, old);
}

/** Adds the errors of the fields that one type of service must or must not have. */
function* typeErrors(errors: FieldErrorList, spec: ServiceSpec, dialect: Dialect): Steps<void> {
  const { type, ports = [], clusterIPs = [] } = spec;
  if (type === LOAD_BALANCER)
    for (const [index, { port }] of ports.entries()) {
      if (errors.spend()) yield;
      if (port === NODE_AGENT_PORT)
        errors.push(
          invalid(
            `spec.ports[${index}]`,
            port,
            `may not expose port ${NODE_AGENT_PORT} externally since it is used by ${dialect.nodeAgentName}`,
          ),
        );
    }
  if ((type === LOAD_BALANCER || type === NODE_PORT) && isHeadless(spec))
    errors.push(invalid('spec.clusterIPs[0]', clusterIPs[0], `may not be set to 'None' for ${type} services`));
  if (type === EXTERNAL_NAME) externalNameErrors(errors, spec);
}

function externalNameErrors(errors: FieldError[], spec: ServiceSpec): void {
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy, externalName = '' } = spec;
  const why = 'may not be set for ExternalName services';
  if (clusterIPs.length > 0) errors.push(forbidden('spec.clusterIPs', why));
  if (ipFamilies.length > 0) errors.push(forbidden('spec.ipFamilies', why));
  if (ipFamilyPolicy !== undefined) errors.push(forbidden('spec.ipFamilyPolicy', why));
  // A trailing dot marks a fully qualified name.
  const name = externalName.endsWith('.') ? externalName.slice(0, -1) : externalName;
  if (name === '') errors.push(required('spec.externalName'));
  else nameErrors(errors, 'spec.externalName', name, dnsSubdomainErrors(name));
}
