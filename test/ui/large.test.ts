import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ConfigMap } from '../../src/entries/index.js';
import { chromiumProgram } from '../client/browser/chromium.js';
import { Browser } from './browser.js';

/** Rows that may be in the document at a time: those in sight, and some above and below. */
const MOST_DRAWN = 80;
/** Frames from a change to its picture: one to notice it, and one to draw it; some may pass in between. */
const MOST_FRAMES = 6;

describe.skipIf(chromiumProgram === undefined)('the page with much in it, in Chromium', () => {
  let browser: Browser;
  const maps = () => browser.api.server.client().resource(ConfigMap).namespace('default');

  beforeAll(async () => {
    browser = await Browser.start();
  }, 300_000);
  afterAll(() => browser?.close());
  afterEach(() => browser.leave());

  test('shows a table of each kind that the server has', async () => {
    const tab = await browser.visit();
    const opened = await tab(`
      await see('.groups a', 'ConfigMap');
      const kinds = [...document.querySelectorAll('.groups a')].map((a) => [a.textContent, a.pathname]);
      const wrong = [];
      for (const [kind, path] of kinds) {
        history.pushState(null, '', path);
        dispatchEvent(new PopStateEvent('popstate'));
        await until(() => document.querySelector('h1')?.textContent.startsWith(kind + ' ') && location.pathname === path);
        const state = await until(() => find('[role=status]', '● live') ?? find('[role=status]', '▲ as it was') ?? find('.message', '✕'));
        const heads = [...document.querySelectorAll('[role=columnheader].cell')].map((head) => head.textContent);
        if (!state.textContent.includes('● live') || heads.length < 2) wrong.push([kind, state.textContent]);
      }
      return [kinds.length, wrong];`);
    // It has no watches in Kubernetes either.
    const listed = ['ComponentStatus', expect.stringMatching(/▲ as it was when it was opened/)];
    expect(opened).toEqual([expect.any(Number), [listed]]);
    expect((opened as [number])[0]).toBeGreaterThan(50);
  }, 300_000);

  test('scrolls, filters, sorts and follows 30,000 objects, with few rows in the document at any frame', async () => {
    for (let from = 0; from < 30_000; from += 500)
      await Promise.all(
        Array.from({ length: 500 }, (_, index) => {
          const name = `row-${String(from + index).padStart(5, '0')}`;
          return maps().create({ metadata: { name, labels: { many: 'yes' } } });
        }),
      );
    const tab = await browser.visit('r/core/v1/configmaps?label=many%3Dyes&sort=name');
    // Counts frames, and the most rows in one of them.
    await tab(`
      globalThis.seen = { frames: 0, rows: 0 };
      const sample = () => {
        seen.frames += 1;
        seen.rows = Math.max(seen.rows, document.querySelectorAll('.body .row').length);
        requestAnimationFrame(sample);
      };
      sample();
      await see('.grid[aria-rowcount="30001"]');
      await see('[role=status]', '● live');`);
    const requests = await tab(`
      return performance.getEntriesByType('resource').filter(({ name }) => /configmaps\\?.*limit=/.test(name)).length;`);
    expect(requests).toBe(1 + Math.ceil(29_500 / 2000));
    const frames = await tab(`
      const grid = document.querySelector('.grid');
      const middle = grid.getBoundingClientRect().top + grid.clientHeight / 2;
      const isDrawn = () => document.elementFromPoint(100, middle)?.closest('.body .row') !== null;
      let most = 0;
      for (let step = 1; step <= 40; step += 1) {
        grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * (step / 40);
        const from = seen.frames;
        await until(isDrawn);
        most = Math.max(most, seen.frames - from);
      }
      await see('.body .row', 'row-29999');
      return most;`);
    expect(frames).toBeLessThanOrEqual(MOST_FRAMES);
    expect(
      await tab(`
        const input = document.querySelector('input[type=search]');
        enter(input, 'row-299');
        await see('[role=status]', '100 of 30000 shown');
        await see('.body .row', 'row-29900');
        enter(input, '');
        await see('[role=status]', '30000 shown');
        await click('[role=columnheader] button', 'Name');
        await until(() => find('[aria-sort=descending]', 'Name'));
        await until(() => names()[0] === 'row-29999');
        return document.querySelector('.grid').getAttribute('aria-rowcount');`),
    ).toBe('30001');
    // Those in sight flash; those out of sight are not drawn.
    for (let from = 0; from < 30_000; from += 100) void (await maps().patch(nameAt(from), { data: { a: '1' } }));
    await Promise.all([29_999, 29_998, 29_997].map((at) => maps().patch(nameAt(at), { data: { a: '1', b: '2' } })));
    expect(
      await tab(`
        await until(() => names().slice(0, 3).every((name) => find('.body .row', name).querySelectorAll('.cell')[2].textContent === '2'));
        await see('.body .row.changed', 'row-29999');
        return [seen.rows > 5 && seen.rows < ${MOST_DRAWN}, names().slice(0, 2)];`),
    ).toEqual([true, ['row-29999', 'row-29998']]);
  }, 300_000);

  const nameAt = (index: number): string => `row-${String(index).padStart(5, '0')}`;
});
