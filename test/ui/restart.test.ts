import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { buildPage } from '../../scripts/build-page.js';
import { ClusterRoleBinding, ConfigMap } from '../../src/entries/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { listen, type Listener } from '../../src/transport/node/index.js';
import { Chromium, chromiumProgram } from '../client/browser/chromium.js';
import { Browser, type Tab } from './browser.js';

const tokens = [
  { token: 'admin', user: { username: 'alice', groups: ['system:masters'] } },
  { token: 'bob', user: { username: 'bob', groups: [] } },
];

describe.skipIf(chromiumProgram === undefined)('the page of a server that is started again, in Chromium', () => {
  let api: TestServer;
  let listener: Listener;
  let browser: Browser;
  const maps = () => api.server.client({ fieldManager: 'robot' }).resource(ConfigMap).namespace('default');
  const visit = async (path: string, token = 'admin'): Promise<Tab> => {
    const tab = await browser.open(path);
    await tab(`await signIn(${JSON.stringify(token)});`);
    return tab;
  };
  const goTo = (tab: Tab, path: string): Promise<unknown> =>
    tab(`history.pushState(null, '', '/ui/${path}'); dispatchEvent(new PopStateEvent('popstate'));`);
  /** Stops the server and starts it again, at the same address. @param meanwhile happens while there is none */
  const restart = async (meanwhile: () => Promise<unknown>): Promise<void> => {
    const port = Number(new URL(listener.url).port);
    await listener.close({ grace: 0 });
    await meanwhile();
    await api.restart();
    listener = await listen(api.server, { ui: true, port });
  };

  beforeAll(async () => {
    await buildPage();
    api = await startTestServer({ dialect: 'kubernetes', authentication: { tokens } });
    listener = await listen(api.server, { ui: true });
    browser = Browser.of(api, listener, await Chromium.start(chromiumProgram ?? ''));
    const apiGroup = 'rbac.authorization.k8s.io';
    await api.server
      .client()
      .resource(ClusterRoleBinding)
      .create({
        metadata: { name: 'editors' },
        subjects: [{ kind: 'User', apiGroup, name: 'bob' }],
        roleRef: { apiGroup, kind: 'ClusterRole', name: 'edit' },
      });
  }, 300_000);
  afterEach(() => browser.leave());
  afterAll(async () => {
    await browser?.end();
    await listener?.close({ grace: 0 });
    await api?.close();
  });

  test('goes on for two users at once: their sessions last, their views are live again, and no draft is lost', async () => {
    await maps().create({ metadata: { name: 'shared' }, data: { a: '1', b: '1' } });
    const alice = await visit('r/core/v1/configmaps?ns=default&q=shared');
    const bob = await visit('r/core/v1/configmaps/default/shared?tab=edit', 'bob');
    const home = await visit('');
    await alice(`await see('.row', 'shared'); await see('[role=status]', '● live'); await see('header', 'alice');`);
    await home(`await see('.changes li', 'default/shared');`);
    await bob(`
      await see('header', 'bob');
      await rewrite('a: "1"', 'a: "2"');
      await see('button.main', 'Save 1 field');`);
    await restart(async () => {
      // The rows are grey, and say when they are tried again.
      await alice(`
        await see('[role=status]', '▲ not live since');
        await see('[role=status] [aria-hidden]', 'tries again');
        await see('.grid.stale .row', 'shared');`);
      expect(await Browser.objections(alice)).toEqual([]);
      await home(`
        await see('[role=status]', '▲ The numbers are not live since');
        await see('.groups.stale');
        await see('.changes [role=status]', '▲ not live since');`);
      expect(await Browser.objections(home)).toEqual([]);
      await bob(
        `await see('[role=status]', '▲ not live'); find('button.main', 'Save').click(); await see('.message');`,
      );
    });
    // Each sees what the other, or a program, does from now on.
    await maps().patch('shared', { data: { b: '2' } });
    await bob(`
      await see('[role=status]', 'Others changed 1 other field');
      await click('button.main', 'Save 1 field');
      await see('[role=status]', '✓ Saved');`);
    expect((await maps().get('shared')).data).toEqual({ a: '2', b: '2' });
    await maps().create({ metadata: { name: 'shared-later' } });
    await alice(`await see('[role=status]', '● live'); await see('.row', 'shared-later'); await gone('.stale');`);
    await home(
      `await see('.changes li', 'default/shared-later'); await gone('[role=status]', '▲'); await gone('.stale');`,
    );
    await goTo(home, 'traffic?path=%2Fnamespaces%2Fdefault%2Fconfigmaps');
    await home(`await see('td', '/configmaps/shared'); await gone('.message');`);
    await restart(() => home(`await see('[role=status]', '▲ not live since'); await see('.stale table');`));
    await home(`await gone('[role=status]', '▲'); await gone('.stale');`);
    await bob(`
      await see('[role=status]', '● live');
      await rewrite('a: "2"', 'a: "3"');
      await click('button.main', 'Save 1 field');
      await see('[role=status]', '✓ Saved');`);
    await home(`await until(() => [...document.querySelectorAll('td')].some((td) => td.textContent === 'bob'));`);
  }, 300_000);

  test('keeps a draft while the user is elsewhere, and when the tab reloads, until it is discarded', async () => {
    await maps().create({ metadata: { name: 'drafted' }, data: { a: '1' } });
    const path = 'r/core/v1/configmaps/default/drafted?tab=edit';
    const tab = await visit(path);
    await tab(`await rewrite('a: "1"', 'a: "mine"'); await see('button.main', 'Save 1 field');`);
    await tab(`await click('[role=tab]', 'YAML'); await see('.yaml .line', 'a: "1"');`);
    await goTo(tab, '');
    await tab(`await see('h1', 'Kinds');`);
    await goTo(tab, path);
    const draft = `await until(async () => written(await editor()).includes('a: mine')); await see('p', 'This is your draft');`;
    await tab(draft.replace('a: mine', 'a: "mine"'));
    await tab.reload();
    await tab(draft.replace('a: mine', 'a: "mine"'));
    // Somebody else has changed the same field meanwhile.
    await maps().patch('drafted', { data: { a: '2' } });
    await tab(`await see('[aria-label=Conflicts] li', 'data.a');`);
    expect(await Browser.objections(tab)).toEqual([]);
    await tab(`
      await click('button', 'Discard');
      await until(async () => written(await editor()).includes('a: "2"'));
      await gone('p', 'This is your draft');`);
    expect(await tab(`return sessionStorage.getItem('drafts');`)).toBe(null);
  }, 300_000);

  test('asks to sign in over a draft when the session has ended, and gives it to nobody else', async () => {
    await maps().create({ metadata: { name: 'kept' }, data: { a: '1' } });
    const tab = await visit('r/core/v1/configmaps/default/kept?tab=edit');
    const end = `
      const headers = { 'x-ui-session': sessionStorage.getItem('session') };
      await fetch('/ui/v1/session', { method: 'DELETE', headers });`;
    await tab(`
      await rewrite('a: "1"', 'a: "2"');
      await see('button.main', 'Save 1 field');
      ${end}
      await click('button.main', 'Save 1 field');
      await see('dialog', 'Your session has ended');`);
    expect(await Browser.objections(tab)).toEqual([]);
    await tab(`
      await click('dialog button', 'Not now');
      await gone('dialog');
      await click('header button', 'Session ended');
      await signIn();
      await gone('dialog');
      await click('button.main', 'Save 1 field');
      await see('[role=status]', '✓ Saved');
      await rewrite('a: "2"', 'a: "secret"');
      await see('button.main', 'Save 1 field');
      ${end}
      await click('button', 'Dry run');
      await see('dialog', 'Your session has ended');
      await signIn('bob');
      await see('h1', 'Kinds');
      await see('header', 'bob');`);
    expect((await maps().get('kept')).data).toEqual({ a: '2' });
    expect(await tab(`return sessionStorage.getItem('drafts');`)).toBe(null);
    await goTo(tab, 'r/core/v1/configmaps/default/kept?tab=edit');
    await tab(`await until(async () => written(await editor()).includes('a: "2"'));`);
  }, 300_000);

  test('starts over when another server answers, with another store of higher versions, and keeps drafts', async () => {
    for (const name of ['both', 'first-only']) await maps().create({ metadata: { name }, data: { a: '1' } });
    const table = await visit('r/core/v1/configmaps?ns=default');
    const editing = await visit('r/core/v1/configmaps/default/both?tab=edit');
    const missing = await visit('r/core/v1/configmaps/default/first-only?tab=edit');
    await table(`await see('.row', 'first-only'); await see('[role=status]', '● live');`);
    for (const tab of [editing, missing])
      await tab(`await rewrite('a: "1"', 'a: "mine"'); await see('button.main', 'Save 1 field');`);
    // With the same seed, the store would be the same.
    await using other = await startTestServer({ dialect: 'kubernetes', authentication: { tokens }, seed: 'other' });
    const others = other.server.client().resource(ConfigMap).namespace('default');
    await others.create({ metadata: { name: 'both' }, data: { a: '2' } });
    const seen = Number((await maps().list()).metadata.resourceVersion);
    for (let version = 0; version <= seen;)
      version = Number((await others.patch('both', { data: { b: String(version) } })).metadata.resourceVersion);
    const port = Number(new URL(listener.url).port);
    await listener.close({ grace: 0 });
    listener = await listen(other.server, { ui: true, port });
    await table(`
      await see('.notice[role=status]', 'The server has another store now');
      await see('[role=status]', '● live');
      await see('.row', 'both');
      await gone('.row', 'first-only');`);
    expect(await Browser.objections(table)).toEqual([]);
    await table(`await click('.notice button'); await gone('.notice');`);
    await editing(`
      await see('[role=status]', 'You have a draft of another object of this name');
      await until(async () => written(await editor()).includes('a: "2"'));
      await click('button', 'Edit its text here');
      await until(async () => written(await editor()).includes('a: "mine"'));
      await see('button.main', 'Save');`);
    await missing(`
      await see('[role=status]', 'there is no such object');
      await click('button', 'Show its text');
      await see('pre', 'a: "mine"');`);
    expect(await Browser.objections(missing)).toEqual([]);
    await missing(`await click('button', 'Discard it'); await gone('pre');`);
    await browser.leave();
    await listener.close({ grace: 0 });
    listener = await listen(api.server, { ui: true, port });
  }, 300_000);
});
