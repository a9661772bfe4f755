import { appendAll, goQuote, WarningList, type Dialect, type Steps, type Work } from '../../../../foundation/index.js';
import { addressWarnings, networkWarnings } from '../../shared/network/address-warnings.js';
import { EXTERNAL_NAME, HEADLESS, type ServiceObject } from './types.js';

/** Returns the annotations that choose how the endpoints of a service are distributed; the first one is deprecated. */
export const topologyAnnotations = ({ labelDomain }: Dialect): { readonly hints: string; readonly mode: string } => ({
  hints: `service.${labelDomain}/topology-aware-hints`,
  mode: `service.${labelDomain}/topology-mode`,
});

/** Adds the warnings about each text of a list. */
function* warnOfEach(
  warnings: WarningList,
  path: string,
  texts: readonly string[],
  warningsOf: (path: string, text: string) => readonly string[],
): Steps<void> {
  for (const [index, text] of texts.entries()) {
    if (warnings.isFull) return;
    if (warnings.spend()) yield;
    appendAll(warnings, warningsOf(`${path}[${index}]`, text));
  }
}

/** Returns the warnings of a service: deprecated annotations, addresses in unusual forms, fields without effect. */
export function* serviceWarnings(
  { metadata, spec = {} }: ServiceObject,
  dialect: Dialect,
  work: Work | undefined,
): Steps<WarningList> {
  const warnings = new WarningList(work);
  const { hints, mode } = topologyAnnotations(dialect);
  if (metadata.annotations?.[hints] !== undefined)
    warnings.push(`annotation ${hints} is deprecated, please use ${mode} instead`);
  const { clusterIP = '', clusterIPs = [], externalIPs = [], loadBalancerIP = '' } = spec;
  const ofAddress = (path: string, ip: string): readonly string[] => addressWarnings(path, ip, dialect);
  if (clusterIP !== '' && clusterIP !== HEADLESS) yield* warnOfEach(warnings, 'spec.clusterIPs', clusterIPs, ofAddress);
  yield* warnOfEach(warnings, 'spec.externalIPs', externalIPs, ofAddress);
  if (loadBalancerIP !== '') appendAll(warnings, ofAddress('spec.loadBalancerIP', loadBalancerIP));
  const ofNetwork = (path: string, range: string): readonly string[] => networkWarnings(path, range, dialect);
  yield* warnOfEach(warnings, 'spec.loadBalancerSourceRanges', spec.loadBalancerSourceRanges ?? [], ofNetwork);
  const isName = spec.type === EXTERNAL_NAME;
  if (isName && externalIPs.length > 0)
    warnings.push(`spec.externalIPs is ignored when spec.type is ${goQuote(EXTERNAL_NAME)}`);
  if (!isName && spec.externalName)
    warnings.push(`spec.externalName is ignored when spec.type is not ${goQuote(EXTERNAL_NAME)}`);
  return warnings;
}
