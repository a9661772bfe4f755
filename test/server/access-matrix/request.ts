import type { ApiServer } from '../../../src/entries/index.js';
import type { ApiRequest, ApiResponse } from '../../../src/server/requests/http.js';

export { ask, jsonOf, textOf, type Asked } from '../ask.js';

/**
 * Opens a WebSocket as a transport would, and closes it once it is open. @returns the refusal; undefined for an open
 * socket
 */
export async function askWebSocket(
  server: ApiServer,
  method: string,
  target: string,
  token = 'alice',
): Promise<ApiResponse | undefined> {
  const [path = '', query = ''] = target.split('?');
  const fields = new Map([
    ['authorization', `Bearer ${token}`],
    ['connection', 'Upgrade'],
    ['upgrade', 'websocket'],
  ]);
  const request: ApiRequest = {
    method,
    path,
    query,
    headers: {
      get: (name) => fields.get(name),
      getAll: (name) => [fields.get(name) ?? []].flat(),
      names: () => fields.keys(),
      hasPrefix: (prefix) => [...fields.keys()].some((name) => name.startsWith(prefix)),
    },
    body: () => Promise.resolve(new Uint8Array()),
    peer: { address: '127.0.0.1', tls: true },
    signal: new AbortController().signal,
  };
  const answer = await server.target.handleWebSocket(request);
  if ('refuse' in answer) return answer.refuse;
  await answer.accept.messages[Symbol.asyncIterator]().return?.();
  return undefined;
}

/** Ends the stream of an answer, if it has one. */
export async function endStream({ body }: ApiResponse): Promise<void> {
  if (typeof body === 'object' && 'stream' in body) await body.stream[Symbol.asyncIterator]().return?.();
}
