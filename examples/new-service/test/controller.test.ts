import { ConfigMap } from 'orch-apiserver/kinds';
import { startTestServer } from 'orch-apiserver/testing';
import { expect, test } from 'vitest';
import { sites } from '../src/controller.js';
import { Site } from '../src/site.js';

/** A server of the test's own, in memory, with the controller; time stands still until the test advances it. */
async function start() {
  const server = await startTestServer({ resources: [Site] });
  const running = await server.run(sites);
  return {
    server,
    running,
    sites: server.client.resource(Site).namespace('default'),
    pages: server.client.resource(ConfigMap).namespace('default'),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

test('a Site gets its page and its status', async () => {
  await using test = await start();
  await test.sites.create({ metadata: { name: 'shop' }, spec: { host: 'shop.example' } });
  await test.server.settled();
  expect((await test.pages.get('shop-page')).data).toEqual({ host: 'shop.example', title: 'Welcome' });
  expect((await test.sites.get('shop')).status).toMatchObject({
    page: 'shop-page',
    conditions: [{ type: 'Ready', status: 'True' }],
  });
});

test('the page follows the Site, and comes back when somebody deletes it', async () => {
  await using test = await start();
  await test.sites.create({ metadata: { name: 'shop' }, spec: { host: 'shop.example' } });
  await test.server.settled();
  await test.sites.patch('shop', { spec: { title: 'The shop' } });
  await test.server.settled();
  expect((await test.pages.get('shop-page')).data?.['title']).toBe('The shop');
  await test.pages.delete('shop-page');
  await test.server.settled();
  expect((await test.pages.get('shop-page')).data?.['title']).toBe('The shop');
});

test('a page that cannot be written is written as soon as it can', async () => {
  await using test = await start();
  test.server.faults.fail({ verb: 'patch', resource: 'configmaps', times: 2 }, { status: 500 });
  await test.sites.create({ metadata: { name: 'shop' }, spec: { host: 'shop.example' } });
  await test.server.runUntil(async () => (await test.sites.get('shop')).status?.page !== undefined);
  expect(test.running.errors).toHaveLength(2);
});

test('a Site needs a host', async () => {
  await using test = await start();
  await expect(test.sites.create({ metadata: { name: 'shop' }, spec: { host: '' } })).rejects.toMatchObject({
    code: 422,
  });
});
