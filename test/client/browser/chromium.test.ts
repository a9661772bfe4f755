import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Pod } from '../../../src/entries/index.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { listen, type Listener } from '../../../src/transport/node/index.js';
import { bundledScript } from './bundle.js';
import { Chromium, chromiumProgram } from './chromium.js';

const tokens = [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }];

if (chromiumProgram === undefined)
  console.warn('Chromium is not installed: the client of browsers is tested in no browser (apt-get install chromium)');

describe.skipIf(chromiumProgram === undefined)('the client in Chromium', () => {
  let chromium: Chromium;
  let api: TestServer;
  let listener: Listener;
  let run: (program: string) => Promise<unknown>;
  let foreign: (program: string) => Promise<unknown>;
  const closers: (() => unknown)[] = [];

  beforeAll(async () => {
    const code = await bundledScript();
    const pages = createServer((request, response) => {
      if (request.url === '/client.js') response.setHeader('content-type', 'text/javascript').end(code);
      else response.setHeader('content-type', 'text/html').end('<script src="/client.js"></script>');
    });
    await new Promise<void>((resolve) => pages.listen(0, resolve));
    closers.push(
      () => pages.closeAllConnections(),
      () => pages.close(),
    );
    const { port } = pages.address() as AddressInfo;
    api = await startTestServer({
      dialect: 'kubernetes',
      authentication: { tokens },
      handlers: {
        pods: {
          async exec(_pod, { stdin, stdout }) {
            for await (const chunk of stdin ?? []) await stdout?.write(chunk);
            return 3;
          },
          async portForward(_pod, { data, write }) {
            for await (const chunk of data) await write(chunk);
          },
        },
      },
      network: { cors: { origins: [`http://127.0.0.1:${port}`] } },
    });
    closers.push(() => api.close());
    listener = await listen(api.server);
    closers.push(() => listener.close({ grace: 0 }));
    chromium = await Chromium.start(chromiumProgram ?? '');
    closers.push(() => chromium.close());
    const prologue = `
      const { connect, Informer, ApiError } = globalThis.client;
      const options = { fieldManager: 'page', onWarning: (text) => warnings.push(text) };
      const warnings = [];
      const client = await connect({ url: '${listener.url}', token: 'admin', fetch }, options);
      const maps = client.resource({ apiVersion: 'v1', kind: 'ConfigMap' }).namespace('default');`;
    const at = async (url: string): Promise<typeof run> => {
      const evaluate = await chromium.open(url);
      return (program) => evaluate(prologue + program);
    };
    run = await at(`http://127.0.0.1:${port}/`);
    foreign = await at(`http://localhost:${port}/`);
  }, 300_000);

  afterAll(async () => {
    for (const close of closers.reverse()) await close();
  });

  test('reads and writes objects of a server of another origin', async () => {
    const result = await run(`
      const made = await maps.create({ metadata: { name: 'a' }, data: { text: 'grün ✓' }, odd: 1 });
      const applied = await maps.apply({ metadata: { name: 'a', labels: { app: 'web' } } });
      const patched = await maps.patch('a', { data: { more: '1' } });
      const list = await maps.list({ labelSelector: 'app=web' });
      const refusal = await maps.create({ metadata: { name: 'a' } }).catch((error) => error);
      const deleted = await maps.delete('a');
      return {
        warnings, data: patched.data, labels: applied.metadata.labels, items: list.items.length, status: deleted.status,
        managers: patched.metadata.managedFields.map(({ manager }) => manager).sort(),
        refusal: [refusal instanceof ApiError, refusal.code, refusal.message],
      };`);
    expect(result).toEqual({
      warnings: ['unknown field "odd"'],
      data: { text: 'grün ✓', more: '1' },
      labels: { app: 'web' },
      items: 1,
      status: 'Success',
      managers: ['page', 'page'],
      refusal: [true, 409, 'configmaps "a" already exists'],
    });
  });

  test('runs commands and reaches ports of pods', async () => {
    await api.client
      .resource(Pod)
      .namespace('default')
      .create({ metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image: 'i' }] } });
    const result = await run(`
      const pods = client.resource({ apiVersion: 'v1', kind: 'Pod' }).namespace('default');
      const large = 'text '.repeat(100000);
      const { stdout, exitCode } = await (await pods.exec('web', ['cat'], { stdin: large })).output();
      const port = await pods.portForward('web', 80);
      await port.write('ping');
      let answer = '';
      for await (const chunk of port.data) {
        answer += new TextDecoder().decode(chunk);
        break;
      }
      port.close();
      const missing = await pods.exec('none', ['cat']).catch((error) => error);
      await client.close();
      return { isWhole: stdout === large, exitCode, answer, missing: [missing instanceof ApiError, missing.code] };`);
    expect(result).toEqual({ isWhole: true, exitCode: 3, answer: 'ping', missing: [true, 404] });
  });

  test('watches, follows, waits and informs', async () => {
    const result = await run(`
      const log = [];
      await maps.create({ metadata: { name: 'b' } });
      const watching = (async () => {
        for await (const { type, object } of maps.watch()) {
          log.push(type + ' ' + object.metadata.name);
          if (type === 'DELETED') break;
        }
      })();
      const clock = { now: () => Date.now(), after(ms, callback) {
        const timer = setTimeout(callback, ms);
        return { cancel: () => clearTimeout(timer) };
      } };
      const informer = new Informer({ source: maps, clock });
      informer.start();
      await informer.synced();
      const waiting = maps.waitFor('b', (map) => map?.data?.done === 'yes', { timeout: '30s' });
      await maps.patch('b', { data: { done: 'yes' } });
      const { data } = await waiting;
      await informer.caughtUp();
      const cached = informer.get('default/b').data;
      await maps.delete('b');
      await watching;
      await informer.stop();
      const followed = [];
      for await (const event of maps.follow()) {
        followed.push(event.type);
        if (event.type === 'SYNCED') break;
      }
      await client.close();
      return { log, data, cached, last: followed.at(-1) };`);
    expect(result).toEqual({
      log: ['ADDED b', 'MODIFIED b', 'DELETED b'],
      data: { done: 'yes' },
      cached: { done: 'yes' },
      last: 'SYNCED',
    });
    // The watches have ended with their sockets.
    await expect
      .poll(() =>
        api
          .requests({ verb: 'watch' })
          .toArray()
          .every(({ status }) => status === 200),
      )
      .toBe(true);
  });

  test('acts as another user, and finds kinds by their names', async () => {
    const result = await run(`
      const eve = await connect({ url: '${listener.url}', token: 'admin', fetch }, { user: 'eve' });
      const error = await eve.resource({ apiVersion: 'v1', kind: 'Secret' }).list().catch((failure) => failure);
      const none = await client.resource({ apiVersion: 'apps/v1', kind: 'Deploymint' }).list().catch((failure) => failure);
      return [error.message, none.message];`);
    expect(result).toEqual([
      'secrets is forbidden: User "eve" cannot list resource "secrets" in API group "" at the cluster scope',
      'the server could not find the requested resource: no kind "Deploymint" of "apps/v1" is served; near names are Deployment of apps/v1',
    ]);
  });

  test('is refused to a page whose origin is not listed', async () => {
    const before = api.requests({ verb: 'list', resource: 'nodes' }).length;
    const result = await foreign(`
      const nodes = client.resource({ group: '', version: 'v1', kind: 'Node', plural: 'nodes', scope: 'Cluster' });
      const error = await nodes.list().catch((failure) => failure);
      return [error.name, error.message];`);
    expect(result).toEqual(['ConnectionLostError', `GET ${listener.url}/api/v1/nodes: Failed to fetch`]);
    expect(api.requests({ verb: 'list', resource: 'nodes' }).length).toBe(before);
  });
});
