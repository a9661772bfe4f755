import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { StorageError } from '../../../src/storage/storage.js';

const AUTHORIZATION = { authorization: 'Bearer admin' };
/** Time after which a request that is not answered fails, in milliseconds. */
const TIMEOUT_MS = 20_000;

/** A server that answers HTTP; its address is another one after a restart. */
export interface ServedApi {
  readonly url: string;
}

/** An answer of a server. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The requests of clients to one server. A request that fails on its way is `Unavailable`. */
export class ApiCalls {
  readonly #api: ServedApi;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(api: ServedApi) {
    this.#api = api;
  }

  /** Asks the server. @throws StorageError `Unavailable` when no answer has come */
  ask(method: string, path: string, body?: object): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const lost = (error: Error): void => reject(new StorageError('Unavailable', { message: error.message }));
      const sent = this.#send(method, path, (answer) => {
        let text = '';
        answer.on('data', (piece: string) => (text += piece));
        answer.on('error', lost);
        answer.on('end', () =>
          answer.complete ? resolve({ status: answer.statusCode ?? 0, text }) : lost(new Error('the answer is cut')),
        );
      });
      sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error('no answer')));
      sent.on('error', lost);
      const text = body === undefined ? '' : JSON.stringify(body);
      // Node gives no length to the body of a DELETE by itself.
      if (text !== '') sent.setHeader('content-length', Buffer.byteLength(text));
      sent.end(text);
    });
  }

  /** Follows an answer of lines. @returns a function that stops it */
  follow(
    path: string,
    { line, end }: { readonly line: (line: string) => void; readonly end: (status: number) => void },
  ): () => void {
    let rest = '';
    let isOver = false;
    const over = (status: number): void => {
      if (!isOver) end(status);
      isOver = true;
    };
    const sent = this.#send('GET', path, (answer) => {
      const status = answer.statusCode ?? 0;
      answer.on('data', (piece: string) => {
        const lines = (rest + piece).split('\n');
        rest = lines.pop() ?? '';
        if (status === 200) for (const each of lines) if (!isOver) line(each);
      });
      answer.on('error', () => over(0));
      answer.on('close', () => over(answer.complete ? status : 0));
    });
    sent.on('error', () => over(0));
    sent.end();
    return () => {
      isOver = true;
      sent.destroy();
    };
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, path: string, answered: (answer: IncomingMessage) => void): ClientRequest {
    const headers = { ...AUTHORIZATION, 'content-type': 'application/json' };
    return request(this.#api.url + path, { method, agent: this.#agent, headers }, (answer) => {
      answer.setEncoding('utf8');
      answered(answer);
    });
  }
}
