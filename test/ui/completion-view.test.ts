import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CustomResourceDefinition, Pod } from '../../src/entries/index.js';
import { chromiumProgram } from '../client/browser/chromium.js';
import { Browser, type Tab } from './browser.js';

/** The hands for the list of completions, which is in the shadow tree of the editor. */
const LIST = `
  const root = () => document.querySelector('.editor').shadowRoot;
  const options = () => [...root().querySelectorAll('[role=listbox] [role=option]')];
  const labelOf = (option) => option.querySelector('.cm-completionLabel').textContent;
  /** Waits until an option is the chosen one, and until the list takes keys: it ignores those of the first moment. */
  const chosen = async (label) => {
    await until(() => options().some((each) => labelOf(each) === label && each.ariaSelected === 'true'));
    await new Promise((resolve) => setTimeout(resolve, 150));
    return options().map(labelOf);
  };`;

describe.skipIf(chromiumProgram === undefined)('completion in Chromium', () => {
  let browser: Browser;
  const client = () => browser.api.server.client();
  /** Takes the option that is chosen. */
  const take = async (tab: Tab, label: string): Promise<unknown> => {
    const labels = await tab(`${LIST} return chosen('${label}');`);
    await tab.pressed('Enter');
    return labels;
  };
  const textIn = (tab: Tab): Promise<unknown> => tab(`return written(await editor());`);

  beforeAll(async () => {
    browser = await Browser.start();
  }, 300_000);
  afterAll(() => browser?.close());
  afterEach(() => browser.leave());

  test('writes a container of a pod by the schema, with the keys alone', async () => {
    const tab = await browser.visit('r/core/v1/pods?new=yaml');
    await tab(
      `await write('apiVersion: v1\\nkind: Pod\\nmetadata:\\n  name: completed\\n  namespace: default\\nspec:\\n  ');`,
    );
    await tab.typed('cont');
    await tab(`${LIST} await chosen('containers');`);
    expect(
      await tab(`${LIST}
        const info = await until(() => root().querySelector('.cm-completionInfo')?.textContent);
        const content = await editor();
        return [info, root().getElementById(content.getAttribute('aria-activedescendant')) === options()[0]];`),
    ).toEqual([expect.stringMatching(/^containers.*list of object, required.*Containers that run concurrently/), true]);
    expect(await Browser.objections(tab)).toEqual([]);
    await tab.pressed('Enter');
    // The keys of an item follow, what is required first.
    expect(await take(tab, 'name')).toEqual(expect.arrayContaining(['image', 'resources', 'livenessProbe']));
    await tab.typed('main');
    await tab.pressed('Enter');
    await tab.typed('image');
    expect(await take(tab, 'image')).toEqual(expect.arrayContaining(['imagePullPolicy']));
    await tab.typed('example:1');
    await tab.pressed('Enter');
    // A key that is already there is not offered again.
    await tab.pressed(' ', 2);
    expect(await tab(`${LIST} await until(() => options().length > 0); return options().map(labelOf);`)).not.toEqual(
      expect.arrayContaining(['image']),
    );
    await tab.pressed('Escape');
    await tab.typed('imagePull');
    await take(tab, 'imagePullPolicy');
    const choices = await tab(`${LIST} return chosen('Always');`);
    expect(choices).toEqual(['Always', 'IfNotPresent', 'Never']);
    await tab.pressed('ArrowDown');
    await take(tab, 'IfNotPresent');
    await tab.pressed('Enter');
    await tab.typed('tty');
    await take(tab, 'tty');
    await take(tab, 'true');
    expect(await textIn(tab)).toMatch(
      /spec:\n  containers:\n    - name: main\n      image: example:1\n      imagePullPolicy: IfNotPresent\n      tty: true$/,
    );
    await tab(`await click('button.main', 'Create'); await see('.line', 'IfNotPresent');`);
    const { spec } = await client().resource(Pod).namespace('default').get('completed');
    expect(spec?.containers[0]).toMatchObject({ image: 'example:1', imagePullPolicy: 'IfNotPresent', tty: true });
  }, 300_000);

  test('knows the schema of a custom kind, also in a text that is not YAML yet', async () => {
    const spec = {
      type: 'object',
      properties: {
        mode: { type: 'string', description: 'How much is copied.', enum: ['full', 'partial'] },
        rules: {
          type: 'array',
          items: { type: 'object', required: ['from'], properties: { from: { type: 'string' } } },
        },
      },
    } as const;
    await client()
      .resource(CustomResourceDefinition)
      .create({
        metadata: { name: 'backups.example.com' },
        spec: {
          ...{ group: 'example.com', scope: 'Namespaced', names: { plural: 'backups', kind: 'Backup' } },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
            },
          ],
        },
      });
    await browser.api.settled();
    const tab = await browser.visit('r/example.com/v1/backups?new=yaml');
    await tab(`await write('broken: [\\napiVersion: example.com/v1\\nkind: Backup\\nspec:\\n  ');`);
    await tab.typed('mo');
    await take(tab, 'mode');
    expect(await take(tab, 'full')).toEqual(['full', 'partial']);
    await tab.pressed('Enter');
    await tab.typed('ru');
    await take(tab, 'rules');
    await take(tab, 'from');
    expect(await textIn(tab)).toMatch(/spec:\n  mode: full\n  rules:\n    - from: $/);
    await tab(`await write('apiVersion: v1\\nkind: ');`);
    await tab.typed('Conf');
    expect(await take(tab, 'ConfigMap')).toEqual(['ConfigMap']);
  }, 300_000);

  test('a pattern that could hang the tab is compared as the server compares it', async () => {
    const word = { type: 'string', pattern: '^(a+)+$' };
    const openAPIV3Schema = { type: 'object', properties: { word } } as const;
    await client()
      .resource(CustomResourceDefinition)
      .create({
        metadata: { name: 'words.example.com' },
        spec: {
          ...{ group: 'example.com', scope: 'Namespaced', names: { plural: 'words', kind: 'Word' } },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
        },
      });
    await browser.api.settled();
    const tab = await browser.visit('r/example.com/v1/words?new=yaml');
    const head = 'apiVersion: example.com/v1\\nkind: Word\\nmetadata:\\n  name: w\\n';
    await tab(`await write('${head}word: ${'a'.repeat(60)}!');`);
    expect(await tab(`return (await see('[aria-label=Problems] li')).textContent;`)).toBe('▲ word must match ^(a+)+$');
    await tab(`await write('${head}word: ${'a'.repeat(60)}'); await gone('[aria-label=Problems] li');`);
  }, 300_000);
});
