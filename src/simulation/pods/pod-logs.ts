/**
 * The logs of simulated pods.
 *
 * @see release 1.31, `validateContainerLogStatus` of `pkg/kubelet/kubelet_pods.go` for what has no log
 * @module
 */
import { errors, goQuote, shown } from '../../foundation/index.js';
import type { LogLine, PodLogOptions } from '../../server/index.js';
import type { SimulatedPod } from '../objects.js';

/** A log: a string, or its lines. */
export type LogText = string | readonly string[];

/** Checks the log of a rule. @throws TypeError with what it must be */
export function checkLogText(text: LogText): void {
  const isText = typeof text === 'string' || (Array.isArray(text) && text.every((line) => typeof line === 'string'));
  if (!isText)
    throw new TypeError(`pods.matching(…).log: the log must be a string or a list of lines, got ${shown(text)}`);
}

const IMAGE_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['ErrImagePull', "image can't be pulled"],
  ['ImagePullBackOff', 'trying and failing to pull image'],
]);

/**
 * Returns the log of a container: its lines have the time at which the container started.
 *
 * @throws ApiError 400 when the container, or its previous run, has no log
 */
export function podLog(
  { metadata, status = {} }: SimulatedPod,
  { container, previous }: Pick<PodLogOptions, 'container' | 'previous'>,
  text: LogText,
): LogLine[] {
  const where = `container ${goQuote(container)} in pod ${goQuote(metadata.name ?? '')}`;
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const found = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    ({ name }) => name === container,
  );
  if (found === undefined) throw errors.badRequest(`${where} is not available`);
  const { state = {}, lastState = {} } = found;
  if (previous && lastState.terminated === undefined) throw errors.badRequest(`previous terminated ${where} not found`);
  const run = previous ? lastState.terminated : (state.running ?? state.terminated ?? lastState.terminated);
  if (run === undefined) {
    const reason = state.waiting?.reason ?? '';
    throw errors.badRequest(`${where} is waiting to start: ${IMAGE_PROBLEMS.get(reason) ?? reason}`);
  }
  const lines = typeof text === 'string' ? textLines(text) : text;
  return lines.map((line) => ({ time: run.startedAt ?? 0, text: line }));
}

/** Returns the lines of a text, whose last line may end with a line break. */
function textLines(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}
