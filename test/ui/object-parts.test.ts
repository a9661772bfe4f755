import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ConfigMap, CustomResourceDefinition, Deployment, Pod, Secret, Service } from '../../src/entries/index.js';
import type { TestServer } from '../../src/entries/testing.js';
import { authority, base64, certificatePem, requestPem } from '../support/certificates.js';
import { chromiumProgram } from '../client/browser/chromium.js';
import { Browser, type Tab } from './browser.js';

describe.skipIf(chromiumProgram === undefined)('the parts of an object in Chromium', () => {
  let browser: Browser;
  let api: TestServer;
  const visit = (path?: string): Promise<Tab> => browser.visit(path);
  const client = () => api.server.client({ fieldManager: 'shop' });
  const maps = () => client().resource(ConfigMap).namespace('default');
  const deployments = () => client().resource(Deployment).namespace('default');
  const labels = { app: 'w' };
  const deployment = (name: string) => ({
    metadata: { name },
    spec: {
      ...{ replicas: 2, selector: { matchLabels: labels } },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });
  /** The hands for a form: the field with a label, by the names on the way to it. */
  const FORM = `
    const field = (title, within = document) =>
      [...within.querySelectorAll('.field')].find((each) => each.querySelector('label').firstChild.textContent === title);
    const group = (title, within = document) =>
      [...within.querySelectorAll('details')].find((each) => each.querySelector('summary').firstChild.textContent === title);
    const input = (title, within) => field(title, within)?.querySelector('input, select, textarea');
    const open = async (title, within) => {
      const found = await until(() => group(title, within));
      if (!found.open) found.querySelector('summary').click();
      await until(() => found.querySelector('.inside'));
      return found;
    };
    const add = async (name, place, within) => {
      const choice = await until(() => document.querySelector('[aria-label="Field to add in ' + place + '"]'));
      enter(choice, name);
      await until(() => !choice.nextElementSibling.disabled);
      choice.nextElementSibling.click();
    };`;

  beforeAll(async () => {
    browser = await Browser.start();
    ({ api } = browser);
  }, 300_000);
  afterAll(() => browser?.close());
  afterEach(() => browser.leave());

  describe('a form', () => {
    test('has the fields of the schema with what they are for, and edits the same draft as the editor', async () => {
      await deployments().create(deployment('form'));
      const tab = await visit('r/apps/v1/deployments/default/form?tab=edit');
      // A comment at the beginning of the text.
      await tab(`
        const content = await editor();
        content.focus();
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', '# kept\\n');
        content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
        await click('[role=tab]', 'Form');`);
      expect(
        await tab(`${FORM}
          const spec = await open('spec');
          const about = field('replicas', spec).querySelector('.about').textContent;
          enter(input('replicas', spec), '3');
          await see('button.main', 'Save 1 field');
          await add('paused', 'spec');
          await until(() => document.activeElement === input('paused', spec));
          input('paused', spec).click();
          await see('button.main', 'Save 2 fields');
          await click('button', 'Dry run');
          const changes = [...(await see('[aria-label="Dry run"]')).querySelectorAll('li')].map((li) => li.textContent);
          return [about.startsWith('Number of pods'), changes];`),
      ).toEqual([true, expect.arrayContaining(['spec.replicas: 2 → 3', 'spec.paused: nothing → true'])]);
      expect(await Browser.objections(tab)).toEqual([]);
      await tab(`
        await click('[role=tab]', 'Edit');
        const lines = () => [...document.querySelector('.editor').shadowRoot.querySelectorAll('.cm-line')];
        const text = lines().map((line) => line.textContent);
        if (!text.includes('# kept') || !text.includes('  replicas: 3')) throw new Error(text.join('\\n'));
        await click('button.main', 'Save 2 fields');
        await see('[role=status]', '✓ Saved');`);
      expect((await deployments().get('form')).spec).toMatchObject({ replicas: 3, paused: true });
    });

    test('enters choices, lists and maps, and says what the schema objects to while one types', async () => {
      await deployments().create(deployment('lists'));
      const tab = await visit('r/apps/v1/deployments/default/lists?tab=form');
      expect(
        await tab(`${FORM}
          enter(input('replicas', await open('spec')), 'many');
          const problem = await see('[aria-label=Problems] li', 'spec.replicas');
          const there = field('replicas').querySelector('.about .bad').textContent.trim();
          const invalid = input('replicas').getAttribute('aria-invalid');
          enter(input('replicas'), '4');
          await gone('[aria-label=Problems] li');
          return [problem.textContent, there, invalid];`),
      ).toEqual(['▲ spec.replicas must be an integer', '✕ must be an integer', 'true']);
      await tab(`${FORM}
        const pod = await open('spec', await open('template', await open('spec')));
        const containers = await open('containers', pod);
        const first = await open('1 c', containers);
        enter(input('imagePullPolicy', first), 'Never');
        await add('env', 'spec.template.spec.containers.0');
        const env = await open('env', first);
        await until(() => document.activeElement === env.querySelector('summary'));
        await click('[aria-label="Add an item in env"]');
        enter(await until(() => input('name', env)), 'LEVEL');
        await add('value', 'spec.template.spec.containers.0.env.0');
        enter(await until(() => input('value', env)), 'debug');
        const meta = await open('metadata');
        await add('labels', 'metadata');
        await open('labels', meta);
        enter(await until(() => document.querySelector('[aria-label="New key in metadata.labels"]')), 'tier');
        await until(() => !document.querySelector('[aria-label="Add the key in metadata.labels"]').disabled);
        await click('[aria-label="Add the key in metadata.labels"]');
        enter(await until(() => input('tier', meta)), 'front');
        await add('ownerReferences', 'metadata');
        await click('[aria-label="Remove ownerReferences"]');
        await gone('summary', 'ownerReferences');
        await gone('[aria-label=Problems] li');
        await see("button.main", "Save 3 fields");
        await click('button.main', 'Save');
        await see('[role=status]', '✓ Saved');`);
      const saved = await deployments().get('lists');
      expect(saved.metadata.labels).toEqual({ tier: 'front' });
      expect(saved.spec?.replicas).toBe(4);
      expect(saved.spec?.template.spec?.containers[0]).toMatchObject({
        imagePullPolicy: 'Never',
        env: [{ name: 'LEVEL', value: 'debug' }],
      });
    });

    test('creates an object of a custom kind, keeps fields without a schema, and works at 360 px', async () => {
      const properties = {
        mode: { type: 'string', description: 'How much is copied.', enum: ['full', 'partial'] },
        count: { type: 'integer', minimum: 3, default: 5 },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      } as const;
      const openAPIV3Schema = {
        type: 'object',
        properties: { spec: { type: 'object', required: ['mode'], properties } },
      } as const;
      await client()
        .resource(CustomResourceDefinition)
        .create({
          metadata: { name: 'archives.example.com' },
          spec: {
            ...{ group: 'example.com', scope: 'Namespaced', names: { plural: 'archives', kind: 'Archive' } },
            versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
          },
        });
      await api.settled();
      const tab = await visit('r/example.com/v1/archives?new=form');
      expect(
        await tab(`${FORM}
          enter(await until(() => input('name')), 'nightly');
          const spec = await open('spec');
          const mode = input('mode', spec);
          const choices = [...mode.options].map((option) => option.value);
          enter(mode, 'partial');
          await add('count', 'spec');
          const about = (await until(() => field('count', spec))).querySelector('.about').textContent.trim();
          enter(input('count', spec), '2');
          await see('[aria-label=Problems] li', 'must be at least 3');
          enter(input('count', spec), '7');
          await add('free', 'spec');
          enter(await until(() => input('free', spec)), 'any: [thing]');
          await gone('[aria-label=Problems] li');
          const wide = document.documentElement.scrollWidth;
          await click('button.main', 'Create');
          await see('.line', 'count: 7');
          return [choices, about];`),
      ).toEqual([['full', 'partial'], 'Default: 5.']);
      const archives = client().resource({ apiVersion: 'example.com/v1', kind: 'Archive' }).namespace('default');
      expect((await archives.get('nightly'))['spec']).toEqual({ mode: 'partial', count: 7, free: { any: ['thing'] } });
      expect(await browser.narrow(`r/example.com/v1/archives/default/nightly?tab=form`, '.form .field')).toBeLessThan(
        361,
      );
    });
  });

  describe('a graph', () => {
    test('draws owners and dependants, folds many, is zoomed, and is used by the keys alone', async () => {
      const parent = await deployments().create(deployment('g'));
      const refer = (kind: string, name: string, uid = '', apiVersion = 'v1') => [{ apiVersion, kind, name, uid }];
      const ofParent = refer('Deployment', 'g', parent.metadata.uid, 'apps/v1');
      const child = await maps().create({ metadata: { name: 'g-child', ownerReferences: ofParent } });
      const ofChild = refer('ConfigMap', 'g-child', child.metadata.uid);
      for (let index = 0; index < 12; index += 1)
        await client()
          .resource(Secret)
          .namespace('default')
          .create({ metadata: { name: `g-${index}`, ownerReferences: ofChild } });
      await maps().create({ metadata: { name: 'g-grandchild', ownerReferences: ofChild } });
      const tab = await visit('r/core/v1/configmaps/default/g-child?tab=graph');
      expect(
        await tab(`
          await see('.graph .fold', 'Secret × 12');
          await see('[role=status]', '4 shown');
          const nameOf = (element) => element.querySelector('title')?.textContent;
          const all = [...document.querySelectorAll('.graph .node')].map(nameOf);
          const root = find('.graph .root');
          root.focus();
          press('ArrowLeft');
          const left = nameOf(document.activeElement);
          press('ArrowRight');
          press('ArrowRight');
          const right = nameOf(document.activeElement);
          const widthOf = () => Number(document.querySelector('.graph svg').getAttribute('width'));
          const before = widthOf();
          press('+');
          await see('[role=status]', '140 %');
          const zoomed = widthOf() / before;
          press('0');
          await gone('[role=status]', '140 %');
          return [all, left, right, zoomed];`),
      ).toEqual([
        expect.arrayContaining([
          'g Deployment · owner',
          'g-child ConfigMap · default',
          'Secret × 12 press to unfold',
          'g-grandchild ConfigMap · default',
        ]),
        'g Deployment · owner',
        expect.stringMatching(/Secret × 12|g-grandchild/),
        expect.closeTo(1.4),
      ]);
      expect(await Browser.objections(tab)).toEqual([]);
      await client()
        .resource(Secret)
        .namespace('default')
        .create({ metadata: { name: 'g-12', ownerReferences: ofChild } });
      await tab(`
        await see('[role=status]', '; changes are not followed');
        await click('button', 'Read again');
        await see('.graph .fold', 'Secret × 13');`);
      await client().resource(Secret).namespace('default').delete('g-12');
      await tab(`await click('button', 'Read again'); await see('.graph .fold', 'Secret × 12');`);
      expect(
        await tab(`
          const fold = find('.graph .fold', 'Secret × 12');
          fold.focus();
          press('Enter', fold);
          await see('[role=status]', '15 shown');
          const owner = find('.graph a', 'Deployment');
          owner.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
          await see('h1', 'Deployment g');
          await see('.graph a', 'g-child');
          return location.pathname + location.search;`),
      ).toBe('/ui/r/apps/v1/deployments/default/g?tab=graph');
    });
  });

  describe('references in a graph', () => {
    test('are drawn dashed with their fields, both ways, and can be switched off', async () => {
      await client()
        .resource(Secret)
        .namespace('default')
        .create({ metadata: { name: 'r-tls' } });
      await client()
        .resource(Pod)
        .namespace('default')
        .create({
          metadata: { name: 'r-pod', labels: { app: 'r' } },
          spec: {
            containers: [{ name: 'c', image: 'i' }],
            volumes: [
              { name: 'tls', secret: { secretName: 'r-tls' } },
              ...Array.from({ length: 12 }, (_, index) => ({ name: `m${index}`, configMap: { name: `r-${index}` } })),
            ],
          },
        });
      await client()
        .resource(Service)
        .namespace('default')
        .create({ metadata: { name: 'r-front' }, spec: { selector: { app: 'r' }, ports: [{ port: 80 }] } });
      const tab = await visit('r/core/v1/pods/default/r-pod?tab=graph');
      expect(
        await tab(`
          await see('.graph title', 'r-front Service by spec.selector');
          const named = (await see('.graph title', 'r-tls')).textContent;
          const dashed = document.querySelectorAll('.graph .edge.reference').length;
          const more = find('.graph title', 'more').textContent;
          return [named, dashed > 10, more];`),
      ).toEqual([
        'r-tls Secret in secret.secretName (spec.volumes[0].secret.secretName)',
        true,
        expect.stringMatching(/^\d+ more references$/),
      ]);
      expect(await Browser.objections(tab)).toEqual([]);
      expect(
        await tab(`
          find('label', 'References').querySelector('input').click();
          await gone('.graph title', 'r-front');
          const left = document.querySelectorAll('.graph .edge.reference').length;
          find('label', 'References').querySelector('input').click();
          const secret = (await see('.graph title', 'r-tls')).closest('a');
          secret.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
          await see('h1', 'r-tls');
          return [left, (await see('.graph title', 'r-pod')).textContent];`),
      ).toEqual([0, 'r-pod Pod in secret.secretName (spec.volumes[0].secret.secretName)']);
    });
  });

  describe('decoded', () => {
    test('are the certificates, requests, tokens and kubeconfigs of an object, of a Secret when it is asked', async () => {
      const ca = await authority('ca');
      const pem = await certificatePem(ca);
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const token = `${part({ alg: 'RS256' })}.${part({ sub: 'robot', exp: 4_102_444_800 })}.c2ln`;
      await client()
        .resource(Secret)
        .namespace('default')
        .create({
          metadata: { name: 'tls' },
          data: {
            'tls.crt': base64(pem + ca.certificatePem),
            token: base64(token),
            'r.csr': base64(await requestPem()),
          },
        });
      const tab = await visit('r/core/v1/secrets/default/tls?tab=decoded');
      expect(
        await tab(`
          await see('p', 'have to be shown before');
          const early = performance.getEntriesByType('resource').length;
          await click('button', 'Show the values');
          await see('.decoded summary', 'Certificate CN=alice');
          const text = (name) => find('section', name).textContent;
          return [
            [...document.querySelectorAll('.decoded h2')].map((h2) => h2.textContent).sort(),
            text('tls.crt').includes('CN=alice ← CN=ca (self-signed)'),
            text('token').includes('Token of robot'),
            text('r.csr').includes('by the key of the request'),
            performance.getEntriesByType('resource').length > early,
          ];`),
      ).toEqual([['data.r.csr', 'data.tls.crt', 'data.token'], true, true, true, true]);
      expect(await Browser.objections(tab)).toEqual([]);
      // The global object is as it was.
      expect(await tab(`return ['getMetadata', 'getOwnMetadata'].filter((name) => name in Reflect);`)).toEqual([]);
    });
    test('are none of an object without any', async () => {
      await maps().create({ metadata: { name: 'plain' } });
      const tab = await visit('r/core/v1/configmaps/default/plain?tab=decoded');
      expect(await tab(`return (await see('p', 'has no certificate')).textContent;`)).toMatch(/kubeconfig\.$/);
    });
  });

  test('what YAML refers to is a link', async () => {
    const pods = client().resource(Pod).namespace('default');
    await maps().create({ metadata: { name: 'settings' } });
    await pods.create({
      metadata: { name: 'linked' },
      spec: {
        containers: [{ name: 'c', image: 'i', envFrom: [{ configMapRef: { name: 'settings' } }] }],
        volumes: [{ name: 'v', secret: { secretName: 'keys' } }],
      },
    });
    const tab = await visit('r/core/v1/pods/default/linked');
    expect(
      await tab(`
        await see('.yaml .line a', 'settings');
        const links = [...document.querySelectorAll('.yaml .line a')].map((a) => a.textContent + ' ' + a.pathname);
        find('.yaml .line a', 'settings').click();
        await see('h1', 'ConfigMap settings');
        return links;`),
    ).toEqual(
      expect.arrayContaining([
        'default /ui/r/core/v1/namespaces/-/default',
        'settings /ui/r/core/v1/configmaps/default/settings',
        'keys /ui/r/core/v1/secrets/default/keys',
      ]),
    );
  });

  describe('columns', () => {
    test('are chosen, ordered and widened, with labels and annotations, and are in the address', async () => {
      const annotations = { note: 'hello', other: 'x' };
      await maps().create({ metadata: { name: 'col-1', labels: { tier: 'b' }, annotations } });
      await maps().create({ metadata: { name: 'col-2', labels: { tier: 'a' } } });
      const tab = await visit('r/core/v1/configmaps?q=col-');
      expect(
        await tab(`
          const heads = () => [...document.querySelectorAll('[role=columnheader].cell')].map((head) => head.textContent);
          await see('.row', 'col-1');
          const before = heads();
          await click('button', 'Columns');
          const dialog = await see('dialog');
          const item = (title) => find('ul.columns li', title);
          item('Namespace').querySelector('input').click();
          await until(() => !heads().includes('Namespace'));
          for (const [form, key] of [['label:', 'tier'], ['annotation:', 'note']]) {
            enter(dialog.querySelector('form select'), form);
            enter(dialog.querySelector('form input'), key);
            await until(() => !dialog.querySelector('form button').disabled);
            dialog.querySelector('form button').click();
            await until(() => heads().includes(key) && heads().includes('Name'));
          }
          await click('[aria-label="tier earlier"]');
          await until(() => heads().indexOf('tier') === 2);
          enter(dialog.querySelector('[aria-label="Width of tier in pixels"]'), '240');
          await until(() => location.search.includes('240'));
          return [before, heads(), location.search];`),
      ).toEqual([
        ['Name', 'Namespace', 'Data', 'Age'],
        ['Name', 'Data', 'tier', 'Age', 'note'],
        '?q=col-&cols=name%2Cdata%2Clabel%3Atier%7E240%2Cage%2Cannotation%3Anote',
      ]);
      expect(await Browser.objections(tab)).toEqual([]);
      const path = await tab(`
        await click('dialog button', 'Close');
        await gone('dialog');
        await click('[role=columnheader] button', 'tier');
        await until(() => find('[aria-sort=ascending]', 'tier'));
        return location.pathname.slice(4) + location.search;`);
      const shared = await visit(String(path));
      expect(
        await shared(`
          await see('.row', 'hello');
          const head = find('[role=columnheader]', 'tier');
          return [names(), head.offsetWidth, [...find('.row', 'col-1').querySelectorAll('.cell')].map((cell) => cell.textContent).slice(0, 3)];`),
      ).toEqual([['col-2', 'col-1'], 240, ['col-1', '0', 'b']]);
      await maps().patch('col-2', { metadata: { annotations: { note: 'later' } } });
      await shared(`await see('.row', 'later');`);
    });
  });
});
