import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ClusterRole, ClusterRoleBinding, ConfigMap, Deployment, Pod } from '../../src/entries/index.js';
import { chromiumProgram } from '../client/browser/chromium.js';
import { Browser } from './browser.js';

describe.skipIf(chromiumProgram === undefined)('every day in Chromium', () => {
  let browser: Browser;
  const client = () => browser.api.server.client({ fieldManager: 'shop' });
  const maps = () => client().resource(ConfigMap).namespace('default');
  const patches = () => browser.api.requests({ resource: 'configmaps', user: 'eve', verb: 'patch' });
  const containers = [{ name: 'c', image: 'i' }];

  beforeAll(async () => {
    browser = await Browser.start();
  }, 300_000);
  afterAll(() => browser?.close());
  afterEach(() => browser.leave());

  describe('what needs attention', () => {
    test('is on the first view, and leads to the objects; many of a kind are folded', async () => {
      const pods = client().resource(Pod).namespace('default');
      const condition = {
        type: 'Ready',
        status: 'False',
        message: 'no luck',
        lastTransitionTime: '2024-01-01T00:00:00Z',
      };
      for (const name of ['w-1', 'w-2', 'w-3', 'w-4']) {
        await pods.create({ metadata: { name }, spec: { containers } });
        await pods.patch(name, { status: { conditions: [condition] } }, { subresource: 'status' });
      }
      await maps().create({ metadata: { name: 'stuck', finalizers: ['example.com/wait'] } });
      await maps().delete('stuck');
      await browser.api.advance(61_000);
      const tab = await browser.visit();
      expect(
        await tab(`
          const place = await see('[aria-label="Needs attention"]', 'stuck');
          const lines = [...place.querySelectorAll('li')].map((li) => li.textContent);
          return [lines[0], place.querySelector('summary').textContent, lines.length];`),
      ).toEqual(['⊘ ConfigMap default/stuck its deletion waits for example.com/wait', '▲ 4 Pod with a warning', 5]);
      expect(await Browser.objections(tab)).toEqual([]);
      await tab(`
        await click('[aria-label="Needs attention"] summary', 'Pod');
        await click('[aria-label="Needs attention"] a', 'default/w-3');
        await see('h1', 'Pod w-3');`);
      for (const name of ['w-1', 'w-2', 'w-3', 'w-4']) await pods.delete(name, { gracePeriodSeconds: 0 });
      await maps().patch('stuck', { metadata: { finalizers: null } });
      expect(await browser.narrow('', '[aria-label="Needs attention"]')).toBeLessThanOrEqual(360);
    }, 300_000);

    test('is not there for a user who may not ask', async () => {
      const tab = await browser.open();
      expect(
        await tab(`
          await signIn('nobody');
          await see('.groups li', 'not allowed');
          return find('[aria-label="Needs attention"]') === undefined;`),
      ).toBe(true);
    }, 300_000);
  });

  describe('a dry run', () => {
    test('happens by itself when the user pauses, and is given up when typing goes on', async () => {
      await maps().create({ metadata: { name: 'typed' }, data: { a: '1' } });
      const tab = await browser.visit('r/core/v1/configmaps/default/typed?tab=edit');
      expect(
        await tab(`
          await rewrite('a: "1"', 'a: "2"');
          const first = (await see('[aria-label="Dry run"] li')).textContent;
          await rewrite('a: "2"', 'a: "3"');
          // The former answer is no longer true.
          await gone('[aria-label="Dry run"]');
          const second = (await see('[aria-label="Dry run"] li')).textContent;
          return [first, second];`),
      ).toEqual(['data.a: "1" → "2"', 'data.a: "1" → "3"']);
      expect((await maps().get('typed')).data).toEqual({ a: '1' });
      expect(await Browser.objections(tab)).toEqual([]);
      // A save is not followed by a late answer.
      await tab(`
        await rewrite('a: "3"', 'a: "4"');
        await click('button.main', 'Save 1 field');
        await see('[role=status]', '✓ Saved');
        await new Promise((resolve) => setTimeout(resolve, 600));
        await see('[role=status]', '✓ Saved');`);
      expect((await maps().get('typed')).data).toEqual({ a: '4' });
      await tab(`await click('button', 'Back to the table');`);
    }, 300_000);

    test('shows what the server objects to at its line', async () => {
      const deployments = client().resource(Deployment).namespace('default');
      await deployments.create({
        metadata: { name: 'lines' },
        spec: {
          selector: { matchLabels: { app: 'lines' } },
          template: { metadata: { labels: { app: 'lines' } }, spec: { containers } },
        },
      });
      const tab = await browser.visit('r/apps/v1/deployments/default/lines?tab=edit');
      expect(
        await tab(`
          await rewrite('replicas: 1', 'replicas: -1');
          const shadow = () => document.querySelector('.editor').shadowRoot;
          const refusal = await until(() => shadow().querySelector('.cm-refusal'));
          const told = [refusal.textContent, shadow().querySelector('.cm-refused').textContent];
          await rewrite('replicas: -1', 'replicas: 1\\n  odd: 1');
          await until(() => shadow().querySelector('.cm-refused')?.textContent.includes('odd'));
          return [...told, shadow().querySelector('.cm-refusal').textContent];`),
      ).toEqual([
        '✕ spec.replicas: Invalid value: -1: must be greater than or equal to 0',
        '  replicas: -1',
        '✕ spec.odd: unknown field',
      ]);
      await tab(`await click('button', 'Discard'); await click('button', 'Back to the table');`);
    }, 300_000);

    test('of a new object happens, too, once it is edited', async () => {
      const tab = await browser.visit('r/core/v1/services?new=1');
      expect(
        await tab(`
          const text = written(await editor());
          await write(text.replace(/name: .*/, 'name: "Not a name"'));
          const refusal = await until(() => document.querySelector('.editor').shadowRoot.querySelector('.cm-refusal'));
          return refusal.textContent;`),
      ).toMatch(/^✕ metadata\.name: Invalid value: "Not a name": a DNS-1035 label must consist/);
      await tab(`await click('button', 'Discard');`);
    }, 300_000);

    test('never happens for a user who may not write the object', async () => {
      await maps().create({ metadata: { name: 'readable' }, data: { a: '1' } });
      const group = 'rbac.authorization.k8s.io';
      await client()
        .resource(ClusterRole)
        .create({
          metadata: { name: 'reads-maps' },
          rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }],
        });
      await client()
        .resource(ClusterRoleBinding)
        .create({
          metadata: { name: 'eve-reads' },
          subjects: [
            { kind: 'User', apiGroup: group, name: 'eve' },
            { kind: 'Group', apiGroup: group, name: 'readers' },
          ],
          roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'reads-maps' },
        });
      const tab = await browser.open('r/core/v1/configmaps/default/readable?tab=edit');
      expect(
        await tab(`
          await signIn('nobody');
          await rewrite('a: "1"', 'a: "2"');
          const told = (await see('p.muted', 'You may not change it')).textContent;
          await rewrite('a: "2"', 'a: "3"');
          await new Promise((resolve) => setTimeout(resolve, 600));
          return [told, find('[aria-label="Dry run"]') === undefined];`),
      ).toEqual(['You may not change it: nothing is tried as you type.', true]);
      expect(patches()).toHaveLength(0);
      await tab(`await click('button', 'Discard'); await click('button', 'Back to the table');`);
    }, 300_000);
  });

  test('the page is viewed as a user with groups', async () => {
    const tab = await browser.visit('access?user=mallory&groups=readers,others,caf%C3%A9');
    expect(
      await tab(`
        await click('button', 'View as');
        const told = (await see('header .warn', 'viewed as mallory')).textContent;
        await see('.groups li', 'not allowed');
        const entry = [...document.querySelectorAll('.groups li')].find((li) => li.firstChild.textContent === 'ConfigMap');
        await until(() => /\\d|not/.test(entry.lastChild.textContent));
        entry.querySelector('a').click();
        await see('.body .row', 'readable');
        return told;`),
    ).toBe('▲ viewed as mallory in readers, others, café, read-only');
    const seen = browser.api.requests({ resource: 'configmaps', verb: 'list' }).at(-1);
    expect(seen?.user).toBe('mallory');
    expect(await Browser.objections(tab)).toEqual([]);
    await tab(`await click('button', 'View as yourself'); await see('header', 'alice');`);
  }, 300_000);

  test('the colours are chosen, and stay when the tab reloads', async () => {
    const tab = await browser.visit();
    const background = `const colour = () => getComputedStyle(document.body).backgroundColor;`;
    expect(
      await tab(`
        ${background}
        const kept = localStorage.length;
        await click('header button', '◐');
        await see('header button', '☀');
        const light = colour();
        await click('header button', '☀');
        await see('header button', '☾');
        return [kept, light, colour(), localStorage.getItem('theme')];`),
    ).toEqual([0, 'rgb(255, 255, 255)', 'rgb(18, 21, 27)', 'dark']);
    expect(await Browser.objections(tab)).toEqual([]);
    await tab.reload();
    expect(
      await tab(`
        ${background}
        await see('header button', '☾');
        const dark = colour();
        await click('header button', '☾');
        await see('header button', '◐');
        return [dark, localStorage.length];`),
    ).toEqual(['rgb(18, 21, 27)', 0]);
  }, 300_000);

  test('an address compares two versions of an object', async () => {
    const first = await maps().create({ metadata: { name: 'compared' }, data: { a: '1' } });
    await maps().patch('compared', { data: { b: '2' } });
    const third = await maps().patch('compared', { data: { c: '3' } });
    const [from, to] = [first.metadata.resourceVersion, third.metadata.resourceVersion];
    const tab = await browser.visit(`r/core/v1/configmaps/default/compared?diff=${from}..${to}`);
    expect(
      await tab(`
        await see('.diff tbody tr', 'data.c');
        const lines = [...document.querySelectorAll('.diff tbody tr')].map((tr) => tr.textContent);
        const titles = [...document.querySelectorAll('.diff thead th')].map((th) => th.textContent);
        enter(find('label', 'Compare with').querySelector('select'), 'previous');
        await until(() => document.querySelectorAll('.diff tbody tr').length === 1);
        const previous = location.search;
        enter(find('label', 'Compare with').querySelector('select'), '${from}');
        await until(() => document.querySelectorAll('.diff tbody tr').length === 2);
        return [lines, titles, previous, location.search];`),
    ).toEqual([
      ['data.b+ "2"', 'data.c+ "3"'],
      ['Field', from, to],
      `?tab=history&at=${to}`,
      `?tab=history&diff=${from}..${to}`,
    ]);
    expect(await Browser.objections(tab)).toEqual([]);
    const lost = await browser.visit(`r/core/v1/configmaps/default/compared?diff=1..${to}`);
    expect(await lost(`return (await see('.message')).textContent;`)).toBe(
      '✕ The server no longer has version 1 of the object.',
    );
  }, 300_000);

  test('an address compares an object with another one', async () => {
    await maps().create({ metadata: { name: 'left' }, data: { same: '1', only: 'left' } });
    await maps().create({ metadata: { name: 'right' }, data: { same: '1', more: 'right' } });
    const tab = await browser.visit('r/core/v1/configmaps/default/left?tab=history');
    expect(
      await tab(`
        enter((await see('label', 'another ConfigMap')).querySelector('input'), 'default/right');
        await see('.diff tbody tr', 'data.more');
        const lines = [...document.querySelectorAll('.diff tbody tr')].map((tr) => tr.textContent);
        return [lines.sort(), location.search.replace(/at=\\d+/, 'at=V')];`),
    ).toEqual([
      ['data.more+ "right"', 'data.only− "left"', 'metadata.name− "left"+ "right"'].sort(),
      '?tab=history&at=V&with=default%2Fright',
    ]);
    expect(await Browser.objections(tab)).toEqual([]);
    const shared = await browser.visit('r/core/v1/configmaps/default/left?with=default/none');
    expect(await shared(`return (await see('.message')).textContent;`)).toBe('✕ configmaps "none" not found');
    const wrong = await browser.visit('r/core/v1/configmaps/default/left?with=none');
    expect(await wrong(`return (await see('.message')).textContent;`)).toBe('✕ none is not a name: NAMESPACE/NAME');
    expect(
      await wrong(`
        enter(find('label', 'Compare with').querySelector('select'), 'previous');
        await see('.muted', 'There is no version before this one.');
        return location.search.includes('with');`),
    ).toBe(false);
  }, 300_000);

  test('an address marks a line, and the keys and a click mark others', async () => {
    const data = { a: '1', 'b.c': 'two\nlines', d: '4' };
    await maps().create({ metadata: { name: 'marked' }, data });
    const tab = await browser.visit('r/core/v1/configmaps/default/marked?line=data.a');
    expect(
      await tab(`
        const marked = () => document.querySelector('[aria-current]')?.querySelector('.text').textContent.replace('▾', '');
        const seen = [await until(marked)];
        const yaml = document.querySelector('.yaml');
        for (const key of ['j', 'j', 'k']) {
          const before = marked();
          press(key, yaml);
          seen.push(await until(() => marked() !== before && marked()));
        }
        seen.push(location.search);
        find('.yaml .line', 'kind: ConfigMap').querySelector('.text').click();
        seen.push(await until(() => marked() === 'kind: ConfigMap' && location.search));
        return seen;`),
    ).toEqual(['  a: "1"', '  b.c: |-', '  d: "4"', '  b.c: |-', '?line=data%5Bb.c%5D', '?line=kind']);
    expect(await Browser.objections(tab)).toEqual([]);
    const gone = await browser.visit('r/core/v1/configmaps/default/marked?line=spec.none');
    expect(await gone(`return (await see('.warn', 'no field')).textContent;`)).toBe(
      '▲ The object has no field spec.none.',
    );
  }, 300_000);

  test('the lines of a field are folded by its button and by the keys, and opened for a line of an address', async () => {
    await maps().create({ metadata: { name: 'folded', labels: { app: 'web' } }, data: { a: '1' } });
    const tab = await browser.visit('r/core/v1/configmaps/default/folded?line=metadata');
    expect(
      await tab(`
        const lines = () => [...document.querySelectorAll('.yaml .text')].map((text) => text.textContent.replace(/^[▾▸]/, ''));
        const fold = () => document.querySelector('[aria-label="The lines of metadata"]');
        await until(fold);
        const all = lines().length;
        fold().click();
        await until(() => fold().ariaExpanded === 'false');
        const hidden = all - lines().length;
        const words = 'metadata: … ' + hidden + ' lines, 1 owner';
        const folded = [hidden > 3, lines().includes(words)];
        const yaml = document.querySelector('.yaml');
        press('ArrowRight', yaml);
        await until(() => lines().length === all);
        press('ArrowLeft', yaml);
        await until(() => lines().length === all - hidden);
        press('j', yaml);
        await until(() => location.search === '?line=data' && document.querySelector('[aria-current] .text').textContent === '▾data:');
        history.pushState(null, '', '?line=metadata.name');
        dispatchEvent(new PopStateEvent('popstate'));
        await until(() => lines().length === all);
        return [folded, document.querySelector('[aria-current] .text').textContent];`),
    ).toEqual([[true, true], '  name: folded']);
    expect(await Browser.objections(tab)).toEqual([]);
  }, 300_000);

  test('a pointer hits what folds lines in a square of 24 pixels, also where lines below each other fold', async () => {
    const selector = { matchLabels: { app: 'folds' } };
    const template = { metadata: { labels: { app: 'folds' } }, spec: { containers } };
    const deployments = client().resource(Deployment).namespace('default');
    await deployments.create({ metadata: { name: 'folds' }, spec: { replicas: 0, selector, template } });
    const tab = await browser.visit('r/apps/v1/deployments/default/folds');
    expect(
      await tab(`
        await see('.yaml .line', 'template:');
        const isHit = (button) => {
          button.scrollIntoView({ block: 'center', behavior: 'instant' });
          const { left, right, top, bottom } = button.getBoundingClientRect();
          const corners = [[left + 1, top + 1], [right - 1, top + 1], [left + 1, bottom - 1], [right - 1, bottom - 1]];
          return right - left >= 24 && bottom - top >= 24 && corners.every(([x, y]) => document.elementFromPoint(x, y) === button);
        };
        const folds = [...document.querySelectorAll('.yaml .fold')];
        const heights = new Set([...document.querySelectorAll('.yaml .line')].map((line) => line.getBoundingClientRect().height));
        return [folds.length > 8, folds.filter((fold) => !isHit(fold)).map((fold) => fold.ariaLabel), [...heights]];`),
    ).toEqual([true, [], [18]]);
  }, 300_000);

  test('the palette opens views, and the past of what is open', async () => {
    await maps().create({ metadata: { name: 'once' } });
    await browser.api.advance(3_600_000);
    const then = new Date(browser.api.clock.now() - 60_000);
    const when = [then.getHours(), then.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
    await maps().delete('once');
    await maps().create({ metadata: { name: 'later' } });
    const tab = await browser.visit('');
    const command = (text: string): string => `
      await until(() => document.querySelector('dialog') === null);
      press(':');
      enter(await see('dialog input'), '${text}');
      await see('[role=option][aria-selected=true]', '${text.split(' ')[0]}');
      press('Enter', document.querySelector('dialog input'));`;
    expect(
      await tab(`
        ${command(`at ${when}`)}
        const refused = (await see('dialog .message')).textContent;
        enter(document.querySelector('dialog input'), 'access');
        await gone('dialog .message');
        press('Enter', document.querySelector('dialog input'));
        await see('h1', 'Access');
        return [refused, location.pathname];`),
    ).toEqual(['✕ Only tables and objects have a past: open one first.', '/ui/access']);
    expect(
      await tab(`
        history.pushState(null, '', '/ui/r/core/v1/configmaps?ns=default&sort=name');
        dispatchEvent(new PopStateEvent('popstate'));
        await see('.body .row', 'later');
        ${command(`at ${when}`)}
        await see('[role=status]', 'read-only: as of version');
        await see('.body .row', 'once');
        const past = [names().includes('once'), names().includes('later')];
        ${command('at 99:99')}
        const wrong = (await see('dialog .message')).textContent;
        enter(document.querySelector('dialog input'), 'at now');
        await gone('dialog .message');
        press('Enter', document.querySelector('dialog input'));
        await see('[role=status]', '● live');
        return [past, wrong, location.search];`),
    ).toEqual([
      [true, false],
      '✕ a time such as 14:03 or 14:03:22, a version, or now is needed',
      '?ns=default&sort=name',
    ]);
    await maps().delete('later');
  }, 300_000);
});
