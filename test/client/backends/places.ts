import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { WebSocket } from 'ws';
import { connect, type Client, type ConnectOptions } from '../../../src/entries/client.js';
import type { ClientOptions } from '../../../src/entries/index.js';
import { startTestServer, type TestServer, type TestServerOptions } from '../../../src/entries/testing.js';
import { encodePem } from '../../../src/foundation/index.js';
import {
  CertificateAuthority,
  encodePrivateKey,
  encodePublicKey,
  ExtendedKeyUsage,
  generateKeyPair,
} from '../../../src/security/pki/index.js';
import { toExpress } from '../../../src/transport/express/express.js';
import { toFetchHandler } from '../../../src/transport/fetch/fetch.js';
import { createServingCertificate, listen, serveUpgrades } from '../../../src/transport/node/index.js';
import { bundledModule } from '../browser/bundle.js';

/** The dialects under test. */
export const DIALECTS = ['kubernetes', 'orch'] as const;
export type DialectName = (typeof DIALECTS)[number];

/** Options of a client that mean the same everywhere. */
export type CaseOptions = Omit<ClientOptions, 'at'> & Pick<ConnectOptions, 'retry' | 'timeout' | 'clock' | 'entropy'>;

/** A server, and clients that reach it in one way, as its owner. */
export interface Reached {
  readonly test: TestServer;
  readonly client: (options?: CaseOptions) => Promise<Client>;
  close(): Promise<void>;
}

/** A way to reach a server. */
export interface Place {
  readonly name: string;
  /** Whether clients are in the process of the server. */
  readonly isInProcess: boolean;
  /** Whether streams can be opened. */
  readonly hasSockets: boolean;
  /** Whether streams can be opened as another user. */
  readonly hasHeaders: boolean;
  start(dialect: DialectName, options?: TestServerOptions): Promise<Reached>;
}

const TOKEN = 'owner-of-the-cases';
const owner = { token: TOKEN, user: { username: 'owner', groups: ['system:masters'] } };

const common = (dialect: DialectName, options: TestServerOptions = {}): TestServerOptions => ({
  dialect,
  ...options,
  authentication: { tokens: [owner], ...options.authentication },
});

type Connect = typeof connect;

/**
 * A way over the wire.
 *
 * @param serve serves a test server, and returns how to reach it
 * @param connecting returns the function `connect`; default that of Node
 */
function wire(
  name: string,
  serve: (
    test: TestServer,
  ) => Promise<{ readonly target: Parameters<typeof connect>[0]; close(): Promise<unknown> | unknown }>,
  optionsOf: () => Promise<TestServerOptions> = () => Promise.resolve({}),
  connecting: () => Promise<Connect> = () => Promise.resolve(connect),
  { hasSockets = true, hasHeaders = true }: { readonly hasSockets?: boolean; readonly hasHeaders?: boolean } = {},
): Place {
  return {
    ...{ name, isInProcess: false, hasSockets, hasHeaders },
    async start(dialect, options) {
      const test = await startTestServer(common(dialect, { ...options, ...(await optionsOf()) }));
      const { target, close } = await serve(test);
      const connectHere = await connecting();
      const clients: Client[] = [];
      return {
        test,
        async client(given = {}) {
          const client = await connectHere(target, { dialect, ...given });
          clients.push(client);
          return client;
        },
        async close() {
          for (const client of clients) await client.close();
          await close();
          await test.close();
        },
      };
    },
  };
}

const inProcess: Place = {
  ...{ name: 'in the process', isInProcess: true, hasSockets: true, hasHeaders: true },
  async start(dialect, options) {
    const test = await startTestServer(common(dialect, options));
    return {
      test,
      client: ({ user, fieldManager, onWarning } = {}) =>
        Promise.resolve(test.server.client({ user, fieldManager, onWarning })),
      close: () => test.close(),
    };
  },
};

const http = wire('over http', async ({ server }) => {
  const listener = await listen(server);
  return { target: { url: listener.url, token: TOKEN }, close: () => listener.close({ grace: 0 }) };
});

/** Opens a WebSocket as browsers do: without header fields. */
const webSocket = (url: string, protocols: string[]) => new WebSocket(url, protocols);

