import { appendErrors, FieldErrorList } from '../../../meta/field-error-list.js';
import { duplicate, forbidden, invalid, required, type FieldError } from '../../../meta/field-error.js';
import { dnsLabelErrors, dnsSubdomain, serviceAccountName } from '../../../meta/names.js';
import { validateLabels } from '../../../meta/validate-labels.js';
import { nameErrors, oneOf } from '../../shared/validate.js';
import type { PodRules } from './rules.js';
import type { PodSpec } from './types.js';
import { validateAppArmorAgreement, validatePodAnnotations, validateSeccompAgreement } from './validate-annotations.js';
import { validateContainers, validateImageSpace } from './validate-containers.js';
import { validateDns, validateHostAliases } from './validate-network.js';
import { validateHostNetworkPorts } from './validate-ports.js';
import { validateAffinity, validateGates, validateSpread } from './validate-scheduling.js';
import { validateOs } from './validate-os.js';
import { validateResources } from './validate-resources.js';
import { validatePodSecurity } from './validate-security.js';
import { validateTolerations } from './validate-tolerations.js';
import { validateVolumes } from './validate-volumes.js';
import { validateHostProcess } from './validate-windows.js';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const MAX_INT32 = 2 ** 31 - 1;
const NO_CLAIMS: ReadonlySet<string> = new Set();

