import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigMap, Deployment, Role, RoleBinding, Secret } from '../../src/entries/index.js';
import { authority, base64, certificatePem } from '../support/certificates.js';
import { chromiumProgram } from '../client/browser/chromium.js';
import { Browser, type Tab } from './browser.js';

/** The pictures of docs/guides/ui.md. `UPDATE_PICTURES=1` makes them. */
const folder = fileURLToPath(new URL('../../docs/guides/ui/', import.meta.url));
const isUpdate = process.env['UPDATE_PICTURES'] === '1';
const MOST_BYTES = 600 * 1024;

/** Lists the parts of a view that do not depend on fonts: its headings, controls and columns. */
const OUTLINE = `
  const parts = 'h1, h2, [role=tab], main button:not(.fold, td .plain), [role=columnheader], th, summary, main label, .graph title';
  return [...document.querySelectorAll(parts)].map((element) =>
    (element.getAttribute('aria-label') ?? element.textContent)
      .trim()
      .replace(/\\s+/g, ' ')
      // Names of pods, times and versions are others each time.
      .replace(/web-(?!env)[\\w-]+/, 'web-…')
      .replace(/\\d[^·]*$/, '#')
      .replace(/\\d+/g, '#'),
  );`;

/** Programs that make a view ready, by the name of its picture. */
const VIEWS = [
  [
    'home',
    '',
    `await see('li', 'ConfigMap'); await gone('li span', '…'); await see('[aria-label="Needs attention"]');`,
  ],
  [
    'table',
    'r/apps/v1/deployments?ns=shop&cols=name~200,namespace,ready,available,label:tier,age',
    `await see('.row', 'worker'); await see('[role=status]', '● live');`,
  ],
  ['object', 'r/apps/v1/deployments/shop/web', `await see('.line', 'replicas');`],
  ['form', 'r/apps/v1/deployments/shop/web?tab=form', `await see('.form .field', 'replicas');`],
  [
    'edit',
    'r/apps/v1/deployments/shop/web?tab=form',
    `enter(await see('[id="field-spec.replicas"]'), '5');
     await click('[role=tab]', 'Edit');
     await see('button.main', 'Save 1 field');
     await click('button', 'Dry run');
     await see('[aria-label="Dry run"] li');
     document.querySelector('main').scrollTop = 1000;`,
  ],
  ['history', 'r/core/v1/configmaps/shop/settings?tab=history', `await see('.versions button', 'gardener');`],
  [
    'graph',
    'r/apps/v1/deployments/shop/web?tab=graph',
    `await see('.graph .fold', '× 12'); await see('[role=status]', '7 shown');`,
  ],
  [
    'decoded',
    'r/core/v1/secrets/shop/web-tls?tab=decoded',
    `await click('button', 'Show the values'); await see('.decoded dd', 'CN=');`,
  ],
  [
    'access',
    'access?user=bob&verb=delete&resource=configmaps&namespace=shop',
    `await see('[role=status]', '✕ No'); await see('pre', 'kind: Role');`,
  ],
  [
    'traffic',
    'traffic?path=%2Fconfigmaps',
    `await see('.plots figcaption', 'Requests'); await see('td .plain', '/configmaps');`,
  ],
] as const;

