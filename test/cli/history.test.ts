/** `history`: the versions of an object on a running server. */
import { describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ConfigMap, Namespace, Secret } from '../../src/entries/kinds.js';
import { listen } from '../../src/transport/node/index.js';
import { discarding, type Cut, type Discarding, type Interference, type Step } from './discarding-server.js';
import { createFakeHost } from './fake-host.js';
import { command } from './stores.js';
import { asOwner, ServingTests, today } from './serving.js';
import { Widget } from '../client/widget.js';
import { WIDGETS } from '../kinds/custom/definitions.js';

const tests = new ServingTests();

/** A server over HTTP whose time the test passes. */
async function start(interfere?: Interference) {
  const server = await startTestServer({
    dialect: 'kubernetes',
    resources: [Widget],
    start: Date.parse('2026-01-01T00:00:00Z'),
    authentication: { ownerToken: 'owner' },
  });
  const listener = await listen(server.server);
  const proxy = interfere === undefined ? undefined : await discarding(listener.url, interfere);
  const path = await tests.file('config', server.server.kubeConfig({ server: proxy?.url ?? listener.url }));
  return {
    server,
    discarded: proxy?.server ?? { oldest: 0, oldestState: 0 },
    maps: server.client.resource(ConfigMap).namespace('default'),
    /** Runs the command; `passing` passes time until it ends. */
    async history(words: readonly string[], { passing = false } = {}) {
      const outcome = command(['history', ...words, `--kubeconfig=${path}`], createFakeHost());
      let ended = false;
      const done = outcome.finally(() => (ended = true));
      while (passing && !ended) {
        await server.advance('100ms');
        await new Promise((resolve) => setImmediate(resolve));
      }
      return done;
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await proxy?.close();
      await listener.close();
    },
  };
}

const writeTwice = async ({
  server,
  maps,
}: {
  server: TestServer;
  maps: Awaited<ReturnType<typeof start>>['maps'];
}) => {
  const made = await maps.create(
    { metadata: { name: 'settings' }, data: { mode: 'dark\u001b[31m', size: '1' } },
    { fieldManager: 'ann' },
  );
  await server.advance('1m');
  const changed = await maps.patch('settings', { data: { mode: 'light', size: null } }, { fieldManager: 'robot' });
  return [made.metadata.resourceVersion ?? '', changed.metadata.resourceVersion ?? ''] as const;
};

/** Writes an object in six versions, and discards what was before them. @returns the versions */
async function writeSix({ maps, discarded }: Awaited<ReturnType<typeof start>>): Promise<readonly number[]> {
  const versions: number[] = [];
  const add = ({ metadata }: { readonly metadata: { readonly resourceVersion?: string | undefined } }): number =>
    versions.push(Number(metadata.resourceVersion));
  add(await maps.create({ metadata: { name: 'settings' }, data: { step: '0' } }));
  for (const step of ['1', '2', '3', '4', '5']) add(await maps.patch('settings', { data: { step } }));
  discarded.oldest = versions[0] ?? 0;
  return versions;
}

/** Returns the versions that the output names, and its last line. */
const shown = (out: string) => ({
  shownVersions: [...out.matchAll(/^(\d+) {2}/gm)].map(([, version]) => Number(version)),
  end: out.trimEnd().split('\n').at(-1),
});

