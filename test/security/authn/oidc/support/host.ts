import { createServer, type Server } from 'node:https';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServingCertificate } from '../../../../../src/transport/node/index.js';

/** An https server on loopback whose behaviour a test can change at any time. */
export interface Host {
  readonly url: string;
  /** The authority for clients that should trust it. */
  readonly caPem: string;
  /** The handler of requests from now on. */
  handler: RequestListener;
  /** Requested paths. */
  readonly asked: string[];
  /** Resolves at the next request for a path. */
  nextRequest(path: string): Promise<void>;
  /** Stops listening, and closes all connections. */
  stop(): Promise<void>;
  /** Listens again, at the same address. */
  start(): Promise<void>;
}

/** Starts a host that answers 404 until it is configured. */
export async function startHost(): Promise<Host> {
  const { caPem, certPem, keyPem } = await createServingCertificate();
  const waiting: { readonly path: string; readonly resolve: () => void }[] = [];
  let server: Server | undefined;
  let port = 0;
  const host: Host = {
    get url() {
      return `https://127.0.0.1:${port}`;
    },
    caPem,
    handler: (_, response) => void response.writeHead(404).end(),
    asked: [],
    nextRequest: (path) => new Promise((resolve) => waiting.push({ path, resolve })),
    async start() {
      server = createServer({ key: keyPem, cert: certPem }, (request, response) => {
        const path = (request.url ?? '').replace(/\?.*/, '');
        host.asked.push(path);
        host.handler(request, response);
        for (const entry of waiting.filter((candidate) => candidate.path === path)) {
          waiting.splice(waiting.indexOf(entry), 1);
          entry.resolve();
        }
      });
      const starting = server;
      await new Promise<void>((resolve) => starting.listen(port, '127.0.0.1', resolve));
      port = (starting.address() as AddressInfo).port;
    },
    async stop() {
      const stopping = server;
      server = undefined;
      stopping?.closeAllConnections();
      await new Promise((resolve) => (stopping === undefined ? resolve(undefined) : stopping.close(resolve)));
    },
  };
  await host.start();
  return host;
}
