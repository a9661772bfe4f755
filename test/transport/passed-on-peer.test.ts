import express from 'express';
import fastify from 'fastify';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { Peer, PeerCertificate } from '../../src/server/requests/http.js';
import { toExpress } from '../../src/transport/express/express.js';
import { toFastify } from '../../src/transport/fastify/fastify.js';

const handle = async ({ peer }: { peer: Peer }) => ({
  status: 200,
  headers: {},
  body: `${peer.address} ${peer.tls} ${peer.certificate?.()?.chain.join('')}`,
});
const certificate: PeerCertificate = { chain: [Uint8Array.of(7)], authorized: true };
const passedOn: Peer = { address: '203.0.113.9', tls: true, certificate: () => certificate };

test('Express and Fastify use the peer passed on by a TLS proxy', async () => {
  const app = express().use(
    toExpress({ handle }, { peer: (request) => (request.headers['x-from'] === 'edge' ? passedOn : undefined) }),
  );
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  expect(await (await fetch(url, { headers: { 'x-from': 'edge' } })).text()).toBe('203.0.113.9 true 7');
  expect(await (await fetch(url)).text()).toBe('127.0.0.1 false undefined');
  await new Promise((resolve) => server.close(resolve));

  const plugin = fastify();
  await plugin.register(toFastify({ handle }, { peer: () => passedOn }));
  await plugin.listen({ port: 0, host: '127.0.0.1' });
  expect(await (await fetch(`http://127.0.0.1:${(plugin.server.address() as AddressInfo).port}/`)).text()).toBe(
    '203.0.113.9 true 7',
  );
  await plugin.close();
});
