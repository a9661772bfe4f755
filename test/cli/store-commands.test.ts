/** `check`, `compact` and `copy`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { STORE_MARK_KEY } from '../../src/storage/index.js';
import { SqliteConnection } from '../../src/storage/sqlite/connection.js';
import { defaultDriver } from '../../src/storage/sqlite/open.js';
import { COMMAND } from '../conformance/kubectl/server.js';
import { EtcdProcess, etcdVersion } from '../storage/etcd/etcd-process.js';
import { PostgresProcess, postgresPrograms } from '../storage/postgres/postgres-process.js';
import { DATA_FOLDER } from '../support/data-folder.js';
import { createFakeHost } from './fake-host.js';
import { command, contentIn, makeStore, mapKey, mapText, openStoreIn } from './stores.js';

let directory = '';
let store = '';
beforeEach(async () => {
  directory = await mkdtemp(join(DATA_FOLDER, 'cli-store-'));
  store = join(directory, 'data');
});
afterEach(() => rm(directory, { recursive: true }));

describe('check', () => {
  const check = () => command(['check', `--data-dir=${store}`]);

  it('lists the contents of a store, even while a server uses it', async () => {
    await makeStore(store, 2);
    const storage = await openStoreIn(store);
    await storage.create('/registry/backup.example/backups/default/b', (revision) =>
      JSON.stringify({
        kind: 'Backup',
        apiVersion: 'backup.example/v1',
        metadata: { name: 'b', namespace: 'default', resourceVersion: String(revision) },
      }),
    );
    await storage.create('/registry/namespaces/n', (revision) =>
      JSON.stringify({
        kind: 'Namespace',
        apiVersion: 'v1',
        metadata: { name: 'n', resourceVersion: String(revision) },
      }),
    );
    const { code, out, err } = await check();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.replace(/\d+ bytes/, 'N bytes')).toBe(
      [
        `store     ${store}/store.db`,
        'engine    sqlite',
        'size      N bytes, 5 versions',
        'layout    1',
        'dialect   orch',
        'revision  6, with history since 0',
        'objects   4',
        '',
        'KIND        VERSION             OBJECTS',
        'Backup      backup.example/v1   1         not built in',
        'ConfigMap   v1                  2',
        'Namespace   v1                  1',
        '',
        'No problems found.',
        '',
      ].join('\n'),
    );
    await storage.close();
  });

  it.each<[what: string, key: string, text: string, problem: string]>([
    ['an invalid object', mapKey('x'), 'nonsense', `${mapKey('x')}: it is not the text of an object`],
    [
      'an object without its kind',
      mapKey('x'),
      '{"apiVersion":"v1","metadata":{"name":"x"}}',
      `${mapKey('x')}: it has no kind and apiVersion`,
    ],
    [
      'an object without metadata',
      mapKey('x'),
      '{"kind":"ConfigMap","apiVersion":"v1"}',
      `${mapKey('x')}: it has no metadata`,
    ],
    [
      'another resourceVersion',
      mapKey('x'),
      mapText('x')(99),
      `${mapKey('x')}: its resourceVersion is "99", but it was written at 4`,
    ],
    [
      'an object under a wrong key',
      mapKey('x'),
      mapText('y')(4),
      `${mapKey('x')}: its key does not match its name and namespace`,
    ],
    [
      'a mark with a later layout',
      STORE_MARK_KEY,
      '{"layout":3}',
      'the store has layout 3, but this program supports layouts up to 2: use the program that wrote it, or a newer one; nothing was changed',
    ],
  ])('finds %s', async (_what, key, text, problem) => {
    await makeStore(store, 1);
    const storage = await openStoreIn(store);
    const { record } = await storage.get(key);
    await (record === undefined
      ? storage.create(key, () => text)
      : storage.update(key, () => text, record.modRevision));
    await storage.close();
    const { code, out } = await check();
    expect(code).toBe(1);
    expect(out).toContain(`1 problem in ${store}/store.db:\n  ${problem}\n`);
  });

  it('finds damage in the file, and reports what is still readable', async () => {
    await makeStore(store, 5);
    const connection = await SqliteConnection.open({
      driver: defaultDriver(),
      file: join(store, 'store.db'),
      lockFile: undefined,
      settings: '',
    });
    await connection.run("UPDATE versions SET text = text || ' ' WHERE revision = 4");
    await connection.close();
    const { code, out } = await check();
    expect(code).toBe(1);
    expect(out).toContain('objects   4\n');
    expect(out).toContain('1 problem in ');
    expect(out).toContain('  the write of revision 4 is damaged\n');
  });

  it('reports a missing store, and creates none', async () => {
    expect(await check()).toEqual({
      code: 1,
      err: '',
      out: `1 problem in ${store}/store.db:\n  the store ${store}/store.db does not exist\n`,
    });
    expect(existsSync(store)).toBe(false);
  });
});

describe('compact', () => {
  const compact = (...words: string[]) => command(['compact', `--data-dir=${store}`, ...words]);

  it('forgets the history up to a revision, or up to the current one, and releases space', async () => {
    await makeStore(store, 3);
    const storage = await openStoreIn(store);
    for (let revision = 5; revision < 300; revision += 1)
      await storage.update(mapKey('m2'), mapText('m2', 'x'.repeat(2_000)), revision);
    await storage.close();
    expect((await compact('--revision=200')).out).toContain(
      `The history of ${store}/store.db begins with revision 200.\n`,
    );
    const between = await openStoreIn(store);
    expect(await between.compactedRevision()).toBe(200);
    await between.close();
    const { code, out } = await compact();
    const [, before, after] = /The file size went from (\d+) to (\d+) bytes\.\n/.exec(out) ?? [];
    expect([code, out.includes('begins with revision 300.'), Number(after) < Number(before)]).toEqual([0, true, true]);
    expect((await contentIn(store)).length).toBe(4);
  });

  it('rejects a future revision, a store in use by a server, and a missing store', async () => {
    expect(await compact()).toEqual({
      code: 1,
      out: '',
      err: `orch-apiserver: there is no store in ${store}/store.db\n`,
    });
    await makeStore(store, 3);
    expect(await compact('--revision=6')).toEqual({
      code: 1,
      out: '',
      err: 'orch-apiserver: --revision: 6 is in the future; the store is at 5\n',
    });
    const storage = await openStoreIn(store);
    expect((await compact()).err).toBe(
      `orch-apiserver: --data-dir: the store ${store}/store.db is in use by this process (${process.pid})\n`,
    );
    await storage.close();
  });
});

describe('copy', () => {
  it('copies a store into sqlite unchanged, while a server uses it', async () => {
    await makeStore(store, 600);
    const content = await contentIn(store);
    const storage = await openStoreIn(store);
    const target = join(directory, 'copy');
    expect(await command(['copy', `--from=sqlite:${store}`, `--to=sqlite:${target}`])).toEqual({
      code: 0,
      err: '',
      out: `copied 601 records of ${store}/store.db at revision 602 to ${target}/store.db\n`,
    });
    await storage.close();
    expect(await contentIn(target)).toEqual(content);
  });

  it.each<[words: string[], line: string]>([
    [[], '--from must be specified: sqlite:DIR, postgres://USER@HOST:PORT/NAME, or etcd:URL,URL'],
    [['--from=sqlite:a'], '--to must be specified: sqlite:DIR, postgres://USER@HOST:PORT/NAME, or etcd:URL,URL'],
    [
      ['--from=a', '--to=sqlite:b'],
      '--from: "a" is not a store: must be sqlite:DIR, postgres://USER@HOST:PORT/NAME, or etcd:URL,URL',
    ],
    [
      ['--from=sqlite:', '--to=sqlite:b'],
      '--from: "sqlite:" is not a store: must be sqlite:DIR, postgres://USER@HOST:PORT/NAME, or etcd:URL,URL',
    ],
    [['--from=sqlite:a', '--to=sqlite:a'], '--from and --to are the same store'],
    [['--from=sqlite:a', '--to=sqlite:b', '--to-etcd-prefix=/x'], '--to-etcd-prefix is for a store in etcd'],
    [
      ['--from=sqlite:a', '--to=sqlite:b', '--discard-incomplete'],
      '--discard-incomplete is for etcd and postgres: sqlite replaces the store atomically',
    ],
    [
      ['--from=sqlite:a', '--to=etcd:http://127.0.0.1:1', '--bump-revision=1'],
      '--bump-revision is for sqlite: etcd counts its own revisions',
    ],
    [
      ['--from=sqlite:a', '--to=etcd:http://127.0.0.1:1', '--to-etcd-certfile=x'],
      '--to-etcd-certfile and --to-etcd-keyfile must be given together',
    ],
    [
      ['--from=etcd:http://127.0.0.1:1', '--to=sqlite:a', '--from-etcd-cafile=HERE/none'],
      '--from-etcd-cafile: open HERE/none: no such file or directory',
    ],
    [['--from=etcd:nonsense', '--to=sqlite:HERE/a'], '--from: "nonsense" is not a URL such as http://127.0.0.1:2379'],
  ])('%j', async (words, line) => {
    expect(await command(['copy', ...words.map((word) => word.replace('HERE', directory))])).toEqual({
      code: 2,
      out: '',
      err: `orch-apiserver: ${line.replace('HERE', directory)}\n`,
    });
  });

  it('aborted by a signal leaves nothing', async () => {
    await makeStore(store, 2_000);
    const host = createFakeHost();
    const target = join(directory, 'copy');
    // The signal arrives before the work begins, and is noticed at the first batch.
    const outcome = command(['copy', `--from=sqlite:${store}`, `--to=sqlite:${target}`], host);
    while (!existsSync(target)) await new Promise((resolve) => setImmediate(resolve));
    host.signal('SIGINT');
    expect(await outcome).toEqual({
      code: 1,
      out: '',
      err: 'orch-apiserver: ended by SIGINT; the incomplete result was removed\n',
    });
    expect(readdirSync(target)).toEqual(['store.db-lock']);
    expect(host.exits).toEqual([]);
    expect((await command(['copy', `--from=sqlite:${store}`, `--to=sqlite:${target}`])).code).toBe(0);
  });
});

describe('copy as a process', () => {
  /** Starts a copy, and sends it a signal once it has begun to write. */
  async function endedBy(
    signal: 'SIGINT' | 'SIGKILL',
    target: string,
  ): Promise<[code: number | null, signal: string | null, err: string]> {
    const [node = '', ...words] = COMMAND.slice(0, -1);
    const child = spawn(node, [...words, 'copy', `--from=sqlite:${store}`, `--to=sqlite:${target}`], {
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number | null, string | null]>]);
    while (!existsSync(join(target, 'store.db.incomplete')) && child.exitCode === null)
      await new Promise((resolve) => setImmediate(resolve));
    child.kill(signal);
    const [err, [code, by]] = await ended;
    return [code, by, err];
  }

  it('aborted by Ctrl-C leaves nothing, and a killed one leaves no usable store', { timeout: 300_000 }, async () => {
    await makeStore(store, 20_000);
    const target = join(directory, 'copy');
    expect(await endedBy('SIGINT', target)).toEqual([
      1,
      null,
      'orch-apiserver: ended by SIGINT; the incomplete result was removed\n',
    ]);
    expect(readdirSync(target)).toEqual(['store.db-lock']);
    expect(await endedBy('SIGKILL', target)).toEqual([null, 'SIGKILL', '']);
    expect([existsSync(join(target, 'store.db')), existsSync(join(target, 'store.db.incomplete'))]).toEqual([
      false,
      true,
    ]);
    expect((await command(['copy', `--from=sqlite:${store}`, `--to=sqlite:${target}`])).code).toBe(0);
    expect(readdirSync(target).sort()).toEqual(['store.db', 'store.db-lock']);
    expect((await contentIn(target)).length).toBe(20_001);
  });
});

