import {
  appendErrors,
  checkLabels,
  dnsLabelErrors,
  dnsSubdomain,
  duplicate,
  FieldErrorList,
  forbidden,
  invalid,
  isSteps,
  required,
  serviceAccountName,
  type FieldError,
  type Steps,
  type Work,
} from '../../../../../foundation/index.js';
import { between, fields, filled, mandatory, oneOf, valid, whereSet } from '../../../shared/field-rules.js';
import { nameErrors } from '../../../shared/validate.js';
import { isEmptyMap } from '../empty-map.js';
import type { PodRules } from '../rules.js';
import type { PodSpec } from '../types.js';
import { ClaimNames } from './claim-names.js';
import { validateAppArmorAgreement, validatePodAnnotations, validateSeccompAgreement } from './validate-annotations.js';
import { validateContainers, validateImageSpace } from './validate-containers.js';
import { validateDns, validateHostAliases } from './validate-network.js';
import { validateOs } from './validate-os.js';
import { validateHostNetworkPorts } from './validate-ports.js';
import { validateResources } from './validate-resources.js';
import { validateAffinity, validateGates, validateSpread } from './validate-scheduling.js';
import { validatePodSecurity } from './validate-security.js';
import { validateTolerations } from './validate-tolerations.js';
import { validateVolumes } from './validate-volumes.js';
import { validateHostProcess } from './validate-windows.js';

const restartPolicy = mandatory(oneOf(['Always', 'OnFailure', 'Never']));
const dnsPolicy = mandatory(oneOf(['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']));
const MAX_INT32 = 2 ** 31 - 1;

/** Validates the claims of resources of a pod. */
function* validateClaims(
  errors: FieldErrorList,
  path: string,
  claims: NonNullable<PodSpec['resourceClaims']>,
): Steps<void> {
  const names = new Set<string>();
  for (const [index, claim] of claims.entries()) {
    if (errors.spend()) yield;
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

function* validateAllContainers(errors: FieldErrorList, path: string, spec: PodSpec, rules: PodRules): Steps<void> {
  const volumes = yield* validateVolumes(errors, `${path}.volumes`, spec.volumes ?? [], rules);
  if (spec.resourceClaims !== undefined) yield* validateClaims(errors, `${path}.resourceClaims`, spec.resourceClaims);
  yield* validateContainers(errors, path, spec, {
    volumes,
    rules,
    restartPolicy: spec.restartPolicy,
    gracePeriod: spec.terminationGracePeriodSeconds,
    claims: new ClaimNames(spec.resourceClaims),
    hostUsers: spec.hostUsers !== false,
  });
  if (spec.hostNetwork) yield* validateHostNetworkPorts(errors, `${path}.containers`, spec.containers, rules.isPod);
}

/** Validates where a pod runs, and with which rights. */
function* validatePlacement(errors: FieldErrorList, path: string, spec: PodSpec, rules: PodRules): Steps<void> {
  restartPolicy(errors, `${path}.restartPolicy`, spec.restartPolicy);
  dnsPolicy(errors, `${path}.dnsPolicy`, spec.dnsPolicy);
  // Steps cost more than a look at what most pods do not have.
  if (spec.nodeSelector !== undefined)
    appendErrors(errors, yield* checkLabels(spec.nodeSelector, `${path}.nodeSelector`, errors.work));
  yield* validatePodSecurity(errors, `${path}.securityContext`, spec, rules);
  if (spec.affinity !== undefined) yield* validateAffinity(errors, `${path}.affinity`, spec.affinity, rules);
  if (spec.dnsConfig !== undefined || spec.dnsPolicy === 'None') yield* validateDns(errors, `${path}.dnsConfig`, spec);
  if (spec.readinessGates !== undefined || spec.schedulingGates !== undefined) yield* validateGates(errors, path, spec);
  const { topologySpreadConstraints: constraints } = spec;
  if (constraints !== undefined) yield* validateSpread(errors, `${path}.topologySpreadConstraints`, constraints, rules);
  yield* validateHostProcess(errors, path, spec, rules);
  validateHostUsers(errors, path, spec);
}

/** The names in the spec, and the fields between them, in the order of Kubernetes. */
const nameRules = fields<PodSpec>({
  serviceAccountName: filled(valid(serviceAccountName)),
  nodeName: filled(valid(dnsSubdomain)),
  activeDeadlineSeconds: between(1, MAX_INT32),
  hostname: filled(valid(dnsLabelErrors)),
  subdomain: filled(valid(dnsLabelErrors)),
  tolerations: validateTolerations,
  hostAliases: validateHostAliases,
  priorityClassName: filled(valid(dnsSubdomain)),
  runtimeClassName: valid(dnsSubdomain),
  preemptionPolicy: whereSet(mandatory(oneOf(['PreemptLowerPriority', 'Never']))),
});

/**
 * Validates the spec of a pod or of a pod template, on creation and update.
 *
 * @param path path of the spec: `spec`, `spec.template.spec`
 * @returns errors with the order and texts of Kubernetes
 */
export function* validatePodSpec(
  path: string,
  spec: PodSpec,
  rules: PodRules,
  work: Work | undefined,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  yield* validateAllContainers(errors, path, spec, rules);
  yield* validatePlacement(errors, path, spec, rules);
  const names = nameRules(errors, path, spec);
  if (isSteps(names)) yield* names;
  const { overhead } = spec;
  if (overhead !== undefined)
    yield* validateResources(errors, `${path}.overhead`, { limits: overhead }, rules, new ClaimNames());
  if (spec.os !== undefined) yield* validateOs(errors, path, spec);
  return errors;
}

/** Refuses tokens of a pod without an account. */
function* validateTokens(errors: FieldErrorList, volumes: NonNullable<PodSpec['volumes']>): Steps<void> {
  for (const [index, { projected }] of volumes.entries()) {
    if (errors.spend()) yield;
    for (const [position, { serviceAccountToken }] of (projected?.sources ?? []).entries()) {
      if (errors.spend()) yield;
      if (serviceAccountToken !== undefined)
        errors.push(
          forbidden(
            `spec.volumes[${index}].projected.sources[${position}].serviceAccountToken`,
            'must not be specified when serviceAccountName is not set',
          ),
        );
    }
  }
}

type Annotations = Readonly<Record<string, string>>;

/** Validates the spec and the annotations of a pod, on creation and update. */
export function* validatePod(
  spec: PodSpec,
  annotations: Annotations,
  rules: PodRules,
  work: Work | undefined,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  yield* validatePodAnnotations(errors, 'metadata.annotations', annotations, spec, rules);
  appendErrors(errors, yield* validatePodSpec('spec', spec, rules, work));
  if (!spec.serviceAccountName) yield* validateTokens(errors, spec.volumes ?? []);
  for (const list of ['containers', 'initContainers'] as const)
    for (const [index, { image }] of (spec[list] ?? []).entries()) {
      if (errors.spend()) yield;
      validateImageSpace(errors, `spec.${list}[${index}].image`, image);
    }
  return errors;
}

/** Applies the additional rules for a new pod. */
export function* validateNewPod(
  spec: PodSpec,
  annotations: Annotations,
  { dialect }: PodRules,
  work: Work | undefined,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  if ((spec.ephemeralContainers ?? []).length > 0)
    errors.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'));
  if (spec.nodeName && (spec.schedulingGates ?? []).length > 0)
    errors.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  if (isEmptyMap(annotations)) return errors;
  yield* validateSeccompAgreement(errors, 'spec', annotations, spec, dialect);
  yield* validateAppArmorAgreement(errors, 'spec', annotations, spec, dialect);
  return errors;
}
