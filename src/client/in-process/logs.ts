import type { StoredPod } from '../../kinds/index.js';
import type { PodLogOptions } from '../../server/index.js';
import type { Call } from '../backend.js';
import type { LogParameters } from '../resources/pod-log.js';
import { recordFailure } from './call-audit.js';
import { rethrow } from './call-errors.js';
import { RunningCall } from './running-call.js';
import type { InProcessServices } from './services.js';

/** Yields the bytes of the log of a pod. */
export async function* readLog(services: InProcessServices, call: Call): AsyncGenerator<Uint8Array, void, undefined> {
  const running = new RunningCall(services, call);
  const { info } = running.operations.store;
  if (!info.subresources.has(call.subresource)) throw new TypeError(`${info.kind} has no logs`);
  const ended = new AbortController();
  const { signal } = call.parameters;
  const alive = services.keepAlive();
  try {
    alive.hold();
    const reading = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]);
    const log = await services.bounded(running.intercepted(() => openLog(services, running, reading)));
    if (running.audit !== undefined) await running.audit.started(running.code);
    if (log === undefined) return;
    for await (const chunk of log) {
      // While the caller handles a part, the log does not keep the process alive.
      alive.release();
      yield chunk;
      alive.hold();
    }
  } catch (error) {
    await recordFailure(running, error);
    rethrow(error, signal);
  } finally {
    alive.end();
    ended.abort();
    if (running.audit !== undefined) await running.audit.completed(running.code);
  }
}

async function openLog(
  services: InProcessServices,
  running: RunningCall,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const { store } = await running.start();
  const { namespace, name, parameters } = running.call;
  const pod = store.read(await store.get(namespace, name, undefined, signal)) as StoredPod;
  return services.openLog({ pod, options: logOptions(parameters), user: running.user, signal });
}

/** Returns the options of a log as a handler receives them. */
const logOptions = ({
  container = '',
  follow = false,
  previous = false,
  timestamps = false,
  sinceSeconds,
  sinceTime,
  tailLines,
  limitBytes,
}: LogParameters): PodLogOptions => ({
  ...{ container, follow, previous, timestamps, sinceSeconds, sinceTime, tailLines, limitBytes },
  insecureSkipTLSVerifyBackend: false,
});
