/** The program as a process: as `npm start` runs it, and as the build produces it. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'tsup';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { Log, startServer } from '../conformance/kubectl/server.js';
import { createFakeHost } from './fake-host.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
  bin: Record<string, string>;
};

describe('npm start', () => {
  it('compiles the source once, and keeps the program', { timeout: 300_000 }, async () => {
    const folder = join(root, 'node_modules/.cache/orch-apiserver/program');
    const start = async (): Promise<string> =>
      (await promisify(execFile)(process.execPath, [join(root, 'scripts/start.js'), '--version'])).stdout;
    const kept = async (): Promise<object> =>
      Object.fromEntries(
        await Promise.all((await readdir(folder)).map(async (name) => [name, (await stat(join(folder, name))).ino])),
      ) as object;
    expect(await start()).toContain(packageJson.version);
    const compiled = await kept();
    expect(Object.keys(compiled).map((name) => name.replace(/^[0-9a-f]{16}/, ''))).toEqual(['.js', '.js.map']);
    expect(await start()).toContain(packageJson.version);
    expect(await kept()).toEqual(compiled);
  });

  it.each([
    ['SIGTERM', 'npm alone'],
    ['SIGINT', 'npm alone'],
    ['SIGTERM', 'the process group'],
    ['SIGINT', 'the process group'],
  ] as const)(
    'ends the server on %s to %s, and releases ports and store',
    { timeout: 300_000 },
    async (signal, receiver) => {
      const directory = await mkdtemp(join(tmpdir(), 'cli-start-'));
      const flags = [
        '--secure-port=auto',
        '--insecure-loopback-port=auto',
        `--cert-dir=${directory}`,
        `--kubeconfig-out=${directory}/kubeconfig`,
        `--data-dir=${directory}/data`,
      ];
      const child = spawn('npm', ['start', '--silent', '--', ...flags], {
        cwd: root,
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true,
      });
      const pid = child.pid ?? 0;
      try {
        const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
        // The pipe closes with the last process that holds it, so with the server and not only with npm.
        const closed = once(child, 'close');
        const { urls } = JSON.parse(await new Log(child).serving(exited.then(([code]) => [code]))) as {
          urls: [string, string];
        };
        expect(await (await fetch(`${urls[1]}/readyz`, { headers: { connection: 'close' } })).text()).toBe('ok');
        process.kill(receiver === 'npm alone' ? pid : -pid, signal);
        await closed;
        // npm itself may be terminated by the signal that it received.
        expect([0, signal]).toContain((await exited).find((fact) => fact !== null));
        for (const url of urls) await expect(fetch(url)).rejects.toThrow();
        const checked = createFakeHost();
        expect(await run(['compact', '--storage=sqlite', `--data-dir=${directory}/data`], checked), checked.err()).toBe(
          0,
        );
      } finally {
        try {
          process.kill(-pid, 'SIGKILL');
        } catch {
          // The whole group has ended, as expected.
        }
        await rm(directory, { recursive: true });
      }
    },
  );
});

it.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends it with 0, even with an open watch',
  { timeout: 300_000 },
  async (signal) => {
    const server = await startServer(['--v=3']);
    const token = /token: (\S+)/.exec(readFileSync(server.kubeconfig, 'utf8'))?.[1] ?? '';
    const watch = await fetch(`${server.urls[1] ?? ''}/api/v1/namespaces?watch=1`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const text = watch.text();
    const exited = once(server.process, 'exit');
    server.process.kill(signal);
    expect((await text).trimEnd().split('\n')).toHaveLength(4);
    expect(await exited).toEqual([0, null]);
    await rm(server.directory, { recursive: true });
  },
);

it('keeps its first line through the build, and finds its version', { timeout: 300_000 }, async () => {
  // An installed package: its package.json, the built program, and its dependencies.
  const directory = await mkdtemp(join(tmpdir(), 'cli-build-'));
  await copyFile(join(root, 'package.json'), join(directory, 'package.json'));
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  await build({
    entry: { 'cli/main': join(root, 'src/cli/main.ts') },
    outDir: join(directory, 'dist'),
    format: ['esm'],
    target: 'node20',
    platform: 'neutral',
    skipNodeModulesBundle: true,
    external: [/^node:/],
    silent: true,
    config: false,
  });
  const main = join(directory, packageJson.bin['orch-apiserver'] ?? '');
  expect(readFileSync(main, 'utf8').startsWith('#!/usr/bin/env node\n')).toBe(true);
  const child = spawn(main, ['--version'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (data) => (out += String(data)));
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(out).toContain(`orch-apiserver ${packageJson.version} (node`);
  await rm(directory, { recursive: true });
});
