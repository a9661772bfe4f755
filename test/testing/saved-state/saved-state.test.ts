import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync, readFileSync, utimesSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ConfigMap, defineResource } from '../../../src/entries/index.js';
import { Secret, ValidatingWebhookConfiguration } from '../../../src/entries/kinds.js';
import {
  startTestServer,
  type TestServer,
  type TestServerOptions,
  type VitestTest,
} from '../../../src/entries/testing.js';
import { silentLogger } from '../../../src/foundation/index.js';
import { openState, readState } from '../../../src/testing/index.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'saved-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a server whose states go to a folder of its own. */
async function started(options: TestServerOptions = {}) {
  const own = mkdtempSync(join(folder, 'states-'));
  const lines: string[] = [];
  const { snapshots, ...rest } = options;
  const more = typeof snapshots === 'object' ? snapshots : {};
  const server = await startTestServer({
    ...{ dialect: 'kubernetes', ...rest },
    snapshots: { folder: own, print: (line) => void lines.push(line), ...more },
  });
  return { server, lines, folder: own, files: () => readdirSync(own) };
}

const mapsOf = ({ client }: Pick<TestServer, 'client'>) => client.resource(ConfigMap).namespace('default');

/** A test of vitest, which the caller ends. */
function runningTest(task: object = {}) {
  const hooks: (() => Promise<void>)[] = [];
  const errors = [{ message: 'expected 1 to be 2', stack: 'Error: expected 1 to be 2\n    at shop.test.ts:3' }];
  const context: VitestTest = {
    task: {
      name: 'scales',
      fullTestName: 'shop > scales',
      file: { filepath: '/a/shop.test.ts' },
      result: { errors },
      ...task,
    },
    onTestFailed: (run) => hooks.push(run),
  };
  return { context, fail: () => Promise.all(hooks.map((run) => run())) };
}

const opened = async (path: string) => openState(await readState(path), silentLogger);

/** Returns a listener that counts its connections, and ends them. */
async function counting() {
  const state = { connections: 0 };
  const listener = createServer((socket) => {
    state.connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => void listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    state,
    port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void listener.close(() => resolve())),
  };
}

