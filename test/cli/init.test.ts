/** `init`: a new service, which type-checks, whose tests pass, and which starts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/client/index.js';
import { subpaths } from '../../scripts/entries.js';
import { outcomeOf } from '../examples/program.js';
import { command } from './stores.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const COLD = 5 * 60_000;

let parent = '';
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'cli-init-'));
});
afterAll(() => rm(parent, { recursive: true }));

/** Installs what the new service needs: this package from its source, and the packages of this repository. */
async function install(directory: string): Promise<void> {
  const modules = join(directory, 'node_modules');
  const own = join(modules, 'orch-apiserver');
  await mkdir(own, { recursive: true });
  const compiled = process.env['COMPILED_SOURCE'];
  const runs = (source: string): string =>
    compiled === undefined ? source : source.replace(/^src\/(.*)\.ts$/, 'compiled/$1.js');
  const exports = Object.fromEntries(
    Object.entries(subpaths).map(([subpath, source]) => [
      subpath,
      { types: `./${source}`, default: `./${runs(source)}` },
    ]),
  );
  await writeFile(join(own, 'package.json'), JSON.stringify({ name: 'orch-apiserver', type: 'module', exports }));
  await symlink(join(root, 'src'), join(own, 'src'));
  if (compiled !== undefined) await symlink(compiled, join(own, 'compiled'));
  for (const name of ['zod', 'vitest', 'typescript', 'tsx', '@types/node']) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
}

describe('a new service', () => {
  let directory = '';
  let out = '';
  beforeAll(async () => {
    directory = join(parent, 'My Shop');
    const outcome = await command(['init', directory]);
    expect(outcome).toMatchObject({ code: 0, err: '' });
    ({ out } = outcome);
    await install(directory);
  }, COLD);

  it('is named like its directory, and says the next commands', async () => {
    const manifest = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')) as {
      name: string;
      dependencies: Record<string, string>;
    };
    expect(manifest.name).toBe('my-shop');
    expect(manifest.dependencies['orch-apiserver']).toBe('^1.2.3');
    expect(await readFile(join(directory, 'README.md'), 'utf8')).toMatch(/^# my-shop\n/);
    expect(out).toBe(
      `A new service is in ${directory}. Next:\n  cd '${directory}'\n  npm install\n  npm test\n  npm start\n`,
    );
  });

  it('type-checks', { timeout: COLD }, () => {
    const path = join(directory, 'tsconfig.json');
    const { config } = ts.readConfigFile(path, (name) => ts.sys.readFile(name)) as { config: unknown };
    const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, directory, {}, path);
    const program = ts.createProgram(fileNames, options);
    const own = program.getSourceFiles().filter(({ fileName }) => fileNames.includes(fileName));
    expect(own.map(({ fileName }) => fileName.slice(directory.length))).toEqual(
      expect.arrayContaining(['/src/main.ts', '/test/controller.test.ts']),
    );
    // The source of this package is written for other options of the compiler; its build has declarations instead.
    const found = own.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]);
    expect(
      [...errors, ...program.getOptionsDiagnostics(), ...found].map(({ messageText }) =>
        ts.flattenDiagnosticMessageText(messageText, ' '),
      ),
    ).toEqual([]);
  });

  it('passes its tests', { timeout: COLD }, async () => {
    const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=json'];
    const { code, output } = await outcomeOf(process.execPath, vitest, { cwd: directory, env: { VITEST: '' } });
    expect(output).toContain('"numPassedTests":4');
    expect(code, output).toBe(0);
  });

  it('serves its kind, and its controller works', { timeout: COLD }, async () => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts'], {
      cwd: directory,
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    try {
      for await (const line of createInterface(child.stdout)) if (line.startsWith('serving on ')) break;
      const path = join(directory, 'kubeconfig');
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      await using client = await connect({ kubeconfig: await readFile(path, 'utf8') });
      const sites = client.resource({ apiVersion: 'sites.example/v1', kind: 'Site' }).namespace('default');
      await sites.create({
        apiVersion: 'sites.example/v1',
        kind: 'Site',
        metadata: { name: 'shop' },
        spec: { host: 'a' },
      });
      const served = await sites.waitFor('shop', { condition: 'Ready' });
      expect(served?.['status']).toMatchObject({ page: 'shop-page' });
    } finally {
      child.kill('SIGTERM');
    }
    expect(await exited).toEqual([0, null]);
  });
});

it('uses the versions that this repository is tested with', async () => {
  interface Manifest {
    readonly version: string;
    readonly engines: object;
    readonly dependencies: Record<string, string>;
    readonly devDependencies: Record<string, string>;
  }
  const read = async (path: string) => JSON.parse(await readFile(join(root, path), 'utf8')) as Manifest;
  const [own, template] = await Promise.all([read('package.json'), read('examples/new-service/package.json')]);
  const known = { ...own.dependencies, ...own.devDependencies, 'orch-apiserver': `^${own.version}` };
  const used = { ...template.dependencies, ...template.devDependencies };
  expect(template.engines).toEqual(own.engines);
  expect(known).toMatchObject(used);
});

it('writes nothing into a directory that is not empty, nor over a file', async () => {
  const directory = join(parent, 'full');
  await mkdir(directory);
  await writeFile(join(directory, 'notes'), 'mine');
  const full = await command(['init', directory]);
  expect(full).toEqual({
    code: 1,
    out: '',
    err: `orch-apiserver: ${directory} is not empty: orch-apiserver init overwrites nothing (it has notes)\n`,
  });
  expect(await readdir(directory)).toEqual(['notes']);
  const file = await command(['init', join(directory, 'notes')]);
  expect(file.code).toBe(1);
  expect(file.err).toMatch(/^orch-apiserver: .*notes/);
  expect(await readFile(join(directory, 'notes'), 'utf8')).toBe('mine');
  expect(await command(['init', 'a', 'b'])).toMatchObject({
    code: 2,
    err: 'orch-apiserver: init takes one DIRECTORY\n',
  });
});
