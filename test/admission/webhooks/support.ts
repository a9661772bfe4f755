import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  ApiServer,
  kubernetes,
  webhook,
  type AdmissionRequest,
  type ApiServerOptions,
  type Client,
  type WebhookDefinition,
  type WebhookResponse,
} from '../../../src/entries/index.js';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '../../../src/entries/kinds.js';
import { createManualClock, type ManualClock } from '../../../src/entries/testing.js';
import {
  createServingCertificate,
  nodeHttpClient,
  type NodeHttpClient,
  type ServingCertificate,
} from '../../../src/transport/node/index.js';
import { answerTo, type Answer, type Asked } from '../../server/ask.js';

export interface Json {
  readonly [field: string]: unknown;
}

/** A webhook without what names its address. */
export type HookSpec = Omit<WebhookDefinition, 'rules'> & Partial<Pick<WebhookDefinition, 'rules'>>;

/** A request that the webhook server received. */
export interface Received {
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly serverName: unknown;
  readonly peer: string | undefined;
  readonly review: { readonly apiVersion: string; readonly kind: string; readonly request: AdmissionRequest };
}

/** A rule for creates and updates of ConfigMaps. */
export const RULE: WebhookDefinition['rules'][number] = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE'],
  resources: ['configmaps'],
};

const TOKENS = [
  { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
  { token: 'alice', user: { username: 'alice', uid: 'u1', groups: ['dev'], extra: { team: ['red'] } } },
];

/** An https server for webhooks: one path for each. */
export class HookServer {
  readonly received: Received[] = [];
  readonly #server: Server;
  readonly #answers = new Map<string, (response: ServerResponse, received: Received) => void>();
  readonly certificate: ServingCertificate;
  readonly http: NodeHttpClient = nodeHttpClient();

  private constructor(certificate: ServingCertificate) {
    this.certificate = certificate;
    const { keyPem: key, certPem: cert } = certificate;
    this.#server = createServer({ key, cert, requestCert: true, rejectUnauthorized: false }, (incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => this.#answer(incoming, response, Buffer.concat(chunks).toString()));
    });
  }

  static async start(): Promise<HookServer> {
    const names = ['hooks.default.svc', 'localhost'];
    const started = new HookServer(await createServingCertificate({ names, addresses: ['127.0.0.1'] }));
    await new Promise<void>((resolve) => started.#server.listen(0, '127.0.0.1', resolve));
    return started;
  }

  get origin(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get caBundle(): string {
    return Buffer.from(this.certificate.caPem).toString('base64');
  }

  /** Answers a path. */
  on(path: string, answer: (response: ServerResponse, received: Received) => void): void {
    this.#answers.set(path, answer);
  }

  async close(): Promise<void> {
    this.http.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(incoming: IncomingMessage, response: ServerResponse, body: string): void {
    const socket = incoming.socket as TLSSocket & { readonly servername?: unknown };
    const received: Received = {
      url: incoming.url,
      headers: incoming.headers,
      serverName: socket.servername,
      peer: [socket.getPeerCertificate()?.subject?.CN ?? []].flat()[0],
      review: JSON.parse(body) as Received['review'],
    };
    this.received.push(received);
    const answer = this.#answers.get((incoming.url ?? '').split('?')[0] ?? '');
    if (answer === undefined) response.writeHead(404).end();
    else answer(response, received);
  }
}

export const sendJson = (response: ServerResponse, value: unknown, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

/** Returns the review that answers another one. */
export function reviewed({ review }: Received, { patch, ...response }: WebhookResponse): object {
  const patched =
    patch === undefined || patch.length === 0
      ? {}
      : { patch: Buffer.from(JSON.stringify(patch)).toString('base64'), patchType: 'JSONPatch' };
  const { apiVersion, kind, request } = review;
  return { apiVersion, kind, response: { uid: request.uid, ...response, ...patched } };
}

/** How the webhooks of a world are made: behind an https server, or as functions. */
export type Kind = 'https' | 'function';

/** A server with webhooks. */
export class HookWorld implements AsyncDisposable {
  readonly server: ApiServer;
  readonly client: Client;
  readonly clock: ManualClock;
  readonly annotations: Record<string, string> = {};

  private constructor(server: ApiServer, clock: ManualClock) {
    this.server = server;
    this.client = server.client();
    this.clock = clock;
  }

  /** Starts a server with webhooks, in the order given. */
  static async start(
    kind: Kind,
    hooks: HookServer,
    specs: readonly HookSpec[],
    options: ApiServerOptions = {},
  ): Promise<HookWorld> {
    const clock = createManualClock();
    const definitions = specs.map((spec): WebhookDefinition => ({ rules: [RULE], ...spec }));
    const server = new ApiServer({
      ...{ dialect: kubernetes, clock, ...options },
      authentication: { tokens: TOKENS, ...options.authentication },
      network: { httpClient: hooks.http, ...options.network },
      observability: { logger: { info: () => undefined, error: () => undefined }, ...options.observability },
      admission: {
        ...options.admission,
        plugins: [...(kind === 'function' ? definitions.map(webhook) : []), ...(options.admission?.plugins ?? [])],
      },
    });
    const made = new HookWorld(server, clock);
    if (kind === 'https')
      for (const [index, definition] of definitions.entries()) await made.#configure(hooks, definition, index);
    return made;
  }

  async #configure(hooks: HookServer, definition: WebhookDefinition, index: number): Promise<void> {
    const { phase = 'Validating', handler, sideEffects = 'None', ...rest } = definition;
    const path = `/${definition.name}/${index}`;
    hooks.on(path, (response, received) => {
      void (async () =>
        sendJson(
          response,
          reviewed(received, await handler(received.review.request, new AbortController().signal)),
        ))().catch(() => sendJson(response, 'broken', 500));
    });
    const stored = {
      ...rest,
      rules: [...rest.rules],
      sideEffects,
      matchConditions: [...(rest.matchConditions ?? [])],
      clientConfig: { url: hooks.origin + path, caBundle: hooks.caBundle },
      admissionReviewVersions: ['v1'],
    };
    const metadata = { name: `configuration-${index}` };
    if (phase === 'Mutating')
      await this.client.resource(MutatingWebhookConfiguration).create({ metadata, webhooks: [stored] });
    else await this.client.resource(ValidatingWebhookConfiguration).create({ metadata, webhooks: [stored] });
  }

  /** Sends a request. */
  send(method: string, target: string, body?: object, asked: Asked = {}): Promise<Answer> {
    return answerTo(this.server, method, target, body, asked);
  }

  /** Creates a ConfigMap. */
  create(name: string, more: object = {}, query = '', asked: Asked = {}): Promise<Answer> {
    return this.send('POST', `/api/v1/namespaces/default/configmaps${query}`, { metadata: { name }, ...more }, asked);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.server.close();
  }
}