// A first test loads much of the server, which takes its time on a busy machine.
describe('a saved state', { timeout: 300_000 }, () => {
  test('asks none of the servers that its objects name', async () => {
    await using hook = await counting();
    const { server } = await started();
    await using _closing = server;
    await server.client.resource(ValidatingWebhookConfiguration).create({
      metadata: { name: 'hook' },
      webhooks: [
        {
          name: 'hook.example.com',
          clientConfig: { url: `https://127.0.0.1:${hook.port}/` },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          ...{ failurePolicy: 'Ignore', sideEffects: 'None', admissionReviewVersions: ['v1'] },
        },
      ],
    });
    await mapsOf(server).create({ metadata: { name: 'asked' } });
    const { connections } = hook.state;
    expect(connections).toBeGreaterThan(0);
    const state = await opened((await server.saveSnapshot()).path);
    await state.server
      .client()
      .resource(ConfigMap)
      .namespace('default')
      .create({ metadata: { name: 'not-asked' } });
    await state.close();
    expect(hook.state.connections).toBe(connections);
  });

  test('opens with the objects, their versions and past, the requests and the time', async () => {
    const { server, lines, folder } = await started();
    await using _closing = server;
    const { metadata } = await mapsOf(server).create({ metadata: { name: 'a' }, data: { n: '1' } });
    await server.advance('2h');
    const second = await mapsOf(server).update({ metadata: { name: 'a' }, data: { n: '2' } });
    await mapsOf(server).create({ metadata: { name: 'gone' } });
    await mapsOf(server).delete('gone');
    await server.client
      .resource(Secret)
      .namespace('default')
      .create({ metadata: { name: 's' }, stringData: { p: 'x' } });
    const { path, command } = await server.saveSnapshot({ test: 'scales a shop', error: new Error('too small') });
    expect(path).toMatch(new RegExp(`^${folder}/scales-a-shop-[0-9a-f]{8}\\.state$`));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(command).toBe(`npx orch-apiserver open ${path}`);
    expect(lines).toEqual([`The state of the server is saved: ${command}`]);

    const state = await opened(path);
    const client = state.server.client();
    const [before, after] = [server.client, client].map(async (each) => (await mapsOf({ client: each }).list()).items);
    expect(await after).toEqual(await before);
    expect((await client.resource(Secret).namespace('default').get('s')).data).toEqual({ p: 'eA==' });
    // The past can be read at each version, as in the test.
    const past = state.server.client({ at: Number(metadata.resourceVersion) });
    expect((await mapsOf({ client: past }).get('a')).data).toEqual({ n: '1' });
    expect((await mapsOf({ client }).get('a')).metadata.resourceVersion).toBe(second.metadata.resourceVersion);
    // Nobody has written since.
    const revision = async (of: typeof client) => (await mapsOf({ client: of }).list()).metadata.resourceVersion;
    expect(await revision(client)).toBe(await revision(server.client));
    const asked = async (path: string): Promise<any> => {
      const request = { method: 'GET' } as Parameters<typeof state.commands>[0];
      return JSON.parse(String((await state.commands(request, path)).body));
    };
    expect(await asked('/clock')).toMatchObject({
      now: new Date(server.clock.now()).toISOString(),
      saved: { test: { name: 'scales a shop', error: expect.stringContaining('too small') } },
    });
    const { items } = await asked('/requests');
    expect(items.map(({ verb, name }: { verb: string; name: string }) => `${verb} ${name}`)).toEqual([
      ...['create a', 'update a', 'create gone', 'delete gone', 'create s'],
    ]);
    expect(items[0].body.data).toEqual({ n: '1' });
    expect(await asked('/forks')).toMatchObject({ code: 404 });
    await state.close();
  });

  test('has the kinds of definitions, and those that the program declares', async () => {
    const Backup = defineResource({
      ...{ group: 'shop.example', version: 'v1', kind: 'Backup', plural: 'backups', scope: 'Namespaced' },
      schema: () => z.object({ spec: z.object({ every: z.string() }) }),
    });
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'toys.shop.example' },
      spec: {
        ...{ group: 'shop.example', scope: 'Cluster', names: { plural: 'toys', kind: 'Toy' } },
        versions: [
          {
            ...{ name: 'v1', served: true, storage: true },
            schema: { openAPIV3Schema: { type: 'object', properties: { size: { type: 'integer' } } } },
          },
        ],
      },
    };
    const { server } = await started({ resources: [Backup], crds: [crd] });
    await using _closing = server;
    const Toy = { apiVersion: 'shop.example/v1', kind: 'Toy' };
    await server.client.resource(Toy).create({ metadata: { name: 'bear' }, size: 3 });
    await server.client
      .resource(Backup)
      .namespace('default')
      .create({ metadata: { name: 'b' }, spec: { every: '1h' } });
    const { path } = await server.saveSnapshot();
    const state = await opened(path);
    const client = state.server.client();
    expect(await client.resource(Toy).get('bear')).toMatchObject({ size: 3 });
    const backups = client.resource({ apiVersion: 'shop.example/v1', kind: 'Backup' }).namespace('default');
    expect(await backups.get('b')).toMatchObject({ spec: { every: '1h' } });
    await state.close();
  });

  test('is bounded: the newest of the past and of the requests fit', async () => {
    const { server, lines } = await started({ snapshots: { maxBytes: 400_000 } });
    await using _closing = server;
    for (let n = 0; n < 100; n += 1)
      await mapsOf(server).apply(
        { metadata: { name: 'a' }, data: { n: String(n), long: 'x'.repeat(5000) } },
        { fieldManager: 'm' },
      );
    const { path } = await server.saveSnapshot();
    expect(statSync(path).size).toBeLessThan(420_000);
    const { head, writes, requests } = await readState(path);
    expect(head.leftOut.writes).toBeGreaterThan(0);
    expect(head.leftOut.requests).toBeGreaterThan(0);
    expect(writes.length).toBeGreaterThan(3);
    expect(requests.at(-1)).toMatchObject({ verb: 'patch', name: 'a' });
    const state = await opened(path);
    expect(await mapsOf({ client: state.server.client() }).get('a')).toMatchObject({ data: { n: '99' } });
    await state.close();
    for (let n = 0; n < 10; n += 1)
      await mapsOf(server).create({ metadata: { name: `big-${n}` }, data: { long: 'x'.repeat(50_000) } });
    await expect(server.saveSnapshot()).rejects.toThrow('raise snapshots.maxBytes');
    expect(lines).toHaveLength(1);
  });

  test('replaces the oldest in its folder, and nothing else', async () => {
    const { server, folder, files } = await started({ snapshots: { keep: 2 } });
    await using _closing = server;
    writeFileSync(join(folder, 'other.txt'), '');
    const paths: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { path } = await server.saveSnapshot({ test: `t${n}` });
      paths.push(path);
      utimesSync(path, n + 1, n + 1);
    }
    await server.saveSnapshot({ test: 't3' });
    expect(files().sort()).toEqual(['other.txt', expect.stringMatching(/^t2-/), expect.stringMatching(/^t3-/)]);
  });

  test('is refused when it is damaged', async () => {
    const { server } = await started();
    await using _closing = server;
    const { path } = await server.saveSnapshot();
    const text = readFileSync(path, 'latin1');
    for (const [changed, message] of [
      [text.replace('kube-system', 'kube-sYstem'), 'checksum'],
      [text.slice(0, -20), 'ends early'],
      ['{"format":"orch-apiserver-backup"}\n', 'not a state'],
      [text.replace('"version":1', '"version":9'), 'version 9'],
      ['', 'not a state'],
    ] as const) {
      writeFileSync(path, changed, 'latin1');
      await expect(readState(path)).rejects.toThrow(message);
    }
  });
});

