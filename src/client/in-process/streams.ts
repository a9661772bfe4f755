import { encodeUtf8, type MessageSocket } from '../../foundation/index.js';
import type { StoredPod } from '../../kinds/index.js';
import type { WebSocketAnswer } from '../../server/index.js';
import type { Call } from '../backend.js';
import type { StreamParameters } from '../streams/stream-parameters.js';
import { recordFailure } from './call-audit.js';
import { rethrow } from './call-errors.js';
import { RunningCall } from './running-call.js';
import type { InProcessServices } from './services.js';

/** Opens the streams of a pod, as messages in the newest protocol. */
export async function openStreams(services: InProcessServices, call: Call): Promise<MessageSocket> {
  const running = new RunningCall(services, call);
  const { info } = running.operations.store;
  if (!info.subresources.has(call.subresource)) throw new TypeError(`${info.kind} has no ${call.subresource}`);
  const ended = new AbortController();
  try {
    const answer = await services.bounded(running.intercepted(() => openPod(services, running, ended.signal)));
    if (running.audit !== undefined) await running.audit.started(running.code);
    return socketOf(services, running, answer, ended);
  } catch (error) {
    ended.abort();
    await recordFailure(running, error);
    return rethrow(error, call.parameters.signal);
  }
}

async function openPod(
  services: InProcessServices,
  running: RunningCall,
  signal: AbortSignal,
): Promise<WebSocketAnswer> {
  const { store } = await running.start();
  const { namespace, name, subresource, parameters } = running.call;
  const { query } = parameters as StreamParameters;
  const pod = store.read(await store.get(namespace, name, undefined, parameters.signal)) as StoredPod;
  const context = running.context();
  return services.openStreams({ resource: store.info, subresource, pod, user: running.user, query, context, signal });
}

function socketOf(
  services: InProcessServices,
  { audit, code }: RunningCall,
  { protocol, messages, receive, closed }: WebSocketAnswer,
  ended: AbortController,
): MessageSocket {
  const alive = services.keepAlive();
  alive.hold();
  let isOver = false;
  let released: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (released = resolve));
  const close = (): void => {
    if (isOver) return;
    isOver = true;
    alive.end();
    released();
    closed?.();
    ended.abort();
    void audit?.completed(code);
  };
  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const message of messages) yield typeof message === 'string' ? encodeUtf8(message) : message;
    } finally {
      close();
    }
  }
  return {
    protocol,
    messages: read(),
    send: async (message) => {
      // A command may end without reading its input.
      if (!isOver) await Promise.race([receive?.(message), over]);
    },
    close,
  };
}