const byFetch = wire(
  'by fetch over http',
  async ({ server }) => {
    const listener = await listen(server);
    const target = { url: listener.url, token: () => TOKEN, fetch, webSocket };
    return { target, close: () => listener.close({ grace: 0 }) };
  },
  undefined,
  undefined,
  { hasHeaders: false },
);

let bundle: Promise<Connect> | undefined;

async function bundledConnect(): Promise<Connect> {
  const code = Buffer.from(await bundledModule()).toString('base64');
  const module = (await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`)) as { connect: Connect };
  return module.connect;
}

const byBundle = wire(
  'by the build for browsers',
  async ({ server }) => {
    const listener = await listen(server);
    const target = { url: listener.url, token: TOKEN, fetch, webSocket };
    return { target, close: () => listener.close({ grace: 0 }) };
  },
  undefined,
  () => (bundle ??= bundledConnect()),
  { hasHeaders: false },
);

/** A WebSocket without a server. */
const noWebSocket = () => new WebSocket('ws://127.0.0.1:1');

const byHandler = wire(
  'by a fetch that is the server',
  async ({ server }) => {
    const handler = toFetchHandler(server);
    const target = {
      ...{ url: 'http://in.process', token: TOKEN, webSocket: noWebSocket },
      fetch: (url: string, init: RequestInit) => handler(new Request(url, init)),
    };
    return { target, close: () => undefined };
  },
  undefined,
  undefined,
  { hasSockets: false },
);

const behindExpress = wire('behind express, below a prefix', async ({ server }) => {
  const app = express();
  app.use('/mounted', toExpress(server));
  const http = createHttpServer(app);
  serveUpgrades(http, server, { prefix: '/mounted' });
  const { url, close } = await serving(http, 'http');
  return { target: { url: `${url}/mounted/`, token: TOKEN }, close };
});

const behindHttpsExpress = wire('behind express over https, which has no HTTP/2', async ({ server }) => {
  const app = express();
  app.use(express.json({ limit: '8mb', type: () => false }), toExpress(server));
  const { caPem, certPem, keyPem } = await createServingCertificate();
  const https = createHttpsServer({ key: keyPem, cert: certPem }, app);
  serveUpgrades(https, server);
  const { url, close } = await serving(https, 'https');
  return { target: { url, token: TOKEN, authority: caPem }, close };
});

let identity: Promise<{ readonly authority: string; readonly certificate: string; readonly key: string }> | undefined;

const byCertificate = wire(
  'over HTTP/2 with a client certificate',
  async ({ server }) => {
    const { caPem, certPem, keyPem } = await createServingCertificate();
    const listener = await listen(server, { tls: { key: keyPem, cert: certPem } });
    const { certificate, key } = await (identity ??= createIdentity());
    return {
      target: { url: listener.url, authority: caPem, certificate: { certificate, key } },
      close: () => listener.close({ grace: 0 }),
    };
  },
  async () => {
    const { authority } = await (identity ??= createIdentity());
    return { authentication: { tokens: [owner], clientCertificates: { certificateAuthorities: authority } } };
  },
);

/** All ways to reach a server. */
export const PLACES: readonly Place[] = [
  ...[inProcess, http, byCertificate, byFetch, byBundle, byHandler, behindExpress, behindHttpsExpress],
];

/** The ways over a socket of which one of each kind of client is enough. */
export const SOCKETS: readonly Place[] = [http, byCertificate, byFetch];

/** The certificate of a member of `system:masters`, valid on the clocks of test servers and of this machine. */
async function createIdentity(): Promise<{ authority: string; certificate: string; key: string }> {
  const validity = { notBefore: Date.UTC(2020, 0, 1), notAfter: Date.UTC(2090, 0, 1) };
  const authority = await CertificateAuthority.create({ commonName: 'clients', ...validity });
  const { privateKey, publicKey } = await generateKeyPair();
  const certificate = await authority.issue({
    ...validity,
    subject: { commonName: 'owner', organizations: ['system:masters'] },
    publicKey: await encodePublicKey(publicKey),
    keyUsages: ['digitalSignature'],
    extendedKeyUsages: [ExtendedKeyUsage.clientAuth],
  });
  return {
    authority: authority.certificatePem,
    certificate: encodePem('CERTIFICATE', certificate),
    key: await encodePrivateKey(privateKey),
  };
}

async function serving(server: Server, scheme: string): Promise<{ url: string; close(): Promise<void> }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
