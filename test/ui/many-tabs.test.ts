import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigMap } from '../../src/entries/kinds.js';
import { chromiumProgram } from '../client/browser/chromium.js';
import { Browser } from './browser.js';

/** More than the connections that a browser opens to a server over HTTP/1.1. */
const TABS = 9;

describe.skipIf(chromiumProgram === undefined)('many tabs over HTTP/1.1, in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => (browser = await Browser.start()), 300_000);
  afterAll(() => browser?.close());

  test('are live together, and the next one works too', async () => {
    const maps = browser.api.server.client().resource(ConfigMap).namespace('default');
    await maps.create({ metadata: { name: 'first' } });
    const tabs = [];
    for (let index = 0; index < TABS; index += 1) tabs.push(await browser.visit('r/core/v1/configmaps?ns=default'));
    for (const tab of tabs) await tab(`await see('.row', 'first'); await see('[role=status]', '● live');`);
    await maps.create({ metadata: { name: 'second' } });
    for (const tab of tabs) await tab(`await see('.row', 'second');`);
    // Each tab has a watch of its own, none of which is a request of the browser.
    const watches = await tabs[0]?.(`
      return performance.getEntriesByType('resource').filter(({ name }) => name.includes('watch=')).length;`);
    expect(watches).toBe(0);
    const last = await browser.visit('r/core/v1/configmaps/default/first');
    await last(`await see('h1, h2', 'first');`);
    await browser.leave();
  }, 120_000);
});
