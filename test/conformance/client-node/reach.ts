import type { KubeConfig } from '@kubernetes/client-node';
import { connectKubeConfig, type InProcessServer } from '../../../src/client/client-node/client-node.js';
import type { Handler } from '../../../src/server/requests/http.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { createServingCertificate, listen, type Listener } from '../../../src/transport/node/index.js';
import { Widget } from '../../client/widget.js';
import type { Library } from './library.js';

/** The connection of the library to the server. */
export type Way = 'without a socket' | 'over http' | 'over https';

/** A server for the library. */
export interface Reached extends AsyncDisposable {
  readonly test: TestServer;
  readonly kubeConfig: KubeConfig;
  /** Another connection, as another user. */
  kubeConfigOf(token: string): KubeConfig;
  /** Breaks every open stream, as a network failure does. */
  drop(): void;
}

const TOKENS = [{ token: 'reader', user: { username: 'reader', groups: ['system:authenticated'] } }];

/** Starts a server and a KubeConfig for it. */
export async function reach(library: Library, way: Way): Promise<Reached> {
  const test = await startTestServer({
    dialect: 'kubernetes',
    resources: [Widget],
    authentication: { tokens: TOKENS },
  });
  const wire = breakable(test);
  const listening = way === 'without a socket' ? undefined : await listenOn(wire.target, way === 'over https');
  const kubeConfigOf = (token?: string): KubeConfig => {
    const options = { namespace: 'default', ...(token === undefined ? {} : { token }) };
    const kubeConfig = new library.KubeConfig();
    if (listening === undefined) return connectKubeConfig(kubeConfig, wire.target, options);
    kubeConfig.loadFromString(test.server.kubeConfig({ ...options, ...listening.address }));
    return kubeConfig;
  };
  return {
    test,
    kubeConfig: kubeConfigOf(),
    kubeConfigOf,
    drop: wire.drop,
    async [Symbol.asyncDispose]() {
      await test.close();
      await listening?.listener.close({ grace: 0 });
    },
  };
}

async function listenOn(
  target: InProcessServer,
  secure: boolean,
): Promise<{ listener: Listener; address: { server: string; certificateAuthority?: string } }> {
  if (!secure) {
    const listener = await listen(target);
    return { listener, address: { server: listener.url } };
  }
  const { caPem, certPem, keyPem } = await createServingCertificate({ names: ['localhost'], addresses: ['127.0.0.1'] });
  const listener = await listen(target, { tls: { cert: certPem, key: keyPem } });
  return { listener, address: { server: listener.url, certificateAuthority: caPem } };
}

/** The server, with streams that can be broken from outside. */
function breakable(test: TestServer): { target: InProcessServer; drop(): void } {
  const open = new Set<(error: Error) => void>();
  async function* stream(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const iterator = source[Symbol.asyncIterator]();
    let break_: (error: Error) => void = () => undefined;
    const broken = new Promise<never>((_resolve, reject) => (break_ = reject));
    open.add(break_);
    try {
      for (;;) {
        const step = await Promise.race([iterator.next(), broken]);
        if (step.done === true) return;
        yield step.value;
      }
    } finally {
      open.delete(break_);
      void iterator.return?.();
    }
  }
  const handle: Handler = async (request) => {
    const answer = await test.server.target.handle(request);
    const { body } = answer;
    return typeof body === 'object' && 'stream' in body ? { ...answer, body: { stream: stream(body.stream) } } : answer;
  };
  return {
    target: {
      target: { handle, handleWebSocket: test.server.target.handleWebSocket },
      kubeConfig: (options) => test.server.kubeConfig(options),
    },
    drop: () => open.forEach((break_) => break_(new Error('connection lost'))),
  };
}

/** Records reports, and notifies waiting callers. */
export class Journal {
  readonly entries: string[] = [];
  #wake: () => void = () => undefined;

  add(entry: string): void {
    this.entries.push(entry);
    this.#wake();
  }

  /** Resolves when the journal ends with these entries, in this order. */
  async until(...last: string[]): Promise<void> {
    while (last.some((entry, at) => this.entries[this.entries.length - last.length + at] !== entry)) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
