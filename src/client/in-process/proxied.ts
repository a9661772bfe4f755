import { ApiError, encodeUtf8, type OutboundStream } from '../../foundation/index.js';
import type { ProxyAnswer } from '../../server/index.js';
import type { Call } from '../backend.js';
import type { ProxyParameters } from '../streams/proxy-parameters.js';
import { recordFailure } from './call-audit.js';
import { rethrow } from './call-errors.js';
import { RunningCall } from './running-call.js';
import type { InProcessServices } from './services.js';

/** Sends a request through the server to what an object stands for. A refusal is a response with a Status, as over HTTP. */
export async function sendProxied(services: InProcessServices, call: Call): Promise<OutboundStream> {
  const running = new RunningCall(services, call);
  const { info } = running.operations.store;
  if (!info.subresources.has(call.subresource)) throw new TypeError(`${info.kind} has no ${call.subresource}`);
  const ended = new AbortController();
  const { signal } = call.parameters;
  try {
    const open = (): Promise<ProxyAnswer> => openProxy(services, running, ended.signal);
    const answer = await services.bounded(running.intercepted(open));
    await running.audit?.completed(answer.status ?? running.code);
    return responseOf(answer, ended);
  } catch (error) {
    await recordFailure(running, error);
    return responseOf(refusalOf(error, signal), ended);
  }
}

/** Returns the response that a refusal is. @throws other failures, such as the reason of the signal */
function refusalOf(error: unknown, signal: AbortSignal | undefined): ProxyAnswer {
  try {
    return rethrow(error, signal);
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure;
    const { code, status } = failure;
    return { status: code, headers: { 'content-type': 'application/json' }, body: JSON.stringify(status) };
  }
}

async function openProxy(services: InProcessServices, running: RunningCall, ended: AbortSignal): Promise<ProxyAnswer> {
  const { store } = await running.start();
  const { namespace, name, parameters } = running.call;
  const { method = 'GET', path = '/', headers = {}, body = '', signal }: ProxyParameters = parameters;
  const [pathname = '/', ...query] = path.split('?');
  return services.openProxy({
    ...{ store, namespace, target: name, user: running.user, context: running.context() },
    signal: signal === undefined ? ended : AbortSignal.any([signal, ended]),
    request: {
      method,
      path: decodeURIComponent(pathname),
      query: query.join('?'),
      headers,
      body: () => Promise.resolve(encodeUtf8(body)),
    },
  });
}

function responseOf({ status = 200, headers = {}, body }: ProxyAnswer, ended: AbortController): OutboundStream {
  const fields = new Map(Object.entries(headers));
  return {
    status,
    header: (name) => fields.get(name),
    fields: () => fields,
    body: chunksOf(body, ended),
    cancel: () => ended.abort(),
  };
}

async function* chunksOf(
  body: ProxyAnswer['body'],
  ended: AbortController,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    if (body === undefined) return;
    if (typeof body === 'string') yield encodeUtf8(body);
    else if (body instanceof Uint8Array) yield body;
    else yield* body;
  } finally {
    ended.abort();
  }
}
