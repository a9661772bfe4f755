/** The store of `serve`: its selection, and its contents after a restart. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { STORE_MARK_KEY } from '../../src/storage/index.js';
import { OpeningFailure, SqliteConnection } from '../../src/storage/sqlite/connection.js';
import { COMMAND, startServer } from '../conformance/kubectl/server.js';
import { createFakeHost } from './fake-host.js';
import { asOwner, plain, ServingTests, stop, type Serving } from './serving.js';
import { command, openStoreIn } from './stores.js';

afterEach(() => vi.restoreAllMocks());

const tests = new ServingTests();
const data = (): string => join(tests.directory, 'data');
const start = (...words: string[]): Promise<Serving> => tests.start([...plain, `--data-dir=${data()}`, ...words]);
const refused = (...words: string[]) =>
  command(['serve', '--secure-port=0', '--insecure-loopback-port=auto', `--kubeconfig-out=`, ...words]);
const MAPS = '/api/v1/namespaces/default/configmaps';

interface Maps {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  }[];
}

describe('a server restarted on its data directory', () => {
  it('has the same objects, at the same versions, and continues from there', async () => {
    const first = await start();
    for (const name of ['a', 'b', 'c']) await asOwner(first, 'POST', MAPS, { metadata: { name } });
    const before = await asOwner<Maps>(first, 'GET', MAPS);
    await stop(first);
    const second = await start();
    const after = await asOwner<Maps>(second, 'GET', MAPS);
    expect(after.items).toEqual(before.items);
    expect(Number(after.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(before.metadata.resourceVersion));
    const made = await asOwner<Maps['items'][number]>(second, 'POST', MAPS, { metadata: { name: 'd' } });
    expect(Number(made.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
    await stop(second);
  });

  it('lets a watch and a paged list resume', async () => {
    const first = await start();
    const { metadata } = await asOwner<Maps>(first, 'GET', MAPS);
    for (const name of ['a', 'b']) await asOwner(first, 'POST', MAPS, { metadata: { name } });
    const page = await asOwner<Maps>(first, 'GET', `${MAPS}?limit=1`);
    await stop(first);
    const second = await start();
    const rest = await asOwner<Maps>(second, 'GET', `${MAPS}?limit=5&continue=${page.metadata.continue ?? ''}`);
    expect([page.items, rest.items].flat().map((item) => item.metadata.name)).toEqual(['a', 'b']);
    const events = (
      await (
        await fetch(`${second.http}${MAPS}?watch=1&timeoutSeconds=1&resourceVersion=${metadata.resourceVersion}`, {
          headers: second.authorization,
        })
      ).body
        ?.getReader()
        .read()
    )?.value;
    expect(new TextDecoder().decode(events)).toContain('"name":"a"');
    await stop(second);
  });

  it('accepts the service account tokens that it issued before', async () => {
    const first = await start();
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await asOwner(first, 'POST', accounts, { metadata: { name: 'robot' } });
    const { status } = await asOwner<{ status: { token: string } }>(first, 'POST', `${accounts}/robot/token`, {});
    await stop(first);
    const second = await start();
    expect(
      (await fetch(`${second.http}/version`, { headers: { authorization: `Bearer ${status.token}` } })).status,
    ).toBe(200);
    await stop(second);
  });

  it("keeps its administrator's token, so that copies of the kubeconfig remain valid", async () => {
    const first = await start();
    await stop(first);
    const second = await start();
    expect(second.token).toBe(first.token);
    expect((await fetch(second.http + MAPS, { headers: first.authorization })).status).toBe(200);
    await stop(second);
  });

  it.each<[what: string, change: (path: string) => Promise<void>]>([
    ['is gone', (path) => rm(path)],
    ['may be read by others', (path) => chmod(path, 0o640)],
  ])('makes a new token if the kubeconfig %s', async (_what, change) => {
    const first = await start();
    await stop(first);
    await change(first.path);
    const second = await start();
    expect(second.token).not.toBe(first.token);
    expect((await fetch(second.http + MAPS, { headers: first.authorization })).status).toBe(401);
    await stop(second);
  });

  it('prints where the state is, in a directory for its owner only', async () => {
    const server = await start('--storage-durability=relaxed');
    expect((await server.host.logged('serving'))['storage']).toBe(
      `the state is in ${data()}/store.db; power loss may lose the last writes`,
    );
    expect([(await stat(data())).mode & 0o777, (await stat(join(data(), 'store.db'))).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
    expect(await (await fetch(`${server.http}/readyz?verbose`)).text()).toContain('[+]sqlite ok\n');
    await stop(server);
  });

  it('says that a file is empty, which no store is', async () => {
    await stop(await start());
    await writeFile(join(data(), 'store.db'), '');
    for (const name of ['store.db-wal', 'store.db-shm']) await rm(join(data(), name), { force: true });
    const server = await start();
    const said = server.host.log().map(({ message }) => message);
    expect(said).toContain(
      `${data()}/store.db is an empty file, in which a new store begins: if it held objects, restore a backup`,
    );
    await stop(server);
    const again = await start();
    expect(again.host.log().filter(({ message }) => String(message).includes('empty file'))).toEqual([]);
    await stop(again);
  });

  it('in memory has no old objects, and a new token', async () => {
    const first = await tests.start([...plain, '--storage=memory']);
    await asOwner(first, 'POST', MAPS, { metadata: { name: 'a' } });
    await stop(first);
    const second = await tests.start([...plain, '--storage=memory']);
    expect((await asOwner<Maps>(second, 'GET', MAPS)).items.map(({ metadata }) => metadata.name)).not.toContain('a');
    expect(second.token).not.toBe(first.token);
    await stop(second);
  });
});

describe('an unsuitable store is rejected and left unchanged', () => {
  it('of another dialect', async () => {
    await stop(await start('--dialect=kubernetes'));
    const before = await readFile(join(data(), 'store.db'));
    expect(await refused(`--data-dir=${data()}`)).toEqual({
      code: 1,
      out: '',
      err: 'orch-apiserver: --data-dir: the store holds objects of the dialect kubernetes, but this server uses orch: use a separate store for each dialect\n',
    });
    expect(await readFile(join(data(), 'store.db'))).toEqual(before);
  });

  it('of a later layout', async () => {
    const storage = await openStoreIn(data());
    await storage.create(STORE_MARK_KEY, () => '{"layout":3,"dialect":"orch"}');
    await storage.close();
    const { code, err } = await refused(`--data-dir=${data()}`);
    expect({ code, err }).toEqual({
      code: 1,
      err: 'orch-apiserver: --data-dir: the store has layout 3, but this program supports layouts up to 2: use the program that wrote it, or a newer one; nothing was changed\n',
    });
    const again = await openStoreIn(data());
    expect((await again.list('')).records).toHaveLength(1);
    await again.close();
  });

  it('in use by another server', async () => {
    const server = await start();
    const { code, err } = await refused(`--data-dir=${data()}`);
    expect({ code, err }).toEqual({
      code: 1,
      err: `orch-apiserver: --data-dir: the store ${data()}/store.db is in use by this process (${process.pid})\n`,
    });
    await stop(server);
  });

  it('that cannot be created', async () => {
    const path = await tests.file('file', '');
    const { code, err } = await refused(`--data-dir=${path}/data`);
    expect(code).toBe(1);
    expect(err).toMatch(/^orch-apiserver: --data-dir: the store .*\/file\/data\/store\.db cannot be opened: [^\n]+\n$/);
  });

  it('in an unreachable etcd', { timeout: 300_000 }, async () => {
    const host = createFakeHost();
    const outcome = command(
      [
        'serve',
        '--secure-port=0',
        '--insecure-loopback-port=auto',
        '--kubeconfig-out=',
        '--storage=etcd',
        '--etcd-servers=http://127.0.0.1:1',
      ],
      host,
    );
    let ended = false;
    void outcome.then(() => (ended = true));
    // It keeps trying for a while: both may be started at the same time.
    while (!ended) {
      await host.clock.advance(500);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { code, err } = await outcome;
    expect(code).toBe(1);
    expect(err).toMatch(/^orch-apiserver: --etcd-servers: [^\n]*127\.0\.0\.1:1[^\n]*\n$/);
  });
});

it('a missing SQLite library is reported with its alternatives, and nothing is left behind', async () => {
  vi.spyOn(SqliteConnection, 'openFound').mockRejectedValue(
    new OpeningFailure(0, "Cannot find module 'libsql'", 'loading'),
  );
  expect(await refused(`--data-dir=${data()}`)).toEqual({
    code: 1,
    out: '',
    err: 'orch-apiserver: --storage sqlite: a store in a file needs Node 22.13 or later, which has SQLite built in, or the package libsql: npm install libsql; or use --storage memory, which is not durable\n',
  });
  expect(existsSync(data())).toBe(false);
});

describe('as separate processes', () => {
  /** Runs the program until it ends. */
  async function program(words: readonly string[], cwd: string): Promise<{ code: number | null; err: string }> {
    const [node = '', ...rest] = COMMAND;
    const child = spawn(node, [...rest, ...words], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number | null]>]);
    return { code, err };
  }

  it(
    'a server keeps its state across a restart, and a second one on the same store is rejected',
    { timeout: 300_000 },
    async () => {
      const flags = [`--data-dir=${data()}`];
      const first = await startServer(flags);
      const token = /token: (\S+)/.exec(await readFile(first.kubeconfig, 'utf8'))?.[1] ?? '';
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      expect(
        (
          await fetch(`${first.urls[1] ?? ''}${MAPS}`, {
            method: 'POST',
            headers,
            body: '{"metadata":{"name":"kept"}}',
          })
        ).status,
      ).toBe(201);
      expect(
        await program(
          ['--secure-port=0', '--insecure-loopback-port=auto', '--kubeconfig-out=', ...flags],
          tests.directory,
        ),
      ).toEqual({
        code: 1,
        err: `orch-apiserver: --data-dir: the store ${data()}/store.db is in use by the process ${first.process.pid}\n`,
      });
      expect(await first.stop()).toBe(0);
      const second = await startServer([
        ...flags,
        `--token-auth-file=${await tests.file('tokens.csv', 'a-token,alice,1,"system:masters"\n')}`,
      ]);
      const answer = await fetch(`${second.urls[1] ?? ''}${MAPS}/kept`, {
        headers: { authorization: 'Bearer a-token' },
      });
      expect(answer.status).toBe(200);
      expect(await second.stop()).toBe(0);
    },
  );

  it('by default the store is beside the kubeconfig, one for each dialect', { timeout: 300_000 }, async () => {
    await mkdir(join(tests.directory, 'here'));
    const cwd = join(tests.directory, 'here');
    // A port in use ends it after the store was opened.
    const holder = await tests.start(plain);
    const taken = new URL(holder.http).port;
    for (const dialect of ['orch', 'kubernetes'])
      expect(
        (await program([`--dialect=${dialect}`, '--secure-port=0', `--insecure-loopback-port=${taken}`], cwd)).code,
      ).toBe(1);
    for (const dialect of ['orch', 'kubernetes'])
      expect((await stat(join(cwd, '.orch', 'data', dialect, 'store.db'))).isFile()).toBe(true);
    await stop(holder);
  });
});
