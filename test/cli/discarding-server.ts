import { createServer, type ServerResponse } from 'node:http';
import { errors, type Status } from '../../src/foundation/index.js';

/** The requests that read a history, in their order: the probe of the oldest version, the state there, what follows. */
export type Step = 'probe' | 'state' | 'changes';

const stepOf = (query: URLSearchParams): Step | undefined => {
  if (query.get('watch') !== null) return query.get('resourceVersion') === '1' ? 'probe' : 'changes';
  return query.get('resourceVersionMatch') === 'Exact' ? 'state' : undefined;
};

/** A server that discards its history when a test says so. */
export interface Discarding {
  /** Version of the store before which nothing is left. */
  oldest: number;
  /** The same for states: a server with a cache of changes has these for longer. */
  oldestState: number;
}

/** Called when the first line of an answer has come, which then ends as that of a watch whose history goes. */
export type Cut = () => void;

/** Acts before a request is passed on. */
export type Interference = (step: Step, server: Discarding) => Cut | undefined;

/** Returns the refusal of a version that a server has discarded. */
const expired = (from: string, { oldest }: Discarding): Status =>
  errors.expired(`too old resource version: ${from} (${oldest})`).status;

/** Returns the last event of a watch whose history goes. */
const lastEvent = (from: string, server: Discarding): string =>
  `${JSON.stringify({ type: 'ERROR', object: expired(from, server) })}\n`;

/** Returns what a server that has discarded the version of a request answers; undefined when it has it. */
function refusal(step: Step, from: string, server: Discarding): { status: number; body: string } | undefined {
  const { oldest, oldestState } = server;
  if (step !== 'state') return Number(from) < oldest ? { status: 200, body: lastEvent(from, server) } : undefined;
  return Number(from) < Math.max(oldest, oldestState)
    ? { status: 410, body: JSON.stringify(expired(from, server)) }
    : undefined;
}

/** Passes an answer on: whole, or with a cut its first line. */
async function relay(answer: Response, response: ServerResponse, cut: Cut | undefined, end: () => string) {
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
  let text = '';
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (cut === undefined) response.write(chunk);
    else if (text.includes('\n')) {
      cut();
      return response.end(text.slice(0, text.indexOf('\n') + 1) + end());
    }
  }
  return response.end();
}

/** Starts a proxy that answers what is older than its server says as a server does that has discarded it. */
export async function discarding(target: string, act: Interference) {
  const server: Discarding = { oldest: 0, oldestState: 0 };
  const proxy = createServer((request, response) => {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const { authorization = '', accept = '' } = request.headers;
    const { searchParams } = new URL(request.url ?? '', target);
    const from = searchParams.get('resourceVersion') ?? '';
    const step = stepOf(searchParams);
    const cut = step === undefined ? undefined : act(step, server);
    const refused = step === undefined ? undefined : refusal(step, from, server);
    if (refused !== undefined) {
      response.writeHead(refused.status, { 'content-type': 'application/json' }).end(refused.body);
      return;
    }
    fetch(target + request.url, { headers: { authorization, accept }, signal: gone.signal })
      .then((answer) => relay(answer, response, cut, () => lastEvent(from, server)))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  return {
    server,
    url: `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
    close: () => new Promise((resolve) => (proxy.close(resolve), proxy.closeAllConnections())),
  };
}
