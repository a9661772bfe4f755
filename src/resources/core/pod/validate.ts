import { forbidden, invalid, type FieldError } from '../../../meta/field-error.js';
import { dnsLabelErrors, dnsSubdomain, serviceAccountName } from '../../../meta/names.js';
import { validateLabels } from '../../../meta/validate-labels.js';
import type { Dialect } from '../../../names/dialect.js';
import { nameErrors, oneOf } from '../../shared/validate.js';
import type { PodSpec } from './types.js';
import { validateContainers } from './validate-containers.js';
import { validateDns, validateHostAliases } from './validate-network.js';
import { validateHostNetworkPorts } from './validate-ports.js';
import { validateAffinity, validateGates, validateSpread } from './validate-scheduling.js';
import { validatePodSecurity } from './validate-security.js';
import { validateTolerations } from './validate-tolerations.js';
import { validateVolumes } from './validate-volumes.js';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['Never', 'PreemptLowerPriority'];
const SYSTEMS = ['linux', 'windows'];
const MAX_INT32 = 2 ** 31 - 1;

/** Validates the names in the spec. */
function validateNames(errors: FieldError[], path: string, spec: PodSpec): void {
  const { serviceAccountName: account, nodeName, hostname, subdomain, priorityClassName, runtimeClassName } = spec;
  if (account) nameErrors(errors, `${path}.serviceAccountName`, account, serviceAccountName(account, false));
  if (nodeName) nameErrors(errors, `${path}.nodeName`, nodeName, dnsSubdomain(nodeName, false));
  if (hostname) nameErrors(errors, `${path}.hostname`, hostname, dnsLabelErrors(hostname));
  if (subdomain) nameErrors(errors, `${path}.subdomain`, subdomain, dnsLabelErrors(subdomain));
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
export function validatePodSpec(path: string, spec: PodSpec, dialect: Dialect): FieldError[] {
  const errors: FieldError[] = [];
  const volumes = validateVolumes(errors, `${path}.volumes`, spec.volumes ?? []);
  validateContainers(errors, path, spec, { volumes, dialect, gracePeriod: spec.terminationGracePeriodSeconds });
  oneOf(errors, `${path}.restartPolicy`, spec.restartPolicy, RESTART_POLICIES);
  oneOf(errors, `${path}.dnsPolicy`, spec.dnsPolicy, DNS_POLICIES);
  errors.push(...validateLabels(spec.nodeSelector, `${path}.nodeSelector`));
  if (spec.hostNetwork) {
    validateHostNetworkPorts(errors, `${path}.containers`, spec.containers);
    validateHostNetworkPorts(errors, `${path}.initContainers`, spec.initContainers ?? []);
  }
  validatePodSecurity(errors, `${path}.securityContext`, spec);
  validateAffinity(errors, `${path}.affinity`, spec.affinity);
  validateDns(errors, `${path}.dnsConfig`, spec);
  validateGates(errors, path, spec);
  validateSpread(errors, `${path}.topologySpreadConstraints`, spec.topologySpreadConstraints ?? []);
  validateNames(errors, path, spec);
  const { activeDeadlineSeconds: deadline, preemptionPolicy, os } = spec;
  if (deadline !== undefined && (deadline < 1 || deadline > MAX_INT32)) {
    errors.push(invalid(`${path}.activeDeadlineSeconds`, deadline, `must be between 1 and ${MAX_INT32}, inclusive`));
  }
  validateTolerations(errors, `${path}.tolerations`, spec.tolerations ?? []);
  validateHostAliases(errors, `${path}.hostAliases`, spec.hostAliases);
  if (preemptionPolicy !== undefined) oneOf(errors, `${path}.preemptionPolicy`, preemptionPolicy, PREEMPTION_POLICIES);
  if (os !== undefined) oneOf(errors, `${path}.os.name`, os.name, SYSTEMS);
  return errors;
}

/** Applies the additional rules for a new pod. */
export function validateNewPod(spec: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  if ((spec.ephemeralContainers ?? []).length > 0)
    errors.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'));
  if (spec.nodeName && (spec.schedulingGates ?? []).length > 0) {
    errors.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  return errors;
}
