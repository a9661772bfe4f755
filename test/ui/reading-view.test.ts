import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ConfigMap } from '../../src/entries/index.js';
import { chromiumProgram } from '../client/browser/chromium.js';
import { samplesIn } from '../../src/ui/web/data/metrics.js';
import { Browser } from './browser.js';

/** Things that a finger has to hit. Links in texts, and in lines of YAML, are as high as these. */
const SMALL = `
  [...document.querySelectorAll('button, a[href], input, select, summary')]
    .filter((each) => each.checkVisibility() && each.closest('.yaml, .changes li, p, td, dialog') === null)
    .map((each) => (each.matches('[type=checkbox]') ? (each.closest('.pick, label') ?? each) : each))
    .filter((each) => {
      const { width, height } = each.getBoundingClientRect();
      return width < 43.5 || height < 43.5;
    })
    .map((each) => each.outerHTML.slice(0, 160))`;

/** Hides a tab from its page, or shows it. */
const hide = (on: boolean): string => `
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${on} });
  document.dispatchEvent(new Event('visibilitychange'));`;

describe.skipIf(chromiumProgram === undefined)('what is read in Chromium', () => {
  let browser: Browser;
  const maps = () => browser.api.server.client({ fieldManager: 'shop' }).resource(ConfigMap).namespace('default');
  /** Returns how many watches of config maps the server serves to browsers. */
  const openWatches = async (): Promise<number> => {
    const response = await fetch(`${browser.listener.url}/metrics`, { headers: { authorization: 'Bearer admin' } });
    const watches = samplesIn(await response.text()).get('apiserver_longrunning_requests') ?? [];
    return watches.reduce((sum, { labels, value }) => (labels.get('resource') === 'configmaps' ? sum + value : sum), 0);
  };

  beforeAll(async () => {
    browser = await Browser.start();
    for (const name of ['read-1', 'read-2', 'read-3'])
      await maps().create({ metadata: { name, labels: { app: 'web' } }, data: { a: '1', b: 'x\ny' } });
  }, 300_000);
  afterAll(() => browser?.close());
  afterEach(() => browser.leave());

  test('a table shows that its first rows are still to come', async () => {
    const fault = browser.api.faults.delay({ resource: 'configmaps', verb: 'list' }, '10s');
    const tab = await browser.visit('r/core/v1/configmaps?ns=default&q=read');
    expect(
      await tab(`
        const skeleton = () => document.querySelector('.skeleton');
        await until(() => skeleton() !== null && getComputedStyle(skeleton()).visibility === 'visible');
        return document.querySelector('.grid').ariaBusy;`),
    ).toBe('true');
    expect(await Browser.objections(tab)).toEqual([]);
    fault.remove();
    await browser.api.advance(10_000);
    expect(
      await tab(`
        await see('.body .row', 'read-3');
        return [document.querySelector('.skeleton'), document.querySelector('.grid').ariaBusy];`),
    ).toEqual([null, 'false']);
  }, 300_000);

  test('a tab that is hidden draws nothing, and catches up', async () => {
    const hidden = await browser.visit('r/core/v1/configmaps?ns=default&q=while');
    const seen = await browser.visit('r/core/v1/configmaps?ns=default&q=while');
    await hidden(`await see('[role=status]', '● live'); ${hide(true)}`);
    await maps().create({ metadata: { name: 'while-hidden' } });
    await seen(`await see('.body .row', 'while-hidden');`);
    expect(
      await hidden(`
        const before = names();
        ${hide(false)}
        await see('.body .row', 'while-hidden');
        return before;`),
    ).toEqual([]);
    await maps().delete('while-hidden');
  }, 300_000);

  test('a tab that nobody sees asks for nothing, gives up its streams, and goes on where it was', async () => {
    await maps().create({ metadata: { name: 'away' }, data: { a: '1', b: '1' } });
    const table = await browser.visit('r/core/v1/configmaps?ns=default');
    const object = await browser.visit('r/core/v1/configmaps/default/away?tab=edit');
    const home = await browser.visit();
    const counted = `(await see('.groups li', 'ConfigMap')).querySelector('.muted').textContent`;
    await table(`
      await see('.body .row', 'away');
      enter(document.querySelector('input[type=search]'), 'away');
      await gone('.body .row', 'read-1');
      press('X');
      await see('[role=toolbar]', '1 selected');
      ${hide(true)}`);
    await object(`await rewrite('a: "1"', 'a: "mine"'); await see('[aria-label="Dry run"] li'); ${hide(true)}`);
    const before = Number(
      await home(`await until(async () => Number(${counted}) > 0); ${hide(true)} return ${counted};`),
    );
    // Over HTTP/1.1 a browser has few connections: they are given back soon.
    await expect.poll(openWatches, { timeout: 60_000 }).toBe(0);
    await maps().patch('away', { data: { b: '2' } });
    await maps().create({ metadata: { name: 'away-2' } });
    // A tab that has not given up its stream yet is told of numbers some time after a write.
    await browser.api.advance('1s');
    const counts = await browser.api.server.client().resource(ConfigMap).list();
    const after = await home(`
      const seen = ${counted};
      ${hide(false)}
      await until(async () => ${counted} === '${counts.items.length}');
      return seen;`);
    expect([Number(after), counts.items.length > before]).toEqual([before, true]);
    expect(
      await table(`
        const seen = names();
        ${hide(false)}
        await see('[role=status]', '● live');
        await see('[role=status] button', '1 new');
        return [seen, find('[role=toolbar]').textContent.includes('1 selected'), location.search];`),
    ).toEqual([['away'], true, '?ns=default&q=away']);
    const { resourceVersion } = (await maps().get('away')).metadata;
    expect(
      await object(`
        ${hide(false)}
        await see('[role=status]', '● live at version ${resourceVersion}');
        return written(await editor()).includes('a: "mine"');`),
    ).toBe(true);
    await object(`await click('button', 'Discard');`);
    for (const name of ['away', 'away-2']) await maps().delete(name);
  }, 300_000);

  test('keys that are single characters are switched off, and stay so when the tab reloads', async () => {
    const tab = await browser.visit('r/core/v1/configmaps?ns=default&q=read');
    const switchKeys = `
      await click('header button', '?');
      (await see('dialog label', 'single characters')).querySelector('input').click();
      await click('dialog button', 'Close');
      await until(() => document.querySelector('dialog') === null);`;
    expect(
      await tab(`
        const frames = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        const at = () => document.querySelector('.body [aria-selected=true]')?.dataset.index;
        await see('.body .row', 'read-3');
        ${switchKeys}
        press('j', document.body);
        press(':', document.body);
        await frames();
        press('ArrowDown', document.body);
        const first = await until(at);
        press('j', document.body);
        await frames();
        press('ArrowDown', document.body);
        await until(() => at() !== first);
        return [first, at(), document.querySelector('dialog'), localStorage.getItem('keys')];`),
    ).toEqual(['0', '1', null, 'off']);
    await tab.reload();
    expect(
      await tab(`
        await see('.body .row', 'read-3');
        press('?', document.body);
        press('ArrowDown', document.body);
        await see('.body [aria-selected=true]', 'read-1');
        const dialog = document.querySelector('dialog');
        ${switchKeys}
        press('j', document.body);
        await see('.body [aria-selected=true]', 'read-2');
        return [dialog, localStorage.length];`),
    ).toEqual([null, 0]);
  }, 300_000);

  test('rows are cards on a screen of 360 pixels, and fingers hit what they are for', async () => {
    const tab = await browser.visit();
    const shown = await tab.resized(360, 740, () =>
      tab(`
        const open = async (path, ready) => {
          history.pushState(null, '', '/ui/' + path);
          dispatchEvent(new PopStateEvent('popstate'));
          await see(ready, '');
        };
        const small = [];
        const look = () => small.push(...${SMALL});
        await see('.groups a', 'ConfigMap');
        look();
        for (const [path, ready] of [
          ['access', '[name], form, main input'],
          ['r/core/v1/configmaps/default/read-1', '.yaml .line'],
          ['r/core/v1/configmaps/default/read-1?tab=history', '.versions button'],
        ]) {
          await open(path, ready);
          look();
        }
        await open('r/core/v1/configmaps?ns=default&q=read&sort=name', '.cards .body .row');
        await see('.body .row', 'read-3');
        look();
        const [first, second] = document.querySelectorAll('.body .row');
        const tops = [...first.querySelectorAll('.cell')].map((cell) => cell.getBoundingClientRect().top);
        const { bottom, height } = first.getBoundingClientRect();
        const grid = document.querySelector('.grid');
        press('End', document.body);
        await see('.body [aria-selected=true]', 'read-3');
        return [
          small,
          tops.every((top, index) => index === 0 || top > tops[index - 1]) && tops.at(-1) < bottom,
          Math.round(second.getBoundingClientRect().top - first.getBoundingClientRect().top) === height,
          first.querySelectorAll('.cell')[1].dataset.title,
          grid.scrollWidth <= grid.clientWidth && document.documentElement.scrollWidth <= 360,
        ];`),
    );
    expect(shown).toEqual([[], true, true, 'Namespace', true]);
    // On a wide screen, they are rows again.
    expect(
      await tab(`
        await until(() => document.querySelector('.cards') === null);
        return document.querySelector('.body .row').getBoundingClientRect().height;`),
    ).toBe(28);
    expect(await Browser.objections(tab)).toEqual([]);
  }, 300_000);
});
