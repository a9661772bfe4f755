import {
  dnsLabelErrors,
  duplicate,
  forbidden,
  invalid,
  isSteps,
  notFoundField,
  notSupported,
  required,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../../../foundation/index.js';
import { fields, mandatory, oneOf, valid } from '../../../shared/field-rules.js';
import type { PodRules } from '../rules.js';
import type { Container, EphemeralContainer, PodSpec } from '../types.js';
import type { ClaimNames } from './claim-names.js';
import { validateEnvironment, validateEnvironmentSources } from './validate-environment.js';
import { validateDevices, validateMounts } from './validate-mounts.js';
import { validateHostPorts, validatePorts } from './validate-ports.js';
import { validateLifecycle } from './validate-probes.js';
import { validateResources } from './validate-resources.js';
import { validateContainerSecurity } from './validate-security.js';
import type { VolumesByName } from './validate-volumes.js';

const identityRules = fields<Container>({
  name: mandatory(valid(dnsLabelErrors)),
  image: mandatory(),
  terminationMessagePolicy: mandatory(oneOf(['File', 'FallbackToLogsOnError'])),
});
const pullPolicy = mandatory(oneOf(['Always', 'IfNotPresent', 'Never']));

/** The parts of the pod that the validation of containers needs. */
export interface PodContext {
  readonly volumes: VolumesByName;
  readonly rules: PodRules;
  /** Names of the pod's claims of resources. */
  readonly claims: ClaimNames;
  /** The pod's grace period in seconds. */
  readonly gracePeriod: number | undefined;
  readonly restartPolicy: string | undefined;
  /** Whether the pod has the users of its node. */
  readonly hostUsers: boolean;
}

/** Validates that an image name of a pod has no surrounding space; templates may have one. */
export function validateImageSpace(errors: FieldError[], path: string, image: string | undefined): void {
  if (image !== undefined && image.trim() !== image)
    errors.push(invalid(path, image, 'must not have leading or trailing whitespace'));
}

const resizedResource = mandatory(oneOf(['cpu', 'memory']));
const resizePolicyRule = mandatory(oneOf(['NotRequired', 'RestartContainer']));

/** Validates what happens to a container when its resources change. Kubernetes reports the path of the list. */
function* validateResizePolicy(
  errors: FieldErrorList,
  path: string,
  policies: NonNullable<Container['resizePolicy']>,
  podRestartPolicy: string | undefined,
): Steps<void> {
  const seen = new Set<string>();
  for (const [index, { resourceName, restartPolicy }] of policies.entries()) {
    if (errors.spend()) yield;
    if (seen.has(resourceName)) errors.push(duplicate(`${path}[${index}]`, resourceName));
    seen.add(resourceName);
    resizedResource(errors, path, resourceName);
    resizePolicyRule(errors, path, restartPolicy);
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired')
      errors.push(invalid(path, restartPolicy, "must be 'NotRequired' when `restartPolicy` is 'Never'"));
  }
}

/** Validates the fields that all container types share. */
function* validateCommon(
  errors: FieldErrorList,
  path: string,
  container: Container,
  { volumes, rules, claims, restartPolicy, hostUsers }: PodContext,
): Steps<void> {
  const { allowsRelaxedEnvironment: isRelaxed } = rules;
  // Steps cost more than these checks.
  const identity = identityRules(errors, path, container);
  if (isSteps(identity)) yield* identity;
  const { ports, env, envFrom, volumeMounts, volumeDevices, resizePolicy, securityContext } = container;
  if (ports !== undefined) yield* validatePorts(errors, `${path}.ports`, ports);
  if (env !== undefined) yield* validateEnvironment(errors, `${path}.env`, env, isRelaxed);
  if (envFrom !== undefined) yield* validateEnvironmentSources(errors, `${path}.envFrom`, envFrom, isRelaxed);
  if (volumeMounts !== undefined) yield* validateMounts(errors, `${path}.volumeMounts`, container, volumes);
  if (volumeDevices !== undefined) yield* validateDevices(errors, `${path}.volumeDevices`, container, volumes);
  pullPolicy(errors, `${path}.imagePullPolicy`, container.imagePullPolicy);
  if (container.resources !== undefined)
    yield* validateResources(errors, `${path}.resources`, container.resources, rules, claims);
  if (resizePolicy !== undefined)
    yield* validateResizePolicy(errors, `${path}.resizePolicy`, resizePolicy, restartPolicy);
  if (securityContext !== undefined)
    validateContainerSecurity(errors, `${path}.securityContext`, securityContext, { hostUsers, rules });
}

/** Records a name and reports a duplicate. */
function claimName(errors: FieldError[], path: string, name: string, names: Set<string>): void {
  if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
  else if (name) names.add(name);
}

function* validateRegular(
  errors: FieldErrorList,
  path: string,
  containers: readonly Container[],
  context: PodContext,
  names: Set<string>,
): Steps<void> {
  if (containers.length === 0) return void errors.push(required(path));
  for (const [index, container] of containers.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    yield* validateCommon(errors, at, container, context);
    claimName(errors, at, container.name, names);
    if (hasLifecycle(container)) yield* validateLifecycle(errors, at, container, context.gracePeriod);
    if (container.restartPolicy !== undefined)
      errors.push(forbidden(`${at}.restartPolicy`, 'may not be set for non-init containers'));
  }
  yield* validateHostPorts(errors, path, containers);
}

const SIDECAR_ONLY = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const hasLifecycle = ({ lifecycle, livenessProbe, readinessProbe, startupProbe }: Container): boolean =>
  (lifecycle ?? livenessProbe ?? readinessProbe ?? startupProbe) !== undefined;

function* validateInit(
  errors: FieldErrorList,
  path: string,
  containers: readonly Container[],
  context: PodContext,
  names: Set<string>,
): Steps<void> {
  for (const [index, container] of containers.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    const { restartPolicy, resizePolicy = [] } = container;
    yield* validateCommon(errors, at, container, context);
    if (restartPolicy !== undefined && restartPolicy !== 'Always')
      errors.push(notSupported(`${at}.restartPolicy`, restartPolicy, ['Always']));
    claimName(errors, at, container.name, names);
    // Init containers run one after another, so they may use the same ports.
    yield* validateHostPorts(errors, path, [container]);
    if (restartPolicy === 'Always') yield* validateLifecycle(errors, at, container, context.gracePeriod);
    else {
      for (const field of SIDECAR_ONLY) {
        if (container[field] !== undefined)
          errors.push(forbidden(`${at}.${field}`, 'may not be set for init containers without restartPolicy=Always'));
      }
    }
    if (resizePolicy.length > 0)
      errors.push(invalid(`${at}.resizePolicy`, resizePolicy, 'must not be set for init containers'));
  }
}

const NOT_EPHEMERAL = [
  'lifecycle',
  'livenessProbe',
  'ports',
  'readinessProbe',
  'resizePolicy',
  'resources',
  'restartPolicy',
  'startupProbe',
] as const;
const NOT_EPHEMERAL_TEXT = 'cannot be set for an Ephemeral Container';

/** Returns true when a field is not empty; `resources` is always present. */
const isSet = (value: object | string | undefined): boolean =>
  value !== undefined && (typeof value === 'string' || Object.keys(value).length > 0);

function* validateEphemeral(
  errors: FieldErrorList,
  path: string,
  containers: readonly EphemeralContainer[],
  context: PodContext,
  names: Set<string>,
): Steps<void> {
  const targets = new Set(names);
  for (const [index, container] of containers.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    const { targetContainerName: target, volumeMounts = [] } = container;
    yield* validateCommon(errors, at, container, context);
    validateImageSpace(errors, `${at}.image`, container.image);
    claimName(errors, at, container.name, names);
    if (target && !targets.has(target)) errors.push(notFoundField(`${at}.targetContainerName`, target));
    for (const field of NOT_EPHEMERAL)
      if (isSet(container[field])) errors.push(forbidden(`${at}.${field}`, NOT_EPHEMERAL_TEXT));
    for (const [mount, { subPath, subPathExpr }] of volumeMounts.entries()) {
      if (errors.spend()) yield;
      if (subPath) errors.push(forbidden(`${at}.volumeMounts[${mount}].subPath`, NOT_EPHEMERAL_TEXT));
      if (subPathExpr) errors.push(forbidden(`${at}.volumeMounts[${mount}].subPathExpr`, NOT_EPHEMERAL_TEXT));
    }
  }
}

/** Validates all containers of a pod; their names must be unique across all types. */
export function* validateContainers(
  errors: FieldErrorList,
  path: string,
  spec: PodSpec,
  context: PodContext,
): Steps<void> {
  const names = new Set<string>();
  yield* validateRegular(errors, `${path}.containers`, spec.containers, context, names);
  const { initContainers, ephemeralContainers } = spec;
  if (initContainers !== undefined)
    yield* validateInit(errors, `${path}.initContainers`, initContainers, context, names);
  if (ephemeralContainers !== undefined)
    yield* validateEphemeral(errors, `${path}.ephemeralContainers`, ephemeralContainers, context, names);
}