describe.skipIf(chromiumProgram === undefined)('pictures of the page', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await Browser.start();
    await fill(browser);
    await browser.api.settled();
    if (isUpdate) mkdirSync(folder, { recursive: true });
  }, 300_000);
  afterAll(() => browser?.close());

  test.each(VIEWS)('show the view "%s" as it is', async (name, path, ready) => {
    const tab = await browser.visit();
    const { outline, picture } = await tab.resized(1000, 640, async () => {
      // The ages in the picture are those of the server's clock.
      await tab(`
        Date.now = () => ${browser.api.clock.now()};
        history.pushState(null, '', '/ui/${path}');
        dispatchEvent(new PopStateEvent('popstate'));
        ${ready}
        document.activeElement?.blur();
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));`);
      return { outline: (await tab(OUTLINE)) as string[], picture: await tab.picture() };
    });
    await expect(`${outline.join('\n')}\n`).toMatchFileSnapshot(`pictures/${name}.txt`);
    const file = `${folder}${name}.webp`;
    if (isUpdate) writeFileSync(file, Buffer.from(picture, 'base64'));
    expect(existsSync(file), 'UPDATE_PICTURES=1 makes the pictures').toBe(true);
    expect(await difference(tab, picture, readFileSync(file).toString('base64'))).toBeLessThan(12);
    await browser.leave();
  });

  test('are small', () => {
    const bytes = VIEWS.map(([name]) => statSync(`${folder}${name}.webp`).size);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES);
  });
});

/** Returns how much two pictures differ, from 0 to 255 on average: of large areas, so that letters of another font do not count. */
async function difference(tab: Tab, a: string, b: string): Promise<unknown> {
  return tab(`
    const areas = async (text) => {
      const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/webp' }));
      const context = new OffscreenCanvas(20, 16).getContext('2d');
      context.imageSmoothingQuality = 'high';
      context.drawImage(bitmap, 0, 0, 20, 16);
      return { size: [bitmap.width, bitmap.height].join(), data: context.getImageData(0, 0, 20, 16).data };
    };
    const [left, right] = [await areas('${a}'), await areas('${b}')];
    if (left.size !== right.size) return 255;
    return left.data.reduce((sum, value, index) => sum + Math.abs(value - right.data[index]), 0) / left.data.length;`);
}

/** Makes what the pictures show. */
async function fill({ api }: Browser): Promise<void> {
  const client = api.server.client({ fieldManager: 'kubectl' });
  const maps = client.resource(ConfigMap).namespace('shop');
  await client.resource({ apiVersion: 'v1', kind: 'Namespace' }).create({ metadata: { name: 'shop' } });
  for (const [name, tier] of [
    ['web', 'front'],
    ['worker', 'back'],
  ] as const) {
    const labels = { app: name, tier };
    const made = await client
      .resource(Deployment)
      .namespace('shop')
      .create({
        metadata: { name, labels },
        spec: {
          ...{ replicas: 2, selector: { matchLabels: labels } },
          template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'example:1' }] } },
        },
      });
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name, uid: made.metadata.uid ?? '' };
    const child = await maps.create({ metadata: { name: `${name}-env`, ownerReferences: [owner] } });
    const parent = { apiVersion: 'v1', kind: 'ConfigMap', name: `${name}-env`, uid: child.metadata.uid ?? '' };
    for (let index = 0; index < 12; index += 1)
      await client
        .resource(Secret)
        .namespace('shop')
        .create({ metadata: { name: `${name}-${index}`, ownerReferences: [parent] } });
  }
  await client
    .resource(Deployment)
    .namespace('shop')
    .patch('web', { spec: { replicas: 3 } }, { fieldManager: 'hpa' });
  await maps.create({ metadata: { name: 'settings' }, data: { level: 'info', colour: 'blue' } });
  await maps.patch('settings', { data: { level: 'debug' } }, { fieldManager: 'robot' });
  await maps.patch('settings', { data: { size: 'large' } }, { fieldManager: 'gardener' });
  const ca = await authority('shop-ca');
  const data = { 'tls.crt': base64((await certificatePem(ca)) + ca.certificatePem) };
  await client
    .resource(Secret)
    .namespace('shop')
    .create({ metadata: { name: 'web-tls' }, data });
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }];
  await client
    .resource(Role)
    .namespace('shop')
    .create({ metadata: { name: 'reader' }, rules });
  await client
    .resource(RoleBinding)
    .namespace('shop')
    .create({
      metadata: { name: 'readers' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'User', name: 'bob', apiGroup: 'rbac.authorization.k8s.io' }],
    });
}
