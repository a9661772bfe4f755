import { Agent, request } from 'node:https';

/** Where and as whom a client writes. */
export interface LoadOptions {
  readonly port: number;
  /** Certificate authority of the servers, PEM. */
  readonly ca: string;
  readonly token: string;
  readonly clients: number;
}

/** What became of the writes. */
export interface LoadResult {
  /** Writes that a server has acknowledged. */
  readonly acknowledged: number;
  /** Of these, the ones that are not there. */
  readonly lost: readonly string[];
  /** Writes that were refused although they were correct. */
  readonly failed: readonly string[];
  /** Attempts that were repeated because the connection broke or a server was not ready. */
  readonly repeated: number;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

const MAPS = '/api/v1/namespaces/default/configmaps';
/** Time before an attempt is repeated, in milliseconds. */
const PAUSE_MS = 100;

/** Clients that create config maps one after another, and repeat an attempt whose outcome they do not know. */
export class Load {
  readonly #options: LoadOptions;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #acknowledged = new Set<string>();
  readonly #failed: string[] = [];
  readonly #waiting = new Set<() => void>();
  /** Tells the objects of this run from those of another one. */
  readonly #run = Date.now().toString(36);
  #repeated = 0;
  #isOver = false;
  readonly #running: Promise<unknown>;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#running = Promise.all(Array.from({ length: options.clients }, (_, number) => this.#write(number)));
  }

  /** Resolves when so many more writes have been acknowledged. */
  async progress(writes: number): Promise<void> {
    const goal = this.#acknowledged.size + writes;
    while (this.#acknowledged.size < goal) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** Stops the clients, and looks for what they have written. */
  async end(): Promise<LoadResult> {
    this.#isOver = true;
    await this.#running;
    const { text } = await this.#until((answer) => answer.status === 200, 'GET', MAPS);
    const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] };
    const there = new Set(items.map(({ metadata }) => metadata.name));
    this.#agent.destroy();
    return {
      acknowledged: this.#acknowledged.size,
      lost: [...this.#acknowledged].filter((name) => !there.has(name)),
      failed: this.#failed,
      repeated: this.#repeated,
    };
  }

  async #write(client: number): Promise<void> {
    for (let number = 0; !this.#isOver; number += 1) {
      const name = `load-${this.#run}-${client}-${number}`;
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
      const { status, text } = await this.#until(
        ({ status: known }) => known < 500 && known !== 429,
        'POST',
        MAPS,
        body,
      );
      // 409 after a repetition: the attempt whose answer was lost had taken effect.
      if (status === 201 || status === 409) this.#acknowledged.add(name);
      else this.#failed.push(`${name}: ${status} ${text}`);
      for (const resolve of this.#waiting) resolve();
      this.#waiting.clear();
    }
  }

  /** Asks until there is an answer that says what has happened. */
  async #until(isFinal: (answer: Answer) => boolean, method: string, path: string, body?: string): Promise<Answer> {
    for (;;) {
      const answer = await this.#ask(method, path, body).catch(() => undefined);
      if (answer !== undefined && isFinal(answer)) return answer;
      this.#repeated += 1;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  #ask(method: string, path: string, body?: string): Promise<Answer> {
    const { port, ca, token } = this.#options;
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const sent = request({ host: '127.0.0.1', port, path, method, headers, ca, agent: this.#agent }, (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (piece: string) => (text += piece));
        answer.on('error', reject);
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}