/** Validates the claims of resources of a pod. */
function validateClaims(errors: FieldError[], path: string, claims: NonNullable<PodSpec['resourceClaims']>): void {
  const names = new Set<string>();
  for (const [index, claim] of claims.entries()) {
    const at = `${path}[${index}]`;
    const { name, resourceClaimName, resourceClaimTemplateName } = claim;
    if (name === '') errors.push(required(`${at}.name`));
    else if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    else nameErrors(errors, `${at}.name`, name, dnsLabelErrors(name));
    names.add(name);
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined)
      errors.push(
        invalid(at, claim, 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'),
      );
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined)
      errors.push(invalid(at, claim, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'));
    for (const [field, value] of Object.entries({ resourceClaimName, resourceClaimTemplateName }))
      if (value !== undefined) nameErrors(errors, `${at}.${field}`, value, dnsSubdomain(value, false));
  }
}

/** Refuses namespaces of the node for a pod with users of its own. */
function validateHostUsers(
  errors: FieldError[],
  path: string,
  { hostUsers, hostNetwork, hostPID, hostIPC }: PodSpec,
): void {
  if (hostUsers !== false) return;
  const detail = 'when `pod.Spec.HostUsers` is false';
  if (hostNetwork) errors.push(forbidden(`${path}.hostNetwork`, detail));
  if (hostPID) errors.push(forbidden(`${path}.HostPID`, detail));
  if (hostIPC) errors.push(forbidden(`${path}.HostIPC`, detail));
}

/** Returns the names of the claims of resources. */
function claimNames(claims: PodSpec['resourceClaims']): ReadonlySet<string> {
  if (claims === undefined) return NO_CLAIMS;
  return new Set(claims.map(({ name }) => name).filter((name) => name !== ''));
}

function validateAllContainers(errors: FieldError[], path: string, spec: PodSpec, rules: PodRules): void {
  const volumes = validateVolumes(errors, `${path}.volumes`, spec.volumes ?? [], rules);
  if (spec.resourceClaims !== undefined) validateClaims(errors, `${path}.resourceClaims`, spec.resourceClaims);
  validateContainers(errors, path, spec, {
    volumes,
    rules,
    restartPolicy: spec.restartPolicy,
    gracePeriod: spec.terminationGracePeriodSeconds,
    claims: claimNames(spec.resourceClaims),
    hostUsers: spec.hostUsers !== false,
  });
  if (spec.hostNetwork) validateHostNetworkPorts(errors, `${path}.containers`, spec.containers, rules.isPod);
}

/** Validates where a pod runs, and with which rights. */
function validatePlacement(errors: FieldError[], path: string, spec: PodSpec, rules: PodRules): void {
  oneOf(errors, `${path}.restartPolicy`, spec.restartPolicy, RESTART_POLICIES);
  oneOf(errors, `${path}.dnsPolicy`, spec.dnsPolicy, DNS_POLICIES);
  appendErrors(errors, validateLabels(spec.nodeSelector, `${path}.nodeSelector`));
  validatePodSecurity(errors, `${path}.securityContext`, spec, rules);
  validateAffinity(errors, `${path}.affinity`, spec.affinity, rules);
  validateDns(errors, `${path}.dnsConfig`, spec);
  validateGates(errors, path, spec);
  validateSpread(errors, `${path}.topologySpreadConstraints`, spec.topologySpreadConstraints ?? [], rules);
  validateHostProcess(errors, path, spec);
  validateHostUsers(errors, path, spec);
}

/** Validates the names in the spec, and the fields between them, in the order of Kubernetes. */
function validateNames(errors: FieldError[], path: string, spec: PodSpec): void {
  const { serviceAccountName: account, nodeName, hostname, subdomain, priorityClassName, runtimeClassName } = spec;
  if (account) nameErrors(errors, `${path}.serviceAccountName`, account, serviceAccountName(account, false));
  if (nodeName) nameErrors(errors, `${path}.nodeName`, nodeName, dnsSubdomain(nodeName, false));
  const { activeDeadlineSeconds: deadline } = spec;
  if (deadline !== undefined && (deadline < 1 || deadline > MAX_INT32))
    errors.push(invalid(`${path}.activeDeadlineSeconds`, deadline, `must be between 1 and ${MAX_INT32}, inclusive`));
  if (hostname) nameErrors(errors, `${path}.hostname`, hostname, dnsLabelErrors(hostname));
  if (subdomain) nameErrors(errors, `${path}.subdomain`, subdomain, dnsLabelErrors(subdomain));
  validateTolerations(errors, `${path}.tolerations`, spec.tolerations ?? []);
  validateHostAliases(errors, `${path}.hostAliases`, spec.hostAliases);
  if (priorityClassName)
    nameErrors(errors, `${path}.priorityClassName`, priorityClassName, dnsSubdomain(priorityClassName, false));
  if (runtimeClassName !== undefined)
    nameErrors(errors, `${path}.runtimeClassName`, runtimeClassName, dnsSubdomain(runtimeClassName, false));
}

/**
 * Validates the spec of a pod or of a pod template, on creation and update.
 *
 * @param path path of the spec: `spec`, `spec.template.spec`
 * @returns errors with the order and texts of Kubernetes
 */
export function validatePodSpec(path: string, spec: PodSpec, rules: PodRules): FieldError[] {
  const errors = new FieldErrorList();
  validateAllContainers(errors, path, spec, rules);
  validatePlacement(errors, path, spec, rules);
  validateNames(errors, path, spec);
  const { preemptionPolicy, overhead } = spec;
  if (preemptionPolicy !== undefined) oneOf(errors, `${path}.preemptionPolicy`, preemptionPolicy, PREEMPTION_POLICIES);
  if (overhead !== undefined) validateResources(errors, `${path}.overhead`, { limits: overhead }, rules, NO_CLAIMS);
  validateOs(errors, path, spec);
  return errors;
}

/** Refuses tokens of a pod without an account. */
function validateTokens(errors: FieldError[], { serviceAccountName: account, volumes = [] }: PodSpec): void {
  if (account) return;
  for (const [index, { projected }] of volumes.entries())
    for (const [position, { serviceAccountToken }] of (projected?.sources ?? []).entries())
      if (serviceAccountToken !== undefined)
        errors.push(
          forbidden(
            `spec.volumes[${index}].projected.sources[${position}].serviceAccountToken`,
            'must not be specified when serviceAccountName is not set',
          ),
        );
}

type Annotations = Readonly<Record<string, string>>;

/** Validates the spec and the annotations of a pod, on creation and update. */
export function validatePod(spec: PodSpec, annotations: Annotations, rules: PodRules): FieldError[] {
  const errors = new FieldErrorList();
  validatePodAnnotations(errors, 'metadata.annotations', annotations, spec, rules);
  appendErrors(errors, validatePodSpec('spec', spec, rules));
  validateTokens(errors, spec);
  for (const list of ['containers', 'initContainers'] as const)
    for (const [index, { image }] of (spec[list] ?? []).entries())
      validateImageSpace(errors, `spec.${list}[${index}].image`, image);
  return errors;
}

/** Applies the additional rules for a new pod. */
export function validateNewPod(spec: PodSpec, annotations: Annotations, { dialect }: PodRules): FieldError[] {
  const errors = new FieldErrorList();
  if ((spec.ephemeralContainers ?? []).length > 0)
    errors.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'));
  if (spec.nodeName && (spec.schedulingGates ?? []).length > 0)
    errors.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  validateSeccompAgreement(errors, 'spec', annotations, spec, dialect);
  validateAppArmorAgreement(errors, 'spec', annotations, spec, dialect);
  return errors;
}
