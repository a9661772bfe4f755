import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { buildPage } from '../../scripts/build-page.js';
import { systemClock } from '../../src/entries/index.js';
import { startTestServer } from '../../src/entries/testing.js';
import { Node } from '../../src/kinds/index.js';
import { commandHandler, ControlledServers, controlledTestServer, pageCommands } from '../../src/testing/index.js';
import { listen, type Listener } from '../../src/transport/node/index.js';
import { Chromium, chromiumProgram } from '../client/browser/chromium.js';
import { Browser, type Tab } from './browser.js';

describe.skipIf(chromiumProgram === undefined)('the page of a test server in Chromium', () => {
  let servers: ControlledServers;
  let browser: Browser;
  let api: Awaited<ReturnType<typeof startTestServer>>;
  let startMs: number;

  beforeAll(async () => {
    await buildPage();
    const started = await startTestServer({
      ...{ dialect: 'kubernetes', simulate: { nodes: 1 } },
      authentication: { ownerToken: 'admin' },
    });
    api = started;
    startMs = started.clock.now();
    const logger = { info: () => undefined, error: () => undefined };
    const listeners: Listener[] = [];
    const controlled = controlledTestServer(started, {
      ...{ ownerToken: 'admin', runningClock: undefined, simulates: true },
    });
    servers = await ControlledServers.start(controlled, {
      ...{ maxForks: 2, closeMs: 5000, clock: systemClock, logger, controlUrl: () => 'http://control' },
      open: async ({ target }, id) => {
        const commands = pageCommands((request) => commandHandler({ servers, logger })(request), id);
        const listener = await listen({ target }, { ui: { test: commands } });
        listeners.push(listener);
        return { url: listener.url, certificateAuthority: undefined, close: () => listener.close({ grace: 0 }) };
      },
    });
    const [listener] = listeners;
    if (listener === undefined) throw new Error('no port was opened');
    browser = Browser.of(started, listener, await Chromium.start(chromiumProgram ?? ''));
  }, 300_000);
  afterEach(() => browser.leave());
  afterAll(async () => {
    await browser?.end();
    await servers?.close();
  });

  /** Opens the view. */
  async function opened(): Promise<Tab> {
    const tab = await browser.visit('test');
    await tab(`await see('h1', 'Test server'); await see('h2', 'Journal');`);
    return tab;
  }

  test('is a view of its own, and axe finds nothing', async () => {
    const tab = await browser.visit('');
    await tab(`await click('header a', 'Test'); await see('h1', 'Test server'); await see('h2', 'Journal');`);
    expect(await tab(`return location.pathname;`)).toBe('/ui/test');
    expect(await Browser.objections(tab)).toEqual([]);
  });

  test('advances the time beyond the hours of a session, and goes on', async () => {
    const tab = await opened();
    const before = api.clock.now();
    const after = before + 9 * 3_600_000;
    await tab(`
      enter(await see('input[name=duration]'), '9h');
      await new Promise((resolve) => setTimeout(resolve));
      await click('form button', 'Advance');
      await until(() => find('[role=status]', ${JSON.stringify(new Date(after).toISOString().slice(0, 13))}));`);
    expect(api.clock.now()).toBe(after);
  });

  test('makes a node NotReady', async () => {
    const tab = await opened();
    await tab(`
      const nodes = await see('section[aria-label="Simulated nodes and pods"]');
      nodes.querySelector('button[type=submit]').click();
      await until(() => nodes.querySelector('tbody tr'));`);
    await api.settled();
    const { status } = await api.server.client().resource(Node).get('node-1');
    expect(status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('False');
  });

  test('adds a fault and counts its hits, and says what is wrong with another', async () => {
    const tab = await opened();
    await tab(`
      const faults = await see('section[aria-label=Faults]');
      enter(faults.querySelector('input'), '{"fault":"fail","match":{"verb":"list","resource":"secrets"},"status":503}');
      await new Promise((resolve) => setTimeout(resolve));
      faults.querySelector('button[type=submit]').click();
      await until(() => faults.querySelector('tbody tr'));`);
    await expect(api.server.client().resource({ apiVersion: 'v1', kind: 'Secret' }).list()).rejects.toThrow();
    expect(
      await tab(`
        const faults = find('section[aria-label=Faults]');
        await until(() => faults.querySelector('tbody td:nth-child(2)')?.textContent === '1');
        enter(faults.querySelector('input'), '{"fault":"none"}');
        await new Promise((resolve) => setTimeout(resolve));
        faults.querySelector('button[type=submit]').click();
        return (await see('.message')).textContent;`),
    ).toMatch(/fault/);
    // Commands of the page are not in the journal.
    await tab(`await see('section[aria-label=Journal] td', '/api/v1/secrets');`);
    expect(await tab(`return find('section[aria-label=Journal]').textContent;`)).not.toContain('/ui/v1/');
  });

  test('makes a fork and deletes it', async () => {
    const tab = await opened();
    await tab(`
      await click('section[aria-label=Forks] button', 'Fork');
      await see('section[aria-label=Forks] td', 'f1');`);
    expect(await Browser.objections(tab)).toEqual([]);
    await tab(`
      await click('section[aria-label=Forks] button', 'Delete');
      await gone('section[aria-label=Forks] td', 'f1');`);
    expect(servers.forks).toEqual([]);
  });

  test('goes back to the start', async () => {
    const tab = await opened();
    const start = JSON.stringify(new Date(startMs).toISOString().slice(0, 19));
    await api.advance('1m');
    await tab(`
      const faults = await see('section[aria-label=Faults]');
      faults.querySelector('button[type=submit]').click();
      await until(() => faults.querySelector('tbody tr'));
      await click('.tools button', 'Reset');
      await gone('section[aria-label=Faults] tbody tr');
      await until(() => find('[role=status]', ${start}));`);
    expect(api.clock.now()).toBe(startMs);
  });
});
