import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ConfigMap, CustomResourceDefinition, Deployment, Role } from '../../src/entries/index.js';
import { CertificateSigningRequest } from '../../src/entries/kinds.js';
import type { TestServer } from '../../src/entries/testing.js';
import { base64, requestPem } from '../support/certificates.js';
import { chromiumProgram } from '../client/browser/chromium.js';
import { Browser, type Tab } from './browser.js';

describe.skipIf(chromiumProgram === undefined)('the views of the page in Chromium', () => {
  let browser: Browser;
  let api: TestServer;
  const visit = (path?: string): Promise<Tab> => browser.visit(path);
  const maps = () => api.server.client({ fieldManager: 'shop' }).resource(ConfigMap).namespace('default');

  beforeAll(async () => {
    browser = await Browser.start();
    ({ api } = browser);
  }, 300_000);
  afterAll(() => browser?.close());
  afterEach(() => browser.leave());

  describe('signing in', () => {
    test('by the link of the owner opens the page once, and leaves nothing in the address', async () => {
      const link = new URL(api.server.pageLink(browser.listener.url));
      const path = `r/core/v1/configmaps${link.hash}`;
      const tab = await browser.open(path);
      expect(
        await tab(
          `await see('header', 'system:apiserver'); return [location.hash, document.cookie, localStorage.length];`,
        ),
      ).toEqual(['', '', 0]);
      const again = await browser.open(path);
      expect(await again(`return (await see('.message')).textContent;`)).toMatch(/the code of the link is not valid/);
    });

    test('lasts when the tab reloads, unless it must not be remembered', async () => {
      const tab = await visit();
      await tab.reload();
      await tab(`await see('header', 'alice');`);
      const other = await browser.open();
      await other(`
        enter(await see('input[type=password]'), 'admin');
        find('input[type=checkbox]').click();
        await new Promise((resolve) => setTimeout(resolve));
        await click('button[type=submit]');
        await see('header', 'alice');`);
      expect(await other(`return sessionStorage.length;`)).toBe(0);
      await other.reload();
      expect(await other(`await see('form.sign-in'); return true;`)).toBe(true);
    });
  });

  describe('the history of an object', () => {
    test('shows its versions with their authors, what each changed, and restores fields', async () => {
      const made = await maps().create({ metadata: { name: 'h' }, data: { a: '1', b: '1' } });
      await maps().patch('h', { data: { a: '2' } }, { fieldManager: 'robot' });
      const last = await maps().patch('h', { data: { c: '3' } }, { fieldManager: 'gardener' });
      const tab = await visit('r/core/v1/configmaps/default/h?tab=history');
      expect(
        await tab(`
          await see('.versions button', 'gardener');
          const lines = [...document.querySelectorAll('.versions b')].map((b) => b.textContent);
          const diff = find('.diff tbody tr').textContent;
          press('[');
          await see('.versions button[aria-pressed=true]', 'robot');
          const older = find('.diff tbody tr').textContent;
          return [lines.length, lines[0], lines[2], diff, older, location.search];`),
      ).toEqual([
        3,
        last.metadata.resourceVersion,
        made.metadata.resourceVersion,
        'data.c+ "3"',
        'data.a− "1"+ "2"',
        expect.stringMatching(/^\?tab=history&at=\d+$/),
      ]);
      await tab(`
        press('[');
        await see('.versions button[aria-pressed=true]', 'created');
        await click('button', 'Restore these fields');
        await editor();
        await see('button.main', 'Save 2 fields');
        await click('button.main', 'Save 2 fields');
        await see('[role=status]', '✓ Saved');`);
      expect((await maps().get('h')).data).toEqual({ a: '1', b: '1' });
      expect(await Browser.objections(await visit('r/core/v1/configmaps/default/h?tab=history'))).toEqual([]);
      await maps().delete('h');
    });

    test('of a table goes back to a former state', async () => {
      await maps().create({ metadata: { name: 'past-1' } });
      await api.advance(10_000);
      const { resourceVersion } = (await maps().create({ metadata: { name: 'past-2' } })).metadata;
      await api.advance(10_000);
      await maps().delete('past-1');
      await maps().delete('past-2');
      const tab = await visit(`r/core/v1/configmaps?q=past-&at=${resourceVersion}`);
      expect(await tab(`await see('.row', 'past-2'); return [names(), find('[role=status]').textContent];`)).toEqual([
        ['past-1', 'past-2'],
        expect.stringMatching(new RegExp(`^2 .*shown · ▲ read-only: as of version ${resourceVersion}$`)),
      ]);
      await tab(`
        await click('button', 'Time');
        const slider = await see('input[type=range]');
        enter(slider, slider.max);
        await see('[role=status]', '● live');`);
      expect(await tab(`return [names(), location.search];`)).toEqual([[], '?q=past-']);
    });
  });

  describe('a new object', () => {
    test('begins with an example, is tried out, and made', async () => {
      const tab = await visit('r/core/v1/configmaps?ns=default');
      await tab(`
        await click('button', 'New');
        await rewrite('name: example', 'name: made-here');
        await click('button', 'Dry run');
        await see('[role=status]', 'would accept');`);
      await expect(maps().get('made-here')).rejects.toThrow(/not found/);
      await tab(`await click('button.main', 'Create'); await see('.line', 'made-here');`);
      expect((await maps().get('made-here')).data).toEqual({ key: 'value' });
      expect(await tab(`return location.pathname;`)).toBe('/ui/r/core/v1/configmaps/default/made-here');
      await maps().delete('made-here');
    });

    test('of a custom kind begins with the shortest that its schema accepts', async () => {
      await api.server
        .client()
        .resource(CustomResourceDefinition)
        .create({
          metadata: { name: 'backups.example.com' },
          spec: {
            group: 'example.com',
            scope: 'Namespaced',
            names: { plural: 'backups', kind: 'Backup' },
            versions: [
              {
                ...{ name: 'v1', served: true, storage: true },
                schema: {
                  openAPIV3Schema: {
                    type: 'object',
                    properties: {
                      spec: {
                        type: 'object',
                        required: ['mode', 'count'],
                        properties: {
                          mode: { type: 'string', enum: ['full', 'partial'] },
                          count: { type: 'integer', minimum: 3 },
                          note: { type: 'string' },
                        },
                      },
                    },
                  },
                },
              },
            ],
          },
        });
      await api.settled();
      const tab = await visit('r/example.com/v1/backups?new=1');
      expect(
        await tab(`
          const content = await editor();
          const text = [...content.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\\n');
          await click('button.main', 'Create');
          await see('.line', 'count: 3');
          return text;`),
      ).toContain('spec:\n  mode: full\n  count: 3');
    });
  });

  describe('an object', () => {
    const deployment = () => api.server.client().resource(Deployment).namespace('default');
    beforeAll(async () => {
      const labels = { app: 'w' };
      const made = await deployment().create({
        metadata: { name: 'w' },
        spec: {
          ...{ replicas: 2, selector: { matchLabels: labels } },
          template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      });
      const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'w', uid: made.metadata.uid ?? '' };
      const child = await maps().create({ metadata: { name: 'child', ownerReferences: [owner] } });
      const parent = { apiVersion: 'v1', kind: 'ConfigMap', name: 'child', uid: child.metadata.uid ?? '' };
      await maps().create({ metadata: { name: 'grandchild', ownerReferences: [parent] } });
    });

    test('is scaled and restarted', async () => {
      const tab = await visit('r/apps/v1/deployments/default/w');
      await tab(`
        await click('button', 'Scale');
        enter(await see('dialog input[type=number]'), '5');
        await click('dialog button.main', 'Scale');
        await gone('dialog');
        await see('.line', 'replicas: 5');
        await click('button', 'Restart');
        await click('dialog button.main', 'Restart');
        await gone('dialog');
        await see('.line', 'restartedAt');`);
      expect((await deployment().get('w')).spec?.replicas).toBe(5);
    });

    test('shows its owners and dependants, as far as the user may see them, also before it is deleted', async () => {
      const tab = await visit('r/core/v1/configmaps/default/child?tab=related');
      expect(
        await tab(`
          await see('.tree a', 'grandchild');
          return [...document.querySelectorAll('.tree a')].map((a) => a.textContent + ' ' + a.pathname);`),
      ).toEqual([
        'Deployment w /ui/r/apps/v1/deployments/default/w',
        'ConfigMap grandchild /ui/r/core/v1/configmaps/default/grandchild',
      ]);
      expect(await Browser.objections(tab)).toEqual([]);
      // It says of when it is, and reads it again.
      await tab(`await see('[role=tabpanel] [role=status]', '; changes are not followed');`);
      const child = await maps().get('child');
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'child', uid: child.metadata.uid ?? '' }];
      const second = await maps().create({ metadata: { name: 'second', ownerReferences } });
      await maps().patch('child', { data: { later: '1' } });
      await tab(`
        await see('[role=tabpanel] [role=status]', '; the object has changed since');
        if (find('.tree a', 'second')) throw new Error('it follows');
        await click('button', 'Read again');
        await see('.tree a', 'second');
        await see('[role=tabpanel] [role=status]', '; changes are not followed');`);
      await maps().delete(second.metadata.name ?? '');
      expect(await tab(`press('d'); return (await see('dialog p', 'ConfigMap')).textContent;`)).toBe(
        'These are deleted with it, and what depends on them: ConfigMap grandchild.',
      );
    });

    test('that is a node is cordoned, and a request for a certificate approved', async () => {
      await api.server
        .client()
        .resource({ apiVersion: 'v1', kind: 'Node' })
        .create({ metadata: { name: 'n' } });
      const tab = await visit('r/core/v1/nodes/-/n');
      await tab(`
        await click('button', 'Cordon');
        await click('dialog button.main', 'Cordon');
        await see('.line', 'unschedulable: true');
        await click('button', 'Uncordon');
        await click('dialog button.main', 'Uncordon');
        await see('button', 'Cordon…');`);
      expect(
        (await api.server.client().resource({ apiVersion: 'v1', kind: 'Node' }).get('n'))['spec'],
      ).not.toHaveProperty('unschedulable');
      const request = base64(await requestPem());
      const requests = api.server.client().resource(CertificateSigningRequest);
      await requests.create({
        metadata: { name: 'r' },
        spec: { request, signerName: 'example.com/signer', usages: ['client auth'] },
      });
      const other = await visit('r/certificates.k8s.io/v1/certificatesigningrequests/-/r');
      await other(`
        await click('button', 'Approve');
        await click('dialog button.main', 'Approve');
        await see('.line', 'type: Approved');
        await gone('button', 'Deny');`);
      expect((await requests.get('r')).status?.conditions?.map(({ type }) => type)).toEqual(['Approved']);
    });
  });

  describe('access', () => {
    test('says why not, grants the least role, and then says yes', async () => {
      const tab = await visit('access?user=bob&verb=delete&resource=configmaps&namespace=default');
      expect(
        await tab(`
          await see('[role=status]', '✕ No');
          await click('button', 'Dry run');
          await see('[role=status]', 'would accept');
          return find('pre', 'kind: Role').textContent.includes('- delete');`),
      ).toBe(true);
      const roles = api.server.client().resource(Role).namespace('default');
      expect((await roles.list()).items).toHaveLength(0);
      expect(await Browser.objections(tab)).toEqual([]);
      await tab(`await click('button', 'Grant it'); await see('[role=status]', '✓ Yes');`);
      expect((await roles.list()).items[0]?.rules?.[0]?.verbs).toEqual(['delete']);
    });

    test('shows the page as another user sees it, where nothing can be changed', async () => {
      await maps().create({ metadata: { name: 'looked-at' } });
      const tab = await visit('access?user=carol');
      await tab(`await click('button', 'View as'); await see('header [role=status]', 'viewed as carol, read-only');`);
      expect(await tab(`press(':'); return location.pathname;`)).toBe('/ui/');
      await tab(`press('Escape', find('dialog input'));`);
      const to = (path: string): string =>
        `history.pushState(null, '', '/ui/${path}'); dispatchEvent(new PopStateEvent('popstate'));`;
      expect(await tab(`${to('r/core/v1/configmaps')} return (await see('.message')).textContent;`)).toMatch(
        /User "carol" cannot list resource "configmaps"/,
      );
      expect(
        await tab(`${to('r/core/v1/configmaps?new=1')} return (await see('.message', 'only read')).textContent;`),
      ).toMatch(/nothing can be changed/);
      expect(await Browser.objections(tab)).toEqual([]);
      await tab(
        `await click('button', 'View as yourself'); await gone('header', 'carol'); await see('header', 'alice');`,
      );
      await tab(`${to('r/core/v1/configmaps?ns=default')} await see('.row', 'looked-at');`);
      // Who may not impersonate is told so.
      const refused = await browser.open('access?user=carol');
      expect(
        await refused(`
          await signIn('nobody');
          await click('button', 'View as');
          return (await see('.message')).textContent;`),
      ).toMatch(/cannot impersonate/);
    });

    test('says who can, and shows a matrix', async () => {
      const tab = await visit('access');
      await tab(`
        enter(await see('input[name=resource]'), 'configmaps');
        enter(find('input[name=verb]'), 'delete');
        enter(find('input[name=namespace]'), 'default');
        await until(() => !find('button', 'Who can').disabled);
        await click('button', 'Who can');`);
      expect(await tab(`return (await see('[aria-label="Who can"] tr', 'bob')).textContent;`)).toMatch(/^Userbob/);
      expect(
        await tab(`
          enter(find('input[name=users]'), 'bob, carol');
          await until(() => !find('button', 'Matrix').disabled);
          await click('button', 'Matrix');
          await see('[aria-label=Matrix] tr', 'carol');
          return [...document.querySelectorAll('[aria-label=Matrix] tbody tr')].map((row) => row.textContent);`),
      ).toEqual(['bob✕ no✕ no✕ no✕ no✕ no✕ no✓ yes✕ no', `carol${'✕ no'.repeat(8)}`]);
    });
  });

  describe('traffic', () => {
    test('shows requests as they come, filtered and paused, each as a command', async () => {
      const tab = await visit('traffic?path=%2Fconfigmaps');
      await tab(`await see('.plots figcaption', 'Requests');`);
      const seen = await visit('r/core/v1/configmaps?ns=kube-public');
      await seen(`await see('[role=status]', '● live');`);
      expect(
        await tab(`
          const row = await see('tbody tr', '/api/v1/namespaces/kube-public/configmaps');
          row.querySelector('button').click();
          const command = (await see('code', 'curl')).textContent;
          return [row.children[3].textContent, command.startsWith('curl -H "Authorization: Bearer $TOKEN" \\'http')];`),
      ).toEqual(['alice', true]);
      await tab(`
        find('summary', 'Now').click();
        await see('[role=status]', 'health checks pass');
        await see('figcaption', 'Watches');
        await see('th[scope=row]', 'recordings');`);
      expect(await Browser.objections(tab)).toEqual([]);
      await tab(`await click('button', 'Pause'); await see('[role=status]', 'paused');`);
      const before = await tab(`return document.querySelectorAll('tbody tr').length;`);
      await seen(`await click('a', 'Kinds'); await see('h2', 'core');`);
      expect(await tab(`return document.querySelectorAll('tbody tr').length;`)).toBe(before);
    });

    test('shows the controllers with their queues, and the last error of one that fails with its time and object', async () => {
      const status = { code: 500, message: 'no disk is left' };
      const fault = api.faults.fail({ verb: 'create', resource: 'replicasets', controllers: true }, { status });
      const labels = { app: 'failing' };
      await api.server
        .client()
        .resource(Deployment)
        .namespace('default')
        .create({
          metadata: { name: 'failing' },
          spec: {
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'example:1' }] } },
          },
        });
      await api.settled();
      const path = 'traffic?show=controllers';
      const tab = await visit(path);
      expect(
        await tab(`
          await see('[aria-label=Controllers] [role=status]', '✕ 1 of ');
          const row = find('[aria-label=Controllers] tbody tr');
          return [...row.children].map((cell) => cell.textContent);`),
      ).toEqual([
        ...['deployment', '✕ fails', '0', '0', '1'],
        // The deployments of other tests wait, too.
        expect.stringMatching(/^[1-9]$/),
        expect.stringMatching(/^\S+.* default\/failing .*no disk is left.* (once|\d+ times)$/),
      ]);
      expect(await Browser.objections(tab)).toEqual([]);
      fault.remove();
      await api.advance(1000);
      await api.settled();
      await tab(`
        await see('[aria-label=Controllers] [role=status]', '✓ No controller fails');
        find('summary', 'Now').click();
        await see('[aria-label=Now]');
        find('summary', 'Controllers').click();
        await gone('[aria-label=Controllers]');`);
      expect(await tab(`return location.search;`)).toBe('?show=now');
      expect(await browser.narrow(path, '[aria-label=Controllers] td')).toBeLessThanOrEqual(360);
    });

    test('is not for those who may not see what others do', async () => {
      const tab = await browser.open('traffic');
      expect(await tab(`await signIn('nobody'); return (await see('.message')).textContent;`)).toMatch(
        /User "eve" cannot get path "\/ui\/v1\/requests\/follow"/,
      );
    });
  });
});
