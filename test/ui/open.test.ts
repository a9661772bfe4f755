import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPage } from '../../scripts/build-page.js';
import { run } from '../../src/cli/run.js';
import { Chromium, chromiumProgram } from '../client/browser/chromium.js';
import { runningHost } from '../cli/serving.js';
import { Browser, tabOf, type Tab } from './browser.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

const FAILING = `
import { expect, test as base } from 'vitest';
import { ConfigMap } from 'orch-apiserver';
import { serverFixtures } from 'orch-apiserver/testing/vitest';

const test = base.extend(serverFixtures({ dialect: 'kubernetes', snapshots: { folder: FOLDER } }));
const maps = ({ client }) => client.resource(ConfigMap).namespace('default');

test('passes', async ({ testServer }) => {
  await maps(testServer).create({ metadata: { name: 'fine' } });
});

test('counts the toys', async ({ testServer }) => {
  await maps(testServer).create({ metadata: { name: 'toys' }, data: { count: '1' } });
  await testServer.advance('90s');
  await maps(testServer).update({ metadata: { name: 'toys' }, data: { count: '3' } });
  expect((await maps(testServer).get('toys')).data).toEqual({ count: '2' });
});
`;

/** The configuration of the other vitest: it makes nothing of what this one uses. */
const CONFIGURATION = `
import { viteCompiledSource } from '../../../scripts/compiled-source.js';
import { viteDoors } from '../../../scripts/doors.js';

const compiled = process.env['COMPILED_SOURCE'];
const source = (path) => new URL('../../../src/' + path, import.meta.url).pathname;

export default {
  plugins: [viteDoors(), ...(compiled === undefined ? [] : [viteCompiledSource(compiled)])],
  resolve: {
    alias: [
      { find: /^orch-apiserver\\/testing\\/vitest$/, replacement: source('testing/vitest.ts') },
      { find: /^orch-apiserver$/, replacement: source('entries/index.ts') },
    ],
  },
  test: { include: ['toys.ts'], pool: 'forks', testTimeout: 60_000, hookTimeout: 60_000 },
};
`;

/** Runs the tests in a folder in a process of its own. @returns its output */
function vitestIn(folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder];
    // The process is not one of this run.
    const { VITEST: _vitest, VITEST_WORKER_ID: _worker, VITEST_POOL_ID: _pool, ...env } = process.env;
    const child = spawn(process.execPath, args, { cwd: folder, env: { ...env, NODE_OPTIONS: '', NO_COLOR: '1' } });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.on('error', reject);
    child.on('close', () => resolve(output));
  });
}

describe.skipIf(chromiumProgram === undefined)('a failed test of vitest', () => {
  let folder: string;
  let chromium: Chromium;
  const host = runningHost();
  let ended: Promise<number>;
  let tab: Tab;

  beforeAll(async () => {
    // Where it finds vitest. The names of its files are not those of tests of this run.
    folder = await mkdtemp(join(root, 'test/ui/failed-'));
    await writeFile(join(folder, 'vitest.config.mjs'), CONFIGURATION);
    await writeFile(join(folder, 'toys.ts'), FAILING.replace('FOLDER', JSON.stringify(join(folder, 'states'))));
    const [output] = await Promise.all([vitestIn(folder), buildPage()]);
    const lines = output.match(/^The state of the server is saved: npx orch-apiserver open .*$/gm);
    // That of the test that passes is not saved.
    expect([output, lines?.length]).toEqual([output, 1]);
    ended = run(['open', lines?.[0]?.split(' open ')[1] ?? ''], host);
    await host.logged('serving');
    const link = /http:\S+/.exec(host.out())?.[0] ?? '';
    chromium = await Chromium.start(chromiumProgram ?? '');
    tab = tabOf(await chromium.open(link));
  }, 300_000);
  afterAll(async () => {
    host.signal('SIGTERM');
    expect(await ended).toBe(0);
    await chromium?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('is shown with its error, the time, and the requests with their bodies, and axe finds nothing', async () => {
    expect(
      await tab(`
        await see('h1', 'Saved state');
        const failed = await see('section[aria-label="Failed test"]');
        await see('section[aria-label=Journal] summary', '/configmaps');
        const body = [...document.querySelectorAll('pre[aria-label^="Body of"]')].map((each) => each.textContent);
        document.querySelector('section[aria-label=Journal] details').open = true;
        return [location.pathname, failed.textContent, find('[role=status]').textContent, body];`),
    ).toEqual([
      '/ui/test',
      expect.stringMatching(/counts the toys[^]*toys\.ts[^]*expected .* to deeply equal/),
      '2024-01-01T00:01:30.000Z stands still',
      expect.arrayContaining([expect.stringContaining('"count": "3"')]),
    ]);
    expect(await Browser.objections(tab)).toEqual([]);
  });

  test('has its objects with their past, and changes nothing', async () => {
    expect(
      await tab(`
        history.pushState(null, '', '/ui/r/core/v1/configmaps/default/toys?tab=history');
        dispatchEvent(new PopStateEvent('popstate'));
        await see('h1', 'toys');
        await see('main', '01:30');
        history.pushState(null, '', '/ui/r/core/v1/configmaps/default/toys?tab=yaml');
        dispatchEvent(new PopStateEvent('popstate'));
        await see('.line', 'count: "3"');
        return find('header', 'read-only') !== undefined;`),
    ).toBe(true);
  });
});
