import { isPodReady } from './conditions.js';
import type { ContainerStatus, StoredPod } from './types.js';

/** Reason of a pod whose node is unreachable. */
const NODE_LOST = 'NodeLost';

/** The state of a pod for the table columns. */
export interface PodSummary {
  /** The state:  `Running`, `CrashLoopBackOff`, `Init:0/1`, `Completed`, `Terminating`. */
  readonly reason: string;
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  /** RFC 3339 time of the last restart; undefined without one. */
  readonly lastRestart: string | undefined;
}

/** Counts the restarts of containers and the end of their last run. */
class Restarts {
  count = 0;
  last: string | undefined;
  add({ restartCount, lastState }: ContainerStatus): void {
    this.count += restartCount;
    const ended = lastState?.terminated?.finishedAt;
    // Times with the same zone and precision sort as texts.
    if (ended && (this.last === undefined || ended > this.last)) this.last = ended;
  }
}

/** Returns why a container ended: its reason, or the signal, or the exit status. */
function endReason({
  reason,
  signal,
  exitCode,
}: {
  reason?: string | undefined;
  signal?: number | undefined;
  exitCode: number;
}): string {
  if (reason) return reason;
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}

/**
 * Returns the reason why an init container blocks the initialization; undefined for one that is done or is a running
 * sidecar.
 */
function initReason(status: ContainerStatus, index: number, total: number, isSidecar: boolean): string | undefined {
  const { state, started } = status;
  if (state?.terminated?.exitCode === 0) return undefined;
  if (isSidecar && started === true) return undefined;
  if (state?.terminated !== undefined) return `Init:${endReason(state.terminated)}`;
  const waiting = state?.waiting?.reason;
  if (waiting && waiting !== 'PodInitializing') return `Init:${waiting}`;
  return `Init:${index}/${total}`;
}

/** Returns the state of the init containers, or undefined when they are done. */
function summarizeInit(
  pod: StoredPod,
  all: Restarts,
  ofSidecars: Restarts,
): { reason: string | undefined; ready: number } {
  const { initContainers = [] } = pod.spec ?? { containers: [] };
  const sidecars = new Set(
    initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  let ready = 0;
  for (const [index, status] of (pod.status?.initContainerStatuses ?? []).entries()) {
    const isSidecar = sidecars.has(status.name);
    all.add(status);
    if (isSidecar) ofSidecars.add(status);
    const reason = initReason(status, index, initContainers.length, isSidecar);
    if (reason === undefined) {
      if (isSidecar && status.state?.terminated?.exitCode !== 0 && status.ready) ready += 1;
      continue;
    }
    return { reason, ready };
  }
  return { reason: undefined, ready };
}

function isInitialized({ status }: StoredPod): boolean {
  return (status?.conditions ?? []).some(({ type, status: value }) => type === 'Initialized' && value === 'True');
}

/** Returns the state of the containers. They are visited from last to first, so the reason of the first one wins. */
function summarizeContainers(pod: StoredPod, initial: string, restarts: Restarts): { reason: string; ready: number } {
  let reason = initial;
  let ready = 0;
  let running = false;
  for (const status of [...(pod.status?.containerStatuses ?? [])].reverse()) {
    const { state } = status;
    restarts.add(status);
    if (state?.waiting?.reason) reason = state.waiting.reason;
    else if (state?.terminated !== undefined) reason = endReason(state.terminated);
    else if (status.ready && state?.running !== undefined) {
      running = true;
      ready += 1;
    }
  }
  // Some containers have ended and others run: the pod is running.
  if (reason === 'Completed' && running) reason = isPodReady(pod) ? 'Running' : 'NotReady';
  return { reason, ready };
}

function initialReason({ status }: StoredPod): string {
  const gated = (status?.conditions ?? []).some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  return gated ? 'SchedulingGated' : status?.reason || status?.phase || '';
}

/** Returns the state of a pod as command-line tools show it. */
export function summarizePod(pod: StoredPod): PodSummary {
  const { spec, metadata } = pod;
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').length;
  const total = (spec?.containers.length ?? 0) + sidecars;
  const all = new Restarts();
  const ofSidecars = new Restarts();
  const init = summarizeInit(pod, all, ofSidecars);
  let reason = init.reason ?? initialReason(pod);
  let { ready } = init;
  let restarts = all;
  if (init.reason === undefined || isInitialized(pod)) {
    // Restarts of finished init containers do not count.
    restarts = ofSidecars;
    const containers = summarizeContainers(pod, reason, restarts);
    reason = containers.reason;
    ready += containers.ready;
  }
  if (metadata.deletionTimestamp !== undefined) {
    if (pod.status?.reason === NODE_LOST) reason = 'Unknown';
    else if (pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed') reason = 'Terminating';
  }
  return { reason, ready, total, restarts: restarts.count, lastRestart: restarts.last };
}
