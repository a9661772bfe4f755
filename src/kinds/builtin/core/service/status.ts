import {
  dnsSubdomainErrors,
  FieldErrorList,
  forbidden,
  invalid,
  notSupported,
  required,
  type FieldError,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import type { FeatureSwitches } from '../../../../registry/index.js';
import { IP_TEXT, ipOctets } from '../../shared/network/ip-address.js';
import { nameErrors } from '../../shared/validate.js';
import { LOAD_BALANCER, type ServiceObject } from './types.js';

const MODES = ['Proxy', 'VIP'];
const INGRESS = 'status.loadBalancer.ingress';

/** Returns the errors of the addresses of a load balancer. */
export function* loadBalancerStatusErrors(
  { spec, status }: ServiceObject,
  gates: FeatureSwitches,
  work: Work | undefined,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  const ingresses = status?.loadBalancer?.ingress ?? [];
  if (ingresses.length > 0 && spec?.type !== LOAD_BALANCER && !gates.enabled('AllowServiceLBStatusOnNonLB')) {
    errors.push(forbidden(INGRESS, "may only be used when `spec.type` is 'LoadBalancer'"));
    return errors;
  }
  for (const [index, { ip = '', ipMode, hostname = '' }] of ingresses.entries()) {
    if (errors.spend()) yield;
    const path = `${INGRESS}[${index}]`;
    if (ip !== '' && ipOctets(ip) === undefined) errors.push(invalid(`${path}.ip`, ip, IP_TEXT));
    if (ipMode === undefined) {
      if (ip !== '' && gates.enabled('LoadBalancerIPMode'))
        errors.push(required(`${path}.ipMode`, 'must be specified when `ip` is set'));
    } else if (ip === '') errors.push(forbidden(`${path}.ipMode`, 'may not be specified when `ip` is not set'));
    else if (!MODES.includes(ipMode)) errors.push(notSupported(`${path}.ipMode`, ipMode, MODES));
    balancerHostErrors(errors, `${path}.hostname`, hostname);
  }
  return errors;
}

/** Adds the errors of the DNS name of a load balancer; an empty name is absent. */
export function balancerHostErrors(errors: FieldError[], path: string, hostname = ''): void {
  if (hostname === '') return;
  nameErrors(errors, path, hostname, dnsSubdomainErrors(hostname));
  if (ipOctets(hostname) !== undefined) errors.push(invalid(path, hostname, 'must be a DNS name, not an IP address'));
}
