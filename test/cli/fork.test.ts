/** `fork`: a test server with the objects of a running server, which is another process here. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { connect, type Client } from '../../src/entries/client.js';
import { CustomResourceDefinition, ConfigMap, Deployment, Namespace } from '../../src/entries/kinds.js';
import { COMMAND } from '../conformance/kubectl/server.js';
import { widgetDefinition } from '../kinds/custom/definitions.js';
import { today } from './serving.js';

let directory = '';
const ends: (() => unknown)[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cli-fork-'));
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await rm(directory, { recursive: true });
});

const firstLine = async (child: ChildProcess): Promise<string> => {
  if (child.stdout === null) throw new Error('no output');
  for await (const line of createInterface(child.stdout)) return line;
  throw new Error('the program ended without a line');
};

async function clientOf(kubeconfig: string): Promise<Client> {
  const client = await connect({ kubeconfig });
  ends.push(() => client.close());
  return client;
}

/** Starts a test server in a process of its own. */
async function source(...flags: string[]): Promise<Client> {
  const own = ['test-server', '--exit-with-parent', `--kubeconfig=${directory}/source`];
  const words = [...COMMAND.slice(0, -1), ...own, ...flags];
  const child = spawn(words[0] ?? '', words.slice(1), { stdio: ['pipe', 'pipe', 'ignore'] });
  ends.push(() => child.kill('SIGKILL'));
  await firstLine(child);
  return clientOf(`${directory}/source`);
}

/** Runs `fork` until it serves. */
async function forked(...words: string[]): Promise<Client> {
  return (await forkedWithLog(...words)).client;
}

async function forkedWithLog(...words: string[]): Promise<{ readonly client: Client; readonly log: string }> {
  const host = today();
  const out = `${directory}/fork`;
  const ended = run(['fork', `--kubeconfig=${directory}/source`, `--kubeconfig-out=${out}`, ...words], host);
  await Promise.race([
    host.logged('serving'),
    ended.then((code) => Promise.reject(new Error(`ended with ${code}: ${host.err()}`))),
  ]);
  ends.push(async () => {
    host.signal('SIGTERM');
    await ended;
  });
  return { client: await clientOf(out), log: host.err() };
}

const labels = { app: 'web' };

it('copies the objects of a server in another process, and leaves that alone', { timeout: 300_000 }, async () => {
  const from = await source();
  await from.resource(Namespace).create({ metadata: { name: 'shop' } });
  await from.resource(CustomResourceDefinition).create({
    metadata: { name: 'sites.shop.example' },
    spec: {
      group: 'shop.example',
      scope: 'Namespaced',
      names: { plural: 'sites', kind: 'Site' },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });
  await from.resource(CustomResourceDefinition).waitFor('sites.shop.example', { condition: 'Established' });
  const site = { apiVersion: 'shop.example/v1', kind: 'Site' };
  await from
    .resource(site)
    .namespace('shop')
    .create({ ...site, metadata: { name: 'a' }, spec: { size: 3 } });
  await from
    .resource(site)
    .namespace('shop')
    .patch('a', { status: { phase: 'Ready' } }, { subresource: 'status' });
  await from
    .resource(Deployment)
    .namespace('shop')
    .create({
      metadata: { name: 'web' },
      spec: {
        ...{ replicas: 2, selector: { matchLabels: labels } },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
      },
    });
  const deployed = await from.resource(Deployment).namespace('shop').get('web');

  const to = await forked();
  expect(await to.resource(site).namespace('shop').get('a')).toMatchObject({
    spec: { size: 3 },
    status: { phase: 'Ready' },
  });
  expect((await to.resource(Deployment).namespace('shop').get('web')).spec).toEqual(deployed.spec);
  await to
    .resource(ConfigMap)
    .namespace('shop')
    .create({ metadata: { name: 'only-in-the-fork' } });
  await expect(from.resource(ConfigMap).namespace('shop').get('only-in-the-fork')).rejects.toMatchObject({ code: 404 });
  expect(await readFile(`${directory}/source`, 'utf8')).not.toBe(await readFile(`${directory}/fork`, 'utf8'));
});

it(
  'copies the objects of kinds that the program defines, and names those that it is not given',
  {
    timeout: 300_000,
  },
  async () => {
    const kinds = `--resources=${directory}/kinds.json`;
    await writeFile(`${directory}/kinds.json`, JSON.stringify(widgetDefinition({ group: 'shop.example' })));
    const from = await source(kinds);
    const widget = { apiVersion: 'shop.example/v1', kind: 'Widget' };
    const { spec } = await from
      .resource(widget)
      .namespace('default')
      .create({ ...widget, metadata: { name: 'a' }, spec: { size: 3 } });

    const to = await forkedWithLog(kinds);
    expect(await to.client.resource(widget).namespace('default').get('a')).toMatchObject({ spec });
    expect(to.log).not.toContain('not copied');

    const without = await forkedWithLog();
    expect(without.log).toContain('not copied: the server defines these kinds; give them with --resources');
    expect(without.log).toContain('widgets.shop.example');
    await expect(without.client.resource(widget).namespace('default').get('a')).rejects.toThrow(/Widget/);
  },
);

it('says why it cannot read', async () => {
  const host = today();
  expect(await run(['fork', `--kubeconfig=${directory}/missing`], host)).toBe(2);
  expect(host.err()).toContain('--kubeconfig: ');
});
