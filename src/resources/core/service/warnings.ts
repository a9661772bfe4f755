import { appendAll } from '../../../meta/append-to.js';
import { goQuote } from '../../../meta/go-text.js';
import type { Dialect } from '../../../names/dialect.js';
import { addressWarnings, networkWarnings } from '../../shared/address-warnings.js';
import { EXTERNAL_NAME, HEADLESS, type ServiceObject } from './types.js';

/** Returns the annotations that choose how the endpoints of a service are distributed; the first one is deprecated. */
export const topologyAnnotations = ({ labelDomain }: Dialect): { readonly hints: string; readonly mode: string } => ({
  hints: `service.${labelDomain}/topology-aware-hints`,
  mode: `service.${labelDomain}/topology-mode`,
});

/** Returns the warnings of a service: deprecated annotations, addresses in unusual forms, fields without effect. */
export function serviceWarnings({ metadata, spec = {} }: ServiceObject, dialect: Dialect): string[] {
  const warnings: string[] = [];
  const { hints, mode } = topologyAnnotations(dialect);
  if (metadata.annotations?.[hints] !== undefined)
    warnings.push(`annotation ${hints} is deprecated, please use ${mode} instead`);
  const { clusterIP = '', clusterIPs = [], externalIPs = [], loadBalancerIP = '' } = spec;
  if (clusterIP !== '' && clusterIP !== HEADLESS)
    for (const [index, ip] of clusterIPs.entries())
      appendAll(warnings, addressWarnings(`spec.clusterIPs[${index}]`, ip, dialect));
  for (const [index, ip] of externalIPs.entries())
    appendAll(warnings, addressWarnings(`spec.externalIPs[${index}]`, ip, dialect));
  if (loadBalancerIP !== '') appendAll(warnings, addressWarnings('spec.loadBalancerIP', loadBalancerIP, dialect));
  for (const [index, range] of (spec.loadBalancerSourceRanges ?? []).entries())
    appendAll(warnings, networkWarnings(`spec.loadBalancerSourceRanges[${index}]`, range, dialect));
  const isName = spec.type === EXTERNAL_NAME;
  if (isName && externalIPs.length > 0)
    warnings.push(`spec.externalIPs is ignored when spec.type is ${goQuote(EXTERNAL_NAME)}`);
  if (!isName && spec.externalName)
    warnings.push(`spec.externalName is ignored when spec.type is not ${goQuote(EXTERNAL_NAME)}`);
  return warnings;
}
