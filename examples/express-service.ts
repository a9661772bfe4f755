/**
 * Use 2: an express service with its own API: a kind declared with zod, an admission rule, and a loop that processes the objects. Users get paths, watch, selectors, tables for kubectl, OpenAPI and authentication.
 *
 * ```
 * curl -H 'Authorization: Bearer alice-token' localhost:PORT/api-server/apis/orders.example/v1/namespaces/default/orders
 * ```
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { ApiServer, defineResource, statusSubresource, type AdmissionPlugin } from 'orch-apiserver';
import { toExpress } from 'orch-apiserver/express';
import { serveUpgrades } from 'orch-apiserver/node';
import { z } from 'zod';

const Order = defineResource({
  group: 'orders.example',
  version: 'v1',
  kind: 'Order',
  plural: 'orders',
  names: { shortNames: ['ord'] },
  scope: 'Namespaced',
  schema: () =>
    z.object({
      spec: z.object({ item: z.string().min(1), quantity: z.number().int().min(1).default(1) }),
      status: z.object({ phase: z.enum(['Pending', 'Accepted']).default('Pending') }).optional(),
    }),
  subresources: { status: statusSubresource },
  selectableFields: { 'spec.item': (object) => (object['spec'] as { item: string }).item },
});

/** Sets the creator of every order. */
const signed: AdmissionPlugin = {
  name: 'SignedOrders',
  operations: ['CREATE'],
  mutate({ info, object, user }) {
    if (info.kind === 'Order' && object !== undefined)
      object.metadata.annotations = { ...object.metadata.annotations, 'orders.example/by': user.username };
  },
};

const server = new ApiServer({
  resources: [Order],
  admission: { plugins: [signed] },
  authentication: { tokens: [{ token: 'alice-token', user: { username: 'alice', groups: ['system:masters'] } }] },
});

/** Accepts new orders, with the same API as the users but without a socket. */
async function acceptOrders(): Promise<void> {
  const orders = server.client({ fieldManager: 'order-controller' }).resource(Order);
  for await (const event of orders.watch()) {
    if (event.type !== 'ADDED' || event.object.status?.phase === 'Accepted') continue;
    const { metadata } = event.object;
    await orders.namespace(metadata.namespace ?? '').updateStatus({ ...event.object, status: { phase: 'Accepted' } });
  }
}

const app = express();
app.use('/api-server', toExpress(server));
app.get('/', (_request, response) => void response.send('The shop is open.'));

const http = createServer(app);
serveUpgrades(http, server, { prefix: '/api-server' });
http.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1');
await once(http, 'listening');
const accepting = acceptOrders();
console.log(`listening on http://127.0.0.1:${(http.address() as AddressInfo).port}`);

await Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
await server.close();
await accepting;
http.close();
http.closeIdleConnections();
