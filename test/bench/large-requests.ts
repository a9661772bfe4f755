/** Requests as a transport passes them to a server, and readers of the answers. */
import type { ApiServer } from 'orch-apiserver';

type ApiRequest = Parameters<ApiServer['target']['handle']>[0];
type ApiResponse = Awaited<ReturnType<ApiServer['target']['handle']>>;

/** Header fields of a request. */
type Fields = Readonly<Record<string, string>>;

function headersOf(fields: Fields): ApiRequest['headers'] {
  const all: Fields = { authorization: 'Bearer bench', accept: 'application/json', 'user-agent': 'bench/1', ...fields };
  return {
    get: (name) => all[name],
    getAll: (name) => (all[name] === undefined ? [] : [all[name]]),
    names: () => Object.keys(all),
    hasPrefix: (prefix) => Object.keys(all).some((name) => name.startsWith(prefix)),
  };
}

/** Sends a request. @throws Error when it is refused */
export async function send(
  server: ApiServer,
  method: string,
  target: string,
  fields: Fields = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<ApiResponse> {
  const [path = '', query = ''] = target.split('?');
  const response = await server.target.handle({
    method,
    path,
    query,
    headers: headersOf(fields),
    body: () => Promise.resolve(new Uint8Array()),
    peer: { address: '127.0.0.1', tls: false },
    signal,
  });
  if (response.status >= 300) throw new Error(`${method} ${target}: ${response.status} ${String(response.body)}`);
  return response;
}

/** Reads a body to its end, as the transport takes it. */
export async function readAll({ body }: ApiResponse): Promise<void> {
  if (typeof body !== 'object' || !('stream' in body)) return;
  for await (const chunk of body.stream) if (chunk.length === 0) continue;
}

/** Byte of `B`, after `{"type":"`: the first bookmark ends the initial events. */
const BOOKMARK = 0x42;
const TYPE_AT = 9;

/** Reads a watch to the end of its initial events. @returns the number of events */
export async function readInitialEvents({ body }: ApiResponse): Promise<number> {
  if (typeof body !== 'object' || !('stream' in body)) throw new Error('not a watch');
  let events = 0;
  for await (const frame of body.stream) {
    if (frame[TYPE_AT] === BOOKMARK) return events;
    events += 1;
  }
  throw new Error('the watch ended');
}
