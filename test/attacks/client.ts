import { Agent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Answer, Flood, Reading } from './row.js';

/** A request. A body that is a function is made when it is sent. */
export interface Request {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Media type of the body. Default JSON. */
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | (() => string | Uint8Array);
}

/** Length of the text that is kept of an answer. */
const KEPT = 2_048;
/** Time for which a client reads slowly, reads nothing, or watches, in milliseconds. */
const PATIENCE_MS = 4_000;
const SLOW_MS = 50;

/** A client with the token of a user. */
export class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Infinity });

  constructor(
    readonly url: string,
    readonly token: string,
    readonly signal?: AbortSignal,
  ) {}

  /** The same user, whose requests end with a signal. */
  until(signal: AbortSignal): Client {
    return new Client(this.url, this.token, signal);
  }

  /** Sends a request. Resolves with status 0 when the connection ends before the answer. */
  send(sent: Request, reading: Reading = 'all'): Promise<Answer> {
    const { body } = sent;
    const bytes = typeof body === 'function' ? body() : body;
    return new Promise((resolve) => {
      const request = httpRequest(this.url + sent.path, {
        agent: this.#agent,
        method: sent.method,
        headers: {
          authorization: `Bearer ${this.token}`,
          ...(bytes === undefined
            ? {}
            : { 'content-type': sent.type ?? 'application/json', 'content-length': Buffer.byteLength(bytes) }),
          ...(sent.accept === undefined ? {} : { accept: sent.accept }),
          ...sent.headers,
        },
        ...(this.signal === undefined ? {} : { signal: this.signal }),
      });
      request.on('error', () => resolve({ status: 0, text: '', bytes: 0 }));
      request.on('response', (response) => void read(request, response, reading).then(resolve));
      request.end(bytes, () => {
        if (reading === 'abort') setTimeout(() => request.destroy(), 5);
      });
    });
  }

  /** Sends a request. @throws Error for another answer than 2xx */
  async must(sent: Request): Promise<Answer> {
    const answer = await this.send(sent);
    if (answer.status < 200 || answer.status > 299)
      throw new Error(`${sent.method} ${sent.path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  /** Reads a whole answer. Resolves with status 0 when none comes in a time. */
  async read(path: string, withinMs: number): Promise<{ status: number; whole: string }> {
    try {
      const response = await fetch(this.url + path, {
        headers: { authorization: `Bearer ${this.token}` },
        signal: AbortSignal.timeout(withinMs),
      });
      return { status: response.status, whole: await response.text() };
    } catch {
      return { status: 0, whole: '' };
    }
  }

  /** Sends the requests of a flood. */
  async flood({ request, times = 1, atOnce = times, reading }: Flood): Promise<Answer[]> {
    const answers: Answer[] = [];
    let next = 0;
    const one = async (): Promise<void> => {
      while (next < times && this.signal?.aborted !== true) {
        const index = next++;
        answers.push(await this.send(typeof request === 'function' ? request(index) : request, reading));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, one));
    return answers;
  }

  close(): void {
    this.#agent.destroy();
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function read(request: ClientRequest, response: IncomingMessage, reading: Reading): Promise<Answer> {
  let text = '';
  let bytes = 0;
  const status = response.statusCode ?? 0;
  response.on('error', () => undefined);
  if (reading === 'unread') {
    response.pause();
    await pause(PATIENCE_MS);
    request.destroy();
    return { status, text, bytes };
  }
  const timer = reading === 'all' ? undefined : setTimeout(() => request.destroy(), PATIENCE_MS);
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (text.length < KEPT) text += chunk.toString('latin1', 0, KEPT);
      bytes += chunk.length;
      if (reading === 'slow') await pause(SLOW_MS);
    }
  } catch {
    // The connection has ended: the client's own end of it, or the server's.
  }
  clearTimeout(timer);
  return { status, text, bytes };
}