describe.skipIf(etcdVersion === undefined)('with etcd', { timeout: 300_000 }, () => {
  let etcd: EtcdProcess;
  let prefixes = 0;
  let prefix = '';
  beforeAll(async () => {
    etcd = await EtcdProcess.start();
  });
  afterAll(() => etcd.remove());
  beforeEach(() => {
    prefix = `/store-${(prefixes += 1)}`;
  });
  const flags = (): string[] => ['--storage=etcd', `--etcd-servers=${etcd.url}`, `--etcd-prefix=${prefix}`];
  const keys = (): string[] =>
    etcd
      .ctl(['get', '--prefix', prefix, '--keys-only'])
      .split('\n')
      .filter((line) => line !== '');
  const WARNING =
    'warning: etcd counts its own revisions: every object gets a new resourceVersion, and clients that watched the old store must list again\n';

  it('a store is copied there and back, with its objects, times and mark', async () => {
    await makeStore(store, 120);
    const source = await openStoreIn(store);
    await source.create(mapKey('short'), mapText('short'), { ttl: 600_000 });
    await source.close();
    expect(
      await command(['copy', `--from=sqlite:${store}`, `--to=etcd:${etcd.url}`, `--to-etcd-prefix=${prefix}`]),
    ).toEqual({
      code: 0,
      err: WARNING,
      out: `copied 122 records of ${store}/store.db at revision 123 to etcd at ${etcd.url} below ${prefix}\n`,
    });
    expect(keys()).toContain(`${prefix}/configmaps/default/m7`);
    const checked = await command(['check', ...flags()]);
    expect(checked.out).toContain('No problems found.');
    expect(checked.out).toMatch(/ConfigMap +v1 +121/);
    const back = join(directory, 'back');
    expect(
      (await command(['copy', `--to=sqlite:${back}`, `--from=etcd:${etcd.url}`, `--from-etcd-prefix=${prefix}`])).code,
    ).toBe(0);
    expect((await command(['check', `--data-dir=${back}`])).out).toContain('No problems found.');
    const values = (content: object[]): object[] =>
      content
        .map((record) => ({ ...(record as { key: string; text: string }) }))
        .map(({ key, text }) => ({ key, object: { ...(JSON.parse(text) as object), metadata: undefined } }));
    expect(values(await contentIn(back))).toEqual(values(await contentIn(store)));
    const restored = await openStoreIn(back);
    expect([...(await restored.expiries()).keys()]).toEqual([mapKey('short')]);
    await restored.close();
  });

  it('a backup is restored there, once, and made again from it', async () => {
    await makeStore(store, 50);
    const file = join(directory, 'a.backup');
    await command(['backup', `--data-dir=${store}`, `--to=${file}`]);
    expect(await command(['restore', ...flags(), `--from=${file}`])).toMatchObject({ code: 0, err: WARNING });
    const before = keys();
    expect(await command(['restore', ...flags(), `--from=${file}`])).toMatchObject({
      code: 1,
      err: `${WARNING}orch-apiserver: --etcd-servers: the store is not empty: it is a store of the dialect orch; nothing was changed\n`,
    });
    expect(keys()).toEqual(before);
    expect((await command(['backup', ...flags(), `--to=${file}`, '--force'])).out).toMatch(
      /^wrote 51 records of etcd at /,
    );
    expect((await command(['compact', ...flags()])).out).toMatch(
      /^The history of etcd at .* begins with revision \d+\.\n$/,
    );
  });

  it('a copy aborted by a signal leaves it empty', async () => {
    await makeStore(store, 5_000);
    const host = createFakeHost();
    const outcome = command(
      ['copy', `--from=sqlite:${store}`, `--to=etcd:${etcd.url}`, `--to-etcd-prefix=${prefix}`],
      host,
    );
    while (keys().length < 100) await new Promise((resolve) => setImmediate(resolve));
    host.signal('SIGTERM');
    expect(await outcome).toEqual({
      code: 1,
      out: '',
      err: `${WARNING}orch-apiserver: ended by SIGTERM; the incomplete result was removed\n`,
    });
    expect(keys()).toEqual([]);
  });

  it('a copy whose process died is rejected by every server, and the next copy replaces it on request', async () => {
    await makeStore(store, 20);
    const storage = await etcd.open({ prefix });
    await storage.create(STORE_MARK_KEY, (revision) =>
      JSON.stringify({ metadata: { resourceVersion: String(revision) }, layout: 1, incomplete: true }),
    );
    await storage.create(mapKey('left'), mapText('left'));
    await storage.close();
    const incomplete = 'the store is incomplete: a copy into it was started but not finished';
    expect(
      await command(['serve', '--secure-port=0', '--insecure-loopback-port=auto', '--kubeconfig-out=', ...flags()]),
    ).toMatchObject({ code: 1, err: `orch-apiserver: --etcd-servers: ${incomplete}\n` });
    expect((await command(['check', ...flags()])).code).toBe(1);
    expect((await command(['backup', ...flags(), `--to=${join(directory, 'b')}`])).err).toContain(
      'is incomplete: a copy into it is in progress or did not finish\n',
    );
    const copy = ['copy', `--from=sqlite:${store}`, `--to=etcd:${etcd.url}`, `--to-etcd-prefix=${prefix}`];
    expect((await command(copy)).err).toContain(
      'the store is incomplete: another copy into it is in progress or was not finished\n',
    );
    expect((await command([...copy, '--discard-incomplete'])).code).toBe(0);
    expect(keys().filter((key) => key.includes('configmaps'))).toHaveLength(20);
  });
});

describe('a database without a store', { skip: postgresPrograms === undefined }, () => {
  it.each<[command: string, flags: (url: string) => string[]]>([
    ['check', (url) => ['--storage=postgres', `--postgres-url=${url}`]],
    ['compact', (url) => ['--storage=postgres', `--postgres-url=${url}`]],
    ['migrate', (url) => ['--storage=postgres', `--postgres-url=${url}`]],
    ['copy', (url) => [`--from=${url}`, `--to=sqlite:${directory}/copy`]],
  ])('%s makes nothing in it', async (name, flags) => {
    const postgres = await PostgresProcess.start();
    try {
      const { code, out, err } = await command([name, ...flags(postgres.url)]);
      // A check reports on its output.
      expect([code, `${out}${err}`]).toEqual([
        1,
        expect.stringContaining('there is no store in the schema orch') as unknown,
      ]);
      expect(await postgres.run(`SELECT nspname FROM pg_namespace WHERE nspname = 'orch'`)).toEqual([]);
    } finally {
      await postgres.remove();
    }
  });
});