describe('a test of vitest', () => {
  test('saves the state of its server when it fails, though the server has closed', async () => {
    const { context, fail } = runningTest();
    const { server, lines, files } = await started({ testContext: context });
    await mapsOf(server).create({ metadata: { name: 'a' } });
    await server.close();
    expect(files()).toEqual([]);
    await fail();
    const [file = ''] = files();
    expect(file).toMatch(/^shop-scales-/);
    expect(lines).toEqual([expect.stringContaining(`open `)]);
    const { head } = await readState(lines[0]?.split(' open ')[1] ?? '');
    expect(head.test).toEqual({
      name: 'shop > scales',
      file: '/a/shop.test.ts',
      error: expect.stringContaining('shop.test.ts:3'),
    });
  });

  test('saves nothing when it is meant to fail, or is tried again, or the option is off', async () => {
    for (const [task, options] of [
      [{ fails: true }, {}],
      [{ retry: 2, result: { retryCount: 1 } }, {}],
    ] as const) {
      const { context, fail } = runningTest(task);
      const { server, files, lines } = await started({ testContext: context, ...options });
      await fail();
      await server.close();
      expect([files(), lines]).toEqual([[], []]);
    }
    const { context, fail } = runningTest();
    const server = await startTestServer({ testContext: context, snapshots: false });
    await server.close();
    expect(await fail()).toEqual([]);
  });

  test('goes on when the state cannot be saved', async () => {
    const { context, fail } = runningTest();
    const { server, lines } = await started({ testContext: context, snapshots: { maxBytes: 10 } });
    await server.close();
    await fail();
    expect(lines).toEqual([expect.stringMatching(/^The state of the server could not be saved: its \d+ objects/)]);
  });

  test('prints a link to the page while the server runs', async () => {
    const { context, fail } = runningTest();
    const { server, lines } = await started({ testContext: context, ui: true });
    await using _closing = server;
    await fail();
    expect(lines[0]).toMatch(/\(or, while the test runs: http:\/\/127\.0\.0\.1:\d+\/ui\/#.+\)$/);
  });

  test('gives its forks to the test that uses them', async () => {
    const { context, fail } = runningTest();
    const { server, files } = await started();
    const fork = await server.fork({ testContext: context });
    await fork.close();
    await fail();
    expect(files()).toHaveLength(1);
    await server.close();
  });
});

test('options that are mistakes are refused', async () => {
  const refused = (options: object) => expect(startTestServer(options as TestServerOptions)).rejects;
  await refused({ snapshots: { keep: 0 } }).toThrow('snapshots.keep');
  await refused({ snapshots: 'yes' }).toThrow('snapshots');
  await refused({ testContext: {} }).toThrow('testContext must be the context of a test');
  const { server } = await started();
  await server.close();
  await expect(server.saveSnapshot()).rejects.toThrow('closed');
});
