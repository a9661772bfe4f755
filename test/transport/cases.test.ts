import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { createServingCertificate, listen } from '../../src/transport/node/index.js';
import { toExpress } from '../../src/transport/express/express.js';
import { toFastify } from '../../src/transport/fastify/fastify.js';
import { toFetchHandler } from '../../src/transport/fetch/fetch.js';
import { toHono } from '../../src/transport/hono/hono.js';
import { http1Fetch, http2Fetch } from './support/node-fetch.js';
import { everything, runTransportCases, type Running } from './support/run-cases.js';

runTransportCases('node http, fetch client', everything, async (handler) => {
  const listener = await listen(handler);
  return { base: listener.url, fetch, close: () => listener.close({ grace: 0 }) };
});

runTransportCases('node http, node:http client', everything, async (handler) => {
  const listener = await listen(handler);
  const client = http1Fetch();
  return { base: listener.url, fetch: client, close: () => (client.close(), listener.close({ grace: 0 })) };
});

runTransportCases('node https, HTTP/1.1 client', everything, async (handler) => {
  const { caPem, certPem, keyPem } = await createServingCertificate();
  const listener = await listen(handler, { tls: { key: keyPem, cert: certPem } });
  const client = http1Fetch({ ca: caPem });
  return { base: listener.url, fetch: client, close: () => (client.close(), listener.close({ grace: 0 })) };
});

runTransportCases('node https, HTTP/2 client', everything, async (handler) => {
  const { caPem, certPem, keyPem } = await createServingCertificate();
  const listener = await listen(handler, { tls: { key: keyPem, cert: certPem } });
  const client = http2Fetch(caPem);
  return { base: listener.url, fetch: client, close: () => (client.close(), listener.close({ grace: 0 })) };
});

runTransportCases('fetch handler', everything, async (handler) => {
  const serveFetch = toFetchHandler(handler);
  return {
    base: 'http://in.process',
    fetch: (url, init) => serveFetch(new Request(url, init)),
    close: () => undefined,
  };
});

runTransportCases('fetch handler under a prefix', everything, async (handler) => {
  const serveFetch = toFetchHandler(handler, { prefix: '/mounted/' });
  return {
    base: 'http://in.process/mounted',
    fetch: (url, init) => serveFetch(new Request(url, init)),
    close: () => undefined,
  };
});

runTransportCases('express at the root', everything, async (handler) => {
  const app = express();
  app.use(toExpress(handler));
  return serving(createServer(app), '');
});

runTransportCases('express mounted with use', everything, async (handler) => {
  const app = express();
  app.use('/mounted', toExpress(handler));
  return serving(createServer(app), '/mounted');
});

runTransportCases('express route with a prefix', everything, async (handler) => {
  const app = express();
  app.all('/mounted/*splat', toExpress(handler, { prefix: '/mounted' }));
  return serving(createServer(app), '/mounted');
});

runTransportCases('express behind body parsers', everything, async (handler) => {
  const app = express();
  app.use(express.json({ limit: '8mb' }), express.text({ limit: '8mb' }), express.raw({ type: 'application/yaml' }));
  app.use(toExpress(handler));
  return serving(createServer(app), '');
});

runTransportCases('fastify at the root', everything, async (handler) => {
  const app = fastify({ forceCloseConnections: true });
  await app.register(toFastify(handler));
  return { base: await app.listen({ host: '127.0.0.1', port: 0 }), fetch, close: () => app.close() };
});

runTransportCases('fastify under a prefix', everything, async (handler) => {
  const app = fastify({ forceCloseConnections: true });
  await app.register(toFastify(handler), { prefix: '/mounted' });
  return { base: `${await app.listen({ host: '127.0.0.1', port: 0 })}/mounted`, fetch, close: () => app.close() };
});

runTransportCases('hono on its Node server', everything, async (handler) => {
  const app = new Hono();
  app.all('/mounted/*', toHono(handler, { prefix: '/mounted' }));
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (address) => {
      resolve({ base: `http://127.0.0.1:${address.port}/mounted`, fetch, close: () => stop(server as Server) });
    });
  });
});

function serving(server: Server, path: string): Promise<Running> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve({
        base: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
        fetch,
        close: () => stop(server),
      });
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
