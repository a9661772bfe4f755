import { UNBOUNDED_WORK, type Steps, type Work } from '../../../../foundation/index.js';
import type { RequestContext, Unvalidated } from '../../../../registry/index.js';
import { defaultFieldRef, defaultVolume } from './defaults-volumes.js';
import { defaultPullPolicy } from './image-name.js';
import type { Container, EphemeralContainer, PodSpec, PodStatus, Probe, StoredPod } from './types.js';

type HttpGet = { path?: string | undefined; scheme?: string | undefined };

function defaultHttpGet(action: HttpGet | undefined): void {
  if (action === undefined) return;
  action.path ||= '/';
  action.scheme ||= 'HTTP';
}

function defaultProbe(probe: Probe | undefined): void {
  if (probe === undefined) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  defaultHttpGet(probe.httpGet);
}

function defaultContainer(container: Container | EphemeralContainer): void {
  container.imagePullPolicy ||= defaultPullPolicy(container.image ?? '');
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  for (const port of container.ports ?? []) port.protocol ||= 'TCP';
  for (const { valueFrom } of container.env ?? []) defaultFieldRef(valueFrom?.fieldRef);
  defaultProbe(container.livenessProbe);
  defaultProbe(container.readinessProbe);
  defaultProbe(container.startupProbe);
  defaultHttpGet(container.lifecycle?.postStart?.httpGet);
  defaultHttpGet(container.lifecycle?.preStop?.httpGet);
}

/** Sets missing requests to the limits. */
function defaultRequests(container: Container): void {
  const { resources } = container;
  if (resources?.limits === undefined) return;
  resources.requests = { ...resources.limits, ...resources.requests };
}

/** Sets the host ports of a pod in the node's network. */
function defaultHostPorts(container: Container): void {
  for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
}

/** Sets the deprecated field and the current one to the same account. If both are set, the current one wins. */
function mirrorServiceAccount(spec: PodSpec): void {
  const account = spec.serviceAccountName || spec.serviceAccount;
  if (!account) return;
  spec.serviceAccountName = account;
  spec.serviceAccount = account;
}

/** Keeps podIP equal to the first of podIPs. When they differ, podIP wins. */
function syncPodIps(status: Pick<PodStatus, 'podIP' | 'podIPs'>): void {
  const { podIP, podIPs = [] } = status;
  const first = podIPs[0]?.ip;
  if (podIP && podIP !== first) status.podIPs = [{ ip: podIP }];
  else if (first) status.podIP = first;
}

/** Units of work to set the defaults of a container or volume. */
const PART_UNITS = 16;

/**
 * Sets the defaults of the spec of a pod, or of a pod in a template, that the schema cannot express. Some defaults are
 * those of pods only, see {@link defaultPod}.
 */
export function* defaultPodSpec(spec: PodSpec, work: Work = UNBOUNDED_WORK): Steps<void> {
  spec.containers ??= [];
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.restartPolicy ||= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= 'default-scheduler';
  mirrorServiceAccount(spec);
  for (const volume of spec.volumes ?? []) {
    if (work.spend(PART_UNITS)) yield;
    defaultVolume(volume);
  }
  for (const containers of [spec.containers, spec.initContainers ?? [], spec.ephemeralContainers ?? []])
    for (const container of containers) {
      if (work.spend(PART_UNITS)) yield;
      defaultContainer(container);
    }
}

/** Sets the defaults of a pod that the schema cannot express, in place. */
export function* defaultPod(
  pod: Unvalidated<StoredPod>,
  { work = UNBOUNDED_WORK }: Pick<RequestContext, 'work'> = {},
): Steps<void> {
  syncPodIps((pod.status ??= {}) as PodStatus);
  const spec = (pod.spec ??= {}) as PodSpec;
  yield* defaultPodSpec(spec, work);
  spec.enableServiceLinks ??= true;
  for (const containers of [spec.containers, spec.initContainers ?? []]) {
    for (const container of containers) {
      if (work.spend(PART_UNITS)) yield;
      defaultRequests(container);
      if (spec.hostNetwork) defaultHostPorts(container);
    }
  }
}
