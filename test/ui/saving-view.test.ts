import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ConfigMap, Pod } from '../../src/entries/index.js';
import { PodDisruptionBudget } from '../../src/entries/kinds.js';
import { chromiumProgram } from '../client/browser/chromium.js';
import { Browser } from './browser.js';

describe.skipIf(chromiumProgram === undefined)('saving in Chromium', () => {
  let browser: Browser;
  const client = () => browser.api.server.client({ fieldManager: 'shop' });
  const maps = () => client().resource(ConfigMap).namespace('default');
  const ownersOf = async (name: string) =>
    Object.fromEntries(
      ((await maps().get(name)).metadata.managedFields ?? []).map(({ manager, fieldsV1 }) => [manager, fieldsV1]),
    );

  beforeAll(async () => {
    browser = await Browser.start();
  }, 300_000);
  afterAll(() => browser?.close());
  afterEach(() => browser.leave());

  test('applies fields, takes over those of others one by one, and keeps what was applied before', async () => {
    await maps().apply({ metadata: { name: 'applied' }, data: { a: '1', b: '1', c: '1' } }, { fieldManager: 'robot' });
    const tab = await browser.visit('r/core/v1/configmaps/default/applied?tab=edit');
    expect(
      await tab(`
        await rewrite('a: "1"', 'a: "2"');
        await rewrite('b: "1"', 'b: "2"');
        enter(await see('[aria-label="How it is saved"]'), 'apply');
        await click('button.main', 'Apply 2 fields');
        await see('[aria-label=Conflicts] li');
        return [...document.querySelectorAll('[aria-label=Conflicts] li')].map((li) => li.textContent.trim());`),
    ).toEqual([
      expect.stringMatching(/^Take over \.data\.a: conflict with "robot"/),
      expect.stringMatching(/^Take over \.data\.b: conflict with "robot"/),
    ]);
    expect(await Browser.objections(tab)).toEqual([]);
    await tab(`
      await until(() => find('button.main', 'Apply 0 fields')?.disabled);
      find('[aria-label=Conflicts] li', '.data.a').querySelector('input').click();
      await click('button.main', 'Apply 1 field');
      await see('[role=status]', '✓ Saved');`);
    expect((await maps().get('applied')).data).toEqual({ a: '2', b: '1', c: '1' });
    await tab(`
      await rewrite('kind: ConfigMap', 'kind: ConfigMap\\nimmutable: false');
      await click('button.main', 'Apply 1 field');
      await see('[role=status]', '✓ Saved');`);
    expect(await ownersOf('applied')).toEqual({
      ui: { 'f:data': { 'f:a': {} }, 'f:immutable': {} },
      robot: { 'f:data': { 'f:b': {}, 'f:c': {} } },
    });
    // An apply does not remove what another manager owns.
    expect(
      await tab(`
        await rewrite('  c: "1"\\n', '');
        await click('button', 'Dry run');
        return (await see('[aria-label="Dry run"] .warn')).textContent;`),
    ).toBe('▲ These stay, since others own them: data.c. Save fields removes them.');
  }, 300_000);

  test('replaces the whole object, unless somebody has changed it meanwhile', async () => {
    await maps().create({ metadata: { name: 'replaced', labels: { kept: 'yes' } }, data: { a: '1', b: '1' } });
    const tab = await browser.visit('r/core/v1/configmaps/default/replaced?tab=edit');
    await tab(`
      await rewrite('  b: "1"\\n', '');
      enter(await see('[aria-label="How it is saved"]'), 'replace');
      await click('button', 'Dry run');
      await see('[aria-label="Dry run"] li', 'data.b: "1" → nothing');
      await click('button.main', 'Replace the object');
      await see('[role=status]', '✓ Saved');`);
    const replaced = await maps().get('replaced');
    expect([replaced.data, replaced.metadata.labels]).toEqual([{ a: '1' }, { kept: 'yes' }]);
    await tab(`await rewrite('a: "1"', 'a: "2"');`);
    await maps().patch('replaced', { data: { c: '1' } });
    expect(
      await tab(`await click('button.main', 'Replace the object'); return (await see('.message')).textContent;`),
    ).toMatch(/the object has been modified/);
    expect((await maps().get('replaced')).data).toEqual({ a: '1', c: '1' });
  }, 300_000);

  test('shows what the server would add to a new object', async () => {
    const tab = await browser.visit('r/core/v1/services?new=1');
    expect(
      await tab(`
        await editor();
        await click('button', 'Dry run');
        return [...(await see('[aria-label="Dry run"]')).querySelectorAll('li')].map((li) => li.textContent);`),
    ).toEqual(expect.arrayContaining(['spec.type: nothing → "ClusterIP"', 'spec.sessionAffinity: nothing → "None"']));
  }, 300_000);

  test('names the budgets of a pod before it is deleted', async () => {
    const labels = { app: 'counted' };
    const containers = [{ name: 'c', image: 'i' }];
    await client()
      .resource(Pod)
      .namespace('default')
      .create({ metadata: { name: 'counted', labels }, spec: { containers } });
    await client()
      .resource(PodDisruptionBudget)
      .namespace('default')
      .create({ metadata: { name: 'few' }, spec: { minAvailable: 1, selector: { matchLabels: labels } } });
    await browser.api.settled();
    const tab = await browser.visit('r/core/v1/pods/default/counted');
    expect(
      await tab(`
        await see('.yaml .line', 'counted');
        press('d');
        return (await see('dialog [aria-label="Disruption budgets"] li')).textContent;`),
    ).toBe('▲ PodDisruptionBudget few counts it, and allows 0 evictions now. A deletion does not ask it.');
    expect(await Browser.objections(tab)).toEqual([]);
  }, 300_000);
});
