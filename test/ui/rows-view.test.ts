import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ConfigMap, Deployment, Pod, Secret } from '../../src/entries/index.js';
import { PodDisruptionBudget } from '../../src/entries/kinds.js';
import { chromiumProgram } from '../client/browser/chromium.js';
import { Browser } from './browser.js';

describe.skipIf(chromiumProgram === undefined)('rows in Chromium', () => {
  let browser: Browser;
  const client = () => browser.api.server.client({ fieldManager: 'shop' });
  const maps = () => client().resource(ConfigMap).namespace('default');
  const containers = [{ name: 'c', image: 'i' }];

  beforeAll(async () => {
    browser = await Browser.start();
  }, 300_000);
  afterAll(() => browser?.close());
  afterEach(() => browser.leave());

  test('are selected by keys, labelled together, and deleted after their consequences were listed', async () => {
    for (const name of ['b-1', 'b-2', 'b-3']) await maps().create({ metadata: { name, labels: { old: 'yes' } } });
    const { metadata } = await maps().get('b-1');
    await client()
      .resource(Secret)
      .namespace('default')
      .create({
        metadata: {
          name: 'depends',
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'b-1', uid: metadata.uid ?? '' }],
        },
      });
    await maps().patch('b-2', { metadata: { finalizers: ['example.com/wait'] } });
    const tab = await browser.visit('r/core/v1/configmaps?ns=default&q=b-&sort=name');
    expect(
      await tab(`
        await see('.row', 'b-3');
        press('j'); await see('[aria-selected=true]', 'b-1');
        press('x'); await see('[role=toolbar]', '1 selected');
        press('j'); await see('[aria-selected=true]', 'b-2');
        press(' '); await see('[role=toolbar]', '2 selected');
        press('x'); await see('[role=toolbar]', '1 selected');
        press('X'); await see('[role=toolbar]', '3 selected');
        press('X'); await gone('[role=toolbar]');
        press('x'); await see('[role=toolbar]', '1 selected');
        // The box of a row, and a click on it, which opens nothing.
        find('.body .row', 'b-1').querySelector('input').click();
        await see('[role=toolbar]', '2 selected');
        const boxes = [...document.querySelectorAll('.body input')].map((box) => [box.ariaLabel, box.checked]);
        return [boxes, location.search];`),
    ).toEqual([
      [
        ['Select b-1', true],
        ['Select b-2', true],
        ['Select b-3', false],
      ],
      '?ns=default&q=b-&sort=name',
    ]);
    expect(await Browser.objections(tab)).toEqual([]);
    await tab(`
      await click('[role=toolbar] button', 'Label…');
      const text = await until(() => document.querySelector('dialog input'));
      enter(text, 'not a label');
      await until(() => find('dialog button.main').disabled);
      enter(text, 'app=web old-');
      await until(() => !find('dialog button.main').disabled);
      await click('dialog button.main');
      await gone('dialog');
      await gone('[role=toolbar]');`);
    const labels = async () =>
      (await maps().list()).items.flatMap(({ metadata: { labels } }) => (labels === undefined ? [] : [labels]));
    expect(await labels()).toEqual([{ app: 'web' }, { app: 'web' }, { old: 'yes' }]);
    expect(
      await tab(`
        press('X');
        await click('[role=toolbar] button.danger', 'Delete…');
        await see('dialog [aria-label=Consequences]');
        await gone('dialog p', 'Looking');
        const told = [...document.querySelectorAll('dialog [aria-label=Consequences] p')].map((p) => p.textContent);
        return [find('dialog').ariaLabel, told];`),
    ).toEqual([
      'Delete 3 configmaps',
      expect.arrayContaining([
        'These are deleted with them, and what depends on them: Secret depends.',
        'These stay until their finalizers are removed: b-2 (example.com/wait).',
      ]),
    ]);
    expect(await Browser.objections(tab)).toEqual([]);
    await tab(`await click('dialog button.danger', 'Delete 3'); await gone('dialog');`);
    expect((await maps().list({ labelSelector: 'app=web' })).items.map(({ metadata: { name } }) => name)).toEqual([
      'b-2',
    ]);
    await maps().patch('b-2', { metadata: { finalizers: null } });
  }, 300_000);

  test('are scaled and restarted together, and a failure of one is told with its name', async () => {
    const deployments = client().resource(Deployment).namespace('default');
    for (const name of ['d-1', 'd-2'])
      await deployments.create({
        metadata: { name },
        spec: {
          replicas: 1,
          selector: { matchLabels: { app: name } },
          template: { metadata: { labels: { app: name } }, spec: { containers } },
        },
      });
    await browser.api.settled();
    const tab = await browser.visit('r/apps/v1/deployments?ns=default&q=d-&sort=name');
    await tab(`
      await see('.row', 'd-2');
      await click('input[aria-label="Select all rows"]');
      await click('[role=toolbar] button', 'Scale…');
      enter(await until(() => document.querySelector('dialog input[type=number]')), '3');
      await click('dialog button.main', 'Scale 2');
      await gone('dialog');`);
    const replicas = async () => (await deployments.list()).items.map(({ spec }) => spec?.replicas);
    expect(await replicas()).toEqual([3, 3]);
    // One goes after it was selected: its row is struck out, and the other is done.
    expect(
      await tab(`
        press('X');
        await see('[role=toolbar]', '2 selected');
        await click('[role=toolbar] button', 'Restart…');
        await see('dialog h1', 'Restart 2 deployments');
        return true;`),
    ).toBe(true);
    await deployments.delete('d-2');
    expect(
      await tab(`
        await click('dialog button.main', 'Restart 2');
        const failed = (await see('dialog [role=alert] li')).textContent;
        const done = (await see('dialog [role=status]', '1 of 2 done')).textContent;
        await click('dialog button', 'Close');
        await gone('dialog');
        return [failed, done];`),
    ).toEqual([expect.stringMatching(/^✕ d-2: deployments.apps "d-2" not found/), '1 of 2 done']);
    const [restarted] = (await deployments.list()).items;
    expect(restarted?.spec?.template?.metadata?.annotations?.['restartedAt']).toBeDefined();
  }, 300_000);

  test('of pods name the budgets that count them', async () => {
    const labels = { app: 'counted' };
    const pods = client().resource(Pod).namespace('default');
    for (const name of ['p-1', 'p-2']) await pods.create({ metadata: { name, labels }, spec: { containers } });
    await client()
      .resource(PodDisruptionBudget)
      .namespace('default')
      .create({ metadata: { name: 'few' }, spec: { minAvailable: 1, selector: { matchLabels: labels } } });
    await browser.api.settled();
    const tab = await browser.visit('r/core/v1/pods?ns=default&q=p-');
    expect(
      await tab(`
        await see('.row', 'p-2');
        press('X');
        await click('[role=toolbar] button.danger', 'Delete…');
        return (await see('dialog p', 'PodDisruptionBudget')).textContent;`),
    ).toBe('▲ PodDisruptionBudget few counts some of them, and allows 0 evictions now. A deletion does not ask it.');
  }, 300_000);

  test('stay where they are under the pointer and while one is in use, and others wait', async () => {
    for (const name of ['h-2', 'h-4']) await maps().create({ metadata: { name } });
    const tab = await browser.visit('r/core/v1/configmaps?ns=default&q=h-&sort=name');
    await tab(`
      await see('.row', 'h-4');
      await see('[role=status]', '● live');
      find('.grid').dispatchEvent(new PointerEvent('pointerenter', { pointerType: 'mouse' }));`);
    await maps().create({ metadata: { name: 'h-1' } });
    await maps().delete('h-2');
    await maps().patch('h-4', { data: { a: '1' } });
    // The rows change, but none moves.
    expect(
      await tab(`
        await see('[role=status] button', '1 new');
        await see('.row.gone', 'h-2');
        await until(() => find('.row', 'h-4').textContent.includes('1'));
        return [...document.querySelectorAll('.body .row .cell:nth-child(2)')].map((cell) => cell.textContent);`),
    ).toEqual(['h-2', 'h-4']);
    expect(
      await tab(`
        find('.grid').dispatchEvent(new PointerEvent('pointerleave', { pointerType: 'mouse' }));
        await see('.row', 'h-1');
        await gone('.row', 'h-2');
        press('j');
        await see('[aria-selected=true]', 'h-1');
        return names();`),
    ).toEqual(['h-1', 'h-4']);
    await maps().create({ metadata: { name: 'h-0' } });
    expect(
      await tab(`
        await click('[role=status] button', '1 new');
        await see('.row', 'h-0');
        const selected = find('[aria-selected=true]').textContent.includes('h-1');
        press('Escape');
        await gone('[aria-selected=true]');
        return [selected, names()];`),
    ).toEqual([true, ['h-0', 'h-1', 'h-4']]);
  }, 300_000);

  test('are selected on a screen of 360 pixels', async () => {
    await maps().create({ metadata: { name: 'narrow' } });
    expect(await browser.narrow('r/core/v1/configmaps?ns=default', '.row')).toBeLessThanOrEqual(360);
  }, 300_000);
});