describe('history that the server discards while it is read', () => {
  const begins = (version: number | undefined): string =>
    `the history of the server begins at version ${version}: what was written before has been discarded`;

  /** Runs the command for an object of six versions; `act` also gets those. */
  async function read(act: (step: Step, server: Discarding, versions: readonly number[]) => Cut | undefined) {
    let versions: readonly number[] = [];
    await using running = await start((step, server) => act(step, server, versions));
    versions = await writeSix(running);
    const { code, err, out } = await running.history(['cm', 'settings']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return { versions, out, ...shown(out) };
  }

  it.each<[step: Step]>([['state'], ['changes']])(
    'goes on with what exists, after a loss before the %s',
    async (at) => {
      let isLost = false;
      const { versions, shownVersions, end, out } = await read((step, server, all) => {
        if (step === at && !isLost) {
          isLost = true;
          server.oldest = all[2] ?? 0;
        }
        return undefined;
      });
      expect(shownVersions).toEqual(versions.slice(2));
      expect(end).toBe(begins(versions[2]));
      expect(out).toMatch(/^\d+ {2}at the beginning of the history .*\n\d+ {2}updated.*\n {2}- data.step: "2"\n/);
    },
  );

  it('shows the changes of a server that keeps them for longer than states', async () => {
    const { versions, shownVersions, end, out } = await read((_step, server, all) => {
      server.oldestState = all[4] ?? 0;
      return undefined;
    });
    expect(shownVersions).toEqual(versions.slice(1));
    expect(end).toBe(begins(versions[0]));
    // Nobody knows what that version changed.
    expect(out).toMatch(/^\d+ {2}at the beginning of the history .*\n\d+ {2}updated.*\n {2}- data.step: "1"\n/);
  });

  it.each([
    [1, []],
    [3, [2]],
  ])('goes on when a watch ends and %d versions have gone: then %j are missing', async (gone, missing) => {
    let isCut = false;
    const { versions, shownVersions, end, out } = await read((step, server, all) => {
      if (step !== 'changes' || isCut) return undefined;
      isCut = true;
      return () => void (server.oldest = all[gone] ?? 0);
    });
    expect(shownVersions).toEqual(versions.filter((_, at) => !missing.includes(at)));
    expect(end).toBe(begins(versions[0]));
    const note = 'versions are missing here: the server has discarded them while they were read\n';
    expect(out.includes(`\n${note}${versions[3]}  `)).toBe(missing.length > 0);
    expect(out.includes(note)).toBe(missing.length > 0);
  });

  it('ends, with the newest version at least, when the server always discards what is asked for', async () => {
    let next = 0;
    const { versions, shownVersions, end } = await read((step, server, all) => {
      if (step === 'changes') server.oldest = all[(next += 1)] ?? all.at(-1) ?? 0;
      return undefined;
    });
    expect(shownVersions.at(-1)).toBe(versions.at(-1));
    expect(end).toMatch(/^the history of the server begins at version \d+/);
  });

  it('shows the newest version alone when servers behind one address never have the same history', async () => {
    const { versions, shownVersions, end } = await read((step, server, all) => {
      server.oldest = all[step === 'probe' ? 0 : 1] ?? 0;
      return undefined;
    });
    expect(shownVersions).toEqual(versions.slice(-1));
    expect(end).toBe(begins(versions[0]));
  });
});

describe('history', () => {
  it('prints who wrote each version, when, and what it changed', async () => {
    await using running = await start();
    const [made, changed] = await writeTwice(running);
    expect(await running.history(['ConfigMap', 'settings'])).toEqual({
      code: 0,
      err: '',
      out: [
        `${made}  created  2026-01-01T00:00:00Z  by ann`,
        '  + metadata: {"name":"settings","namespace":"default"}',
        '  + data: {"mode":"dark\\u001b[31m","size":"1"}',
        `${changed}  updated  2026-01-01T00:01:00Z  by robot`,
        '  - data.mode: "dark\\u001b[31m"',
        '  + data.mode: "light"',
        '  - data.size: "1"',
        '',
      ].join('\n'),
    });
  });

  it('begins where the history of the server begins, and says so', async () => {
    await using running = await start();
    const [made] = await writeTwice(running);
    running.server.faults.expireHistory();
    const { metadata } = await running.maps.patch('settings', { data: { mode: 'grey' } }, { fieldManager: 'bob' });
    const { code, out, err } = await running.history(['cm', 'settings']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).not.toContain(`${made} `);
    expect(out).toContain(
      `${metadata.resourceVersion}  updated  2026-01-01T00:01:00Z  by bob\n  - data.mode: "light"\n`,
    );
    expect(out).toMatch(/^\d+ {2}at the beginning of the history {2}2026-01-01T00:01:00Z\n/);
    expect(out).toMatch(
      /\nthe history of the server begins at version \d+: what was written before has been discarded\n$/,
    );
  });

  it('shows an object that did not change since the history begins', async () => {
    await using running = await start();
    const [, changed] = await writeTwice(running);
    await running.maps.create({ metadata: { name: 'other' } });
    running.server.faults.expireHistory();
    const { code, out } = await running.history(['cm', 'settings']);
    expect(code).toBe(0);
    expect(out).toMatch(
      new RegExp(
        `^${changed}  at the beginning of the history  2026-01-01T00:01:00Z\\nthe history of the server begins`,
      ),
    );
  });

  it('shows a deleted object, and one that was made again under its name', async () => {
    await using running = await start();
    await writeTwice(running);
    await running.maps.delete('settings');
    const deleted = await running.history(['configmaps', 'settings'], { passing: true });
    expect(deleted.code).toBe(0);
    expect(deleted.out.match(/^\d+ {2}\w+/gm)?.map((line) => line.split('  ')[1])).toEqual([
      'created',
      'updated',
      'deleted',
    ]);
    await running.maps.create({ metadata: { name: 'settings' }, data: { mode: 'new' } });
    const again = await running.history(['configmaps', 'settings']);
    expect(again.out.match(/^\d+ {2}\w+/gm)?.length).toBe(4);
    expect(again.out).toContain('  + data: {"mode":"new"}\n');
  });

  it('does not show what a Secret keeps', async () => {
    await using running = await start();
    const secrets = running.server.client.resource(Secret).namespace('default');
    await secrets.create({ metadata: { name: 'key' }, data: { token: 'Zmlyc3Q=' } });
    await secrets.patch('key', { data: { token: 'c2Vjb25k' }, metadata: { annotations: { note: 'Zmlyc3Q=' } } });
    const { out } = await running.history(['secret', 'key']);
    expect(out).toContain('  - data.token: ***\n  + data.token: ***\n');
    expect(out).not.toMatch(/Zmlyc3Q|c2Vjb25k/);
  });

  it('reads kinds without namespaces, and namespaces by name', async () => {
    await using running = await start();
    await running.server.client.resource(Namespace).create({ metadata: { name: 'shop' } });
    expect((await running.history(['ns', 'shop'])).out).toMatch(/^\d+ {2}created/);
    const shop = running.server.client.resource(ConfigMap).namespace('shop');
    await shop.create({ metadata: { name: 'there' } });
    expect((await running.history(['cm', 'there', '-n', 'shop'])).code).toBe(0);
    const missing = await running.history(['cm', 'there'], { passing: true });
    expect(missing).toEqual({
      code: 1,
      out: '',
      err: 'orch-apiserver: the server has no version of configmaps "there" in the namespace "default"\n',
    });
  });

  it('reads the kinds that a server has without a custom resource definition', async () => {
    await using running = await start();
    const widgets = running.server.client.resource(Widget).namespace('default');
    await widgets.create({ metadata: { name: 'a' }, spec: { color: 'red', size: 3 } });
    const { code, err, out } = await running.history(['widget', 'a']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('"size":3');
  });

  it('reads custom resources, in both dialects', async () => {
    await tests.file('widgets.yaml', WIDGETS);
    const server = await tests.start(['--secure-port=auto', `--crd-dir=${tests.directory}`], today());
    const path = '/api/v1/namespaces/default/configmaps';
    await asOwner(server, 'POST', path, { metadata: { name: 'a' }, data: { x: '1' } });
    const from = [`--kubeconfig=${server.path}`, '--dialect=orch'];
    expect((await command(['history', 'configmap', 'a', ...from], today())).out).toContain('  + data: {"x":"1"}\n');
    expect((await command(['history', 'crd', 'widgets.shop.example', ...from], today())).code).toBe(0);
    const widget = await command(['history', 'podz', 'a', ...from], today());
    expect(widget.code).toBe(2);
    expect(widget.err).toContain('no resource "podz" is served; nearest are "pods"');
  });

  it.each([[[]], [['cm']], [['cm', 'a', 'b']]])('refuses %j', async (words) => {
    expect(await command(['history', ...words])).toEqual({
      code: 2,
      out: '',
      err: 'orch-apiserver: history needs KIND NAME, such as deployment web\n',
    });
  });
});
