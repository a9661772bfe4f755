import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ConfigMap } from '../../src/entries/index.js';
import { chromiumProgram } from '../client/browser/chromium.js';
import { Browser } from './browser.js';

describe.skipIf(chromiumProgram === undefined)('what is read in Chromium', () => {
  let browser: Browser;
  const maps = () => browser.api.server.client({ fieldManager: 'shop' }).resource(ConfigMap).namespace('default');

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
    const hide = (on: boolean): string => `
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${on} });
      document.dispatchEvent(new Event('visibilitychange'));`;
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
});
