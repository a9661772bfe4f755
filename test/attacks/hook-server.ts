import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServingCertificate } from '../../src/transport/node/index.js';

/** A request to a hook. */
export interface Review {
  readonly uid: string;
  /** Objects to convert. */
  readonly objects: readonly Readonly<Record<string, unknown>>[];
}

/** Writes the answer to a review. */
export type Hook = (review: Review, response: ServerResponse) => void;

/** A webhook that the attacker runs, for conversion and for admission. */
export class HookServer {
  readonly #server: Server;
  /** As definitions and configurations have it. */
  readonly clientConfig: { readonly url: string; readonly caBundle: string };

  private constructor(server: Server, caPem: string) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.clientConfig = { url: `https://127.0.0.1:${port}/hook`, caBundle: Buffer.from(caPem).toString('base64') };
  }

  static async start(hook: Hook): Promise<HookServer> {
    const { keyPem, certPem, caPem } = await createServingCertificate({
      names: ['localhost'],
      addresses: ['127.0.0.1'],
    });
    const server = createServer(
      { key: keyPem, cert: certPem },
      (request, response) => void answer(request, response, hook),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new HookServer(server, caPem);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, hook: Hook): Promise<void> {
  const chunks: Buffer[] = [];
  response.on('error', () => undefined);
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { request: review } = JSON.parse(Buffer.concat(chunks).toString()) as { request: Partial<Review> };
    response.setHeader('content-type', 'application/json');
    hook({ uid: review.uid ?? '', objects: review.objects ?? [] }, response);
  } catch {
    response.destroy();
  }
}
