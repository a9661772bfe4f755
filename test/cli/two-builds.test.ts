/**
 * Servers of two builds on one store: processes of the same source with other layouts of stores, as the version before this
 * one and a later one have them.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TcpBalancer } from '../../examples/three-servers/balancer.js';
import { Log } from '../conformance/kubectl/server.js';
import { compiledProgram } from '../support/compiled-program.js';
import { DATA_FOLDER } from '../support/data-folder.js';
import { databases, isReady, Load, LoadClient, MAPS, TOKENS, Watcher, type Database } from './load.js';

type Build = Awaited<ReturnType<typeof compiledProgram>>;

/** A server process of a build. */
interface BuildServer {
  readonly child: ChildProcess;
  readonly log: Log;
  readonly exited: Promise<readonly [number | null]>;
  readonly url: string;
}

const layouts = (name: string): { readonly replaced: Readonly<Record<string, string>> } => ({
  replaced: { 'src/storage/store-layout.ts': `test/cli/builds/${name}-layouts.ts` },
});

describe.skipIf(databases.every(({ isMissing }) => isMissing))('two builds', () => {
  const builds: Build[] = [];
  let older: Build;
  let current: Build;
  let later: Build;
  let directory: string;
  beforeAll(async () => {
    const compile = async (...options: Parameters<typeof compiledProgram>): Promise<Build> => {
      const build = await compiledProgram(...options);
      builds.push(build);
      return build;
    };
    older = await compile('test/cli/builds/program.ts', layouts('older'));
    current = await compile('test/cli/builds/program.ts');
    later = await compile('test/cli/builds/program.ts', layouts('later'));
    directory = await mkdtemp(join(DATA_FOLDER, 'two-builds-'));
    await writeFile(join(directory, 'tokens.csv'), TOKENS);
  }, 300_000);
  afterAll(async () => {
    for (const build of builds) build.remove();
    await rm(directory, { recursive: true });
  });

  describe.each(databases.filter(({ isMissing }) => !isMissing))('servers on $engine', ({ start: startDatabase }) => {
    let database: Database;
    let balancer: TcpBalancer;
    let number = 0;
    const servers: BuildServer[] = [];
    beforeAll(async () => {
      database = await startDatabase();
    });
    afterAll(() => database.remove());
    beforeEach(async () => {
      balancer = await TcpBalancer.start(isReady);
    });
    afterEach(async () => {
      for (const { child, exited } of servers.splice(0)) {
        child.kill('SIGKILL');
        await exited;
      }
      await balancer.close();
    });

    const flags = (): string[] => ['--dialect=kubernetes', ...database.flags];

    async function start(build: Build): Promise<BuildServer> {
      const name = join(directory, `server-${(number += 1)}`);
      const words = [
        ...['serve', ...flags(), '--secure-port=0', '--insecure-loopback-port=auto', '--log-format=json'],
        ...['--anonymous-auth=true', '--shutdown-delay-duration=2s', '--shutdown-watch-termination-grace-period=200ms'],
        `--token-auth-file=${directory}/tokens.csv`,
        `--cert-dir=${name}`,
        `--kubeconfig-out=${name}/kubeconfig`,
      ];
      const child = spawn(process.execPath, [build.file, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
      const exited = once(child, 'exit') as Promise<[number | null]>;
      const log = new Log(child);
      const { urls } = JSON.parse(await log.serving(exited)) as { urls: string[] };
      const server = { child, log, exited, url: urls.at(-1) ?? '' };
      servers.push(server);
      balancer.add(server.url);
      await expect.poll(() => balancer.check(), { timeout: 60_000 }).toContain(server.url);
      return server;
    }

    /** Ends a server as the balancer notices it. */
    async function drain(server: BuildServer): Promise<void> {
      server.child.kill('SIGTERM');
      await server.log.line((line) => line.includes('"message":"ending"'));
      await expect.poll(() => balancer.check(), { timeout: 60_000 }).not.toContain(server.url);
      expect(await server.exited).toEqual([0, null]);
      balancer.remove(server.url);
      servers.splice(servers.indexOf(server), 1);
    }

    /** Runs a command of a build. @returns its exit code, and all that it has printed */
    async function command(
      build: Build,
      ...words: string[]
    ): Promise<{ readonly code: number; readonly text: string }> {
      try {
        const { stdout } = await promisify(execFile)(process.execPath, [build.file, ...words]);
        return { code: 0, text: stdout };
      } catch (error) {
        const { code, stderr } = error as { code: number; stderr: string };
        return { code, text: stderr };
      }
    }
    const rotate = (): Promise<{ readonly code: number; readonly text: string }> =>
      command(current, 'rotate-signing-key', ...flags());
    const refusalOf = (build: Build): Promise<{ readonly code: number; readonly text: string }> =>
      command(build, 'serve', ...flags(), '--secure-port=0', '--insecure-loopback-port=auto', '--kubeconfig-out=');

    async function listed(): Promise<{ readonly version: string; readonly names: string[] }> {
      const client = new LoadClient(`http://127.0.0.1:${balancer.port}`, false);
      const { text } = await client.ask('GET', MAPS);
      client.close();
      const list = JSON.parse(text) as {
        metadata: { resourceVersion: string };
        items: { metadata: { name: string } }[];
      };
      const names = list.items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('load-'));
      return { version: list.metadata.resourceVersion, names };
    }

    /** Replaces each server under load by one of a build, and checks that no client has noticed it. */
    async function roll(build: Build, between: () => Promise<void>): Promise<void> {
      const address = `http://127.0.0.1:${balancer.port}`;
      const before = await listed();
      const watchers = [0, 1].map(() => new Watcher(address, before.version));
      const load = new Load(address, 2, `to-${(number += 1)}`);
      await load.moved();
      for (const former of [...servers]) {
        await start(build);
        await load.moved();
        await between();
        await drain(former);
        await load.moved();
      }
      await load.stop();
      expect(load.failures).toEqual([]);
      const after = new Set((await listed()).names);
      expect(load.created.filter((name) => !after.has(name))).toEqual([]);
      for (const watcher of watchers) {
        await watcher.until(load.created);
        expect(watcher.problems).toEqual([]);
        expect([...watcher.seen].sort()).toEqual([...load.created].sort());
        expect(watcher.resumed).toBeGreaterThan(0);
      }
    }

    test('are replaced by an older one under load, on the way back', async () => {
      await start(current);
      await roll(older, async () => undefined);
      // One that is killed would count as running for a minute.
      for (const server of [...servers]) await drain(server);
    }, 600_000);

    test('replace an older one under load, and then write what it cannot read', async () => {
      await start(older);
      await start(older);
      // While one of the older build runs, nothing is written that it could not read.
      await roll(current, async () => {
        const { code, text } = await rotate();
        expect({ code, text }).toMatchObject({
          code: 1,
          text: expect.stringContaining('(version 0.1.5) reads layouts up to 1') as unknown,
        });
        expect(text).toContain('first replace all servers by version 0.2.0 or later');
      });
      const { code, text } = await rotate();
      expect({ code, text }).toMatchObject({
        code: 0,
        text: expect.stringContaining('is accepted now and signs from') as unknown,
      });
      expect(await refusalOf(older)).toMatchObject({
        code: 1,
        text: expect.stringContaining(
          'the store has layout 2, but this program supports layouts up to 1: use version 0.2.0 or later; nothing was changed',
        ) as unknown,
      });
      // A build that no longer reads the first layout reads this store.
      await roll(later, async () => undefined);
    }, 600_000);
  });

  test('a build that no longer reads the layout of a store names the version that does', async () => {
    const data = join(directory, 'data');
    const words = ['--secure-port=0', '--insecure-loopback-port=auto', '--kubeconfig-out=', `--data-dir=${data}`];
    const child = spawn(process.execPath, [older.file, 'serve', ...words, '--log-format=json'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const exited = once(child, 'exit') as Promise<[number | null]>;
    await new Log(child).serving(exited);
    child.kill('SIGTERM');
    await exited;
    await expect(promisify(execFile)(process.execPath, [later.file, 'serve', ...words])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "the store has layout 1, but this program supports layouts from 2 on: first run 'orch-apiserver migrate --raise-layout' of version 0.2.0; nothing was changed",
      ),
    });
    // Which is what the message says.
    const migrate = ['migrate', `--data-dir=${data}`];
    await promisify(execFile)(process.execPath, [current.file, ...migrate]);
    await expect(promisify(execFile)(process.execPath, [later.file, ...migrate])).rejects.toMatchObject({ code: 1 });
    const { stdout } = await promisify(execFile)(process.execPath, [current.file, ...migrate, '--raise-layout']);
    expect(stdout).toContain('The store has layout 2, which version 0.2.0 and later read.\n');
    await promisify(execFile)(process.execPath, [later.file, ...migrate]);
  }, 300_000);
});
