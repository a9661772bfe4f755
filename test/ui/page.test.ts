import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ConfigMap, Secret } from '../../src/entries/index.js';
import type { TestServer } from '../../src/entries/testing.js';
import { chromiumProgram } from '../client/browser/chromium.js';
import { axe, Browser, type Tab } from './browser.js';

if (chromiumProgram === undefined)
  console.warn('Chromium is not installed: the page is tested in no browser (apt-get install chromium)');

describe.skipIf(chromiumProgram === undefined)('the page in Chromium', () => {
  let browser: Browser;
  let api: TestServer;
  const open = (path?: string): Promise<Tab> => browser.open(path);
  const visit = (path?: string): Promise<Tab> => browser.visit(path);
  const maps = () => api.server.client({ fieldManager: 'shop' }).resource(ConfigMap).namespace('default');

  beforeAll(async () => {
    browser = await Browser.start();
    ({ api } = browser);
  }, 300_000);
  afterAll(() => browser?.close());
  afterEach(() => browser.leave());

  test('asks for a token, says what the server said, and forgets the token when it is told to', async () => {
    const tab = await open();
    expect(
      await tab(`
        enter(await see('input[type=password]'), 'wrong');
        await click('button[type=submit]');
        const message = (await see('.message')).textContent;
        enter(await see('input[type=password]'), 'admin');
        await click('button[type=submit]');
        await see('header', 'alice');
        const kept = [sessionStorage.length, localStorage.length, document.cookie];
        await click('button', 'Sign out');
        await see('form.sign-in');
        return [message, kept, sessionStorage.length];`),
    ).toEqual(['✕ Unauthorized', [1, 0, ''], 0]);
  });

  test('shows all kinds by group, with the numbers of their objects', async () => {
    await maps().create({ metadata: { name: 'counted' } });
    const tab = await visit();
    expect(
      await tab(`
        const core = await see('section', 'core');
        const entry = () => [...core.querySelectorAll('li')].find((li) => li.firstChild.textContent === 'ConfigMap');
        await until(() => /\\d/.test(entry()?.lastChild.textContent ?? ''));
        return [Number(entry().lastChild.textContent) > 0, find('section', 'apps') !== undefined];`),
    ).toEqual([true, true]);
    await maps().delete('counted');
  });

  test('shows a kind live: rows come, change, and fade when they are deleted', async () => {
    await maps().create({ metadata: { name: 'first' }, data: { a: '1' } });
    const tab = await visit();
    await tab(`
      press(':');
      enter(await see('dialog input'), 'cm default');
      await see('[role=option]', 'ConfigMap');
      press('Enter', find('dialog input'));
      await see('.row', 'first');
      await see('[role=status]', '● live');`);
    expect(await tab('return location.pathname + location.search;')).toBe('/ui/r/core/v1/configmaps?ns=default');
    await maps().create({ metadata: { name: 'second' } });
    await tab(`await see('.row.changed', 'second');`);
    await maps().patch('first', { data: { b: '2' } });
    await tab(`await until(() => find('.row', 'first').textContent.includes('2'));`);
    await maps().delete('second');
    await tab(`await see('.row.gone', 'second'); await gone('.row', 'second');`);
    await maps().delete('first');
  });

  test('filters and sorts by its address, by fields, labels and text', async () => {
    const labels = { app: 'web' };
    for (const name of ['a-1', 'a-2', 'b-1']) await maps().create({ metadata: { name, labels } });
    await maps().create({ metadata: { name: 'a-3' } });
    const tab = await visit('r/core/v1/configmaps?ns=default&label=app%3Dweb&q=a-&sort=-name');
    expect(await tab(`await see('.row', 'a-2'); return names();`)).toEqual(['a-2', 'a-1']);
    const result = await tab(`
      press('/');
      const focused = document.activeElement === find('input[type=search]') || document.activeElement.type;
      enter(document.activeElement, '');
      await see('.row', 'b-1');
      const all = names();
      await click('[role=columnheader] button', 'Name');
      await until(() => !location.search.includes('sort'));
      await click('[role=columnheader] button', 'Name');
      await until(() => find('[aria-sort=ascending]', 'Name'));
      return [focused, all, names(), location.search];`);
    expect(result).toEqual([
      true,
      ['b-1', 'a-2', 'a-1'],
      ['a-1', 'a-2', 'b-1'],
      '?ns=default&label=app%3Dweb&sort=name',
    ]);
    const refused = await visit('r/core/v1/configmaps?label=%3D%3D');
    expect(await refused(`return (await see('.message')).textContent;`)).toMatch(/found '=='/);
    for (const name of ['a-1', 'a-2', 'a-3', 'b-1']) await maps().delete(name);
  });

  test('is used with the keys alone: rows, object, YAML with the owner of each line, back', async () => {
    await maps().create({ metadata: { name: 'k-1' }, data: { mine: 'x' } });
    await maps().apply({ metadata: { name: 'k-1' }, data: { theirs: 'y' } }, { fieldManager: 'robot' });
    await maps().create({ metadata: { name: 'k-2' } });
    const tab = await visit('r/core/v1/configmaps?ns=default&q=k-');
    const lines = await tab(`
      await see('.row', 'k-2');
      press('j'); await see('[aria-selected=true]', 'k-1');
      press('j'); await see('[aria-selected=true]', 'k-2');
      press('k'); await see('[aria-selected=true]', 'k-1');
      press('Enter');
      await see('.yaml .line', 'theirs');
      const line = (text) => {
        const found = find('.yaml .line', text);
        return [found.firstChild.title.split(' · ').slice(0, 2).join(' '), found.lastChild.textContent];
      };
      return [line('mine:'), line('theirs:'), line('uid:')];`);
    expect(lines).toEqual([
      ['shop Update', '  mine: x'],
      ['robot Apply', '  theirs: "y"'],
      ['', expect.stringContaining('  uid: ')],
    ]);
    expect(
      await tab(`press('?'); await see('dialog', 'next row'); return find('dialog').getAttribute('aria-label');`),
    ).toBe('Keys');
    await tab(`await click('dialog button', 'Close'); await gone('dialog'); press('Escape'); await see('.grid');`);
    // The keys of an object work on a row, too.
    expect(
      await tab(`
        await see('.row', 'k-2');
        const age = find('.body .row', 'k-2').lastChild.title;
        press('n');
        const focused = document.activeElement.placeholder;
        document.activeElement.blur();
        enter(find('label', 'Filter').querySelector('input'), 'k-');
        await until(() => names().length === 2);
        press('j');
        await see('[aria-selected=true]', 'k-');
        press('e');
        await editor();
        return [age, focused, location.search];`),
    ).toEqual([expect.stringMatching(/ · 20\d\d-\d\d-\d\dT.*Z$/), 'all', '?tab=edit']);
    for (const name of ['k-1', 'k-2']) await maps().delete(name);
  });

  test('edits the fields that are changed, after a dry run, beside another writer', async () => {
    await maps().create({ metadata: { name: 'edited' }, data: { a: '1', b: '1', c: '1' } });
    const tab = await visit('r/core/v1/configmaps/default/edited?tab=edit');
    await tab(`
      await rewrite('a: "1"', 'a: "2"');
      await see('button.main', 'Save 1 field');
      await click('button', 'Dry run');
      await see('[aria-label="Dry run"] li', 'data.a: "1" → "2"');`);
    expect((await maps().get('edited')).data).toEqual({ a: '1', b: '1', c: '1' });
    // Another field: no conflict.
    await maps().patch('edited', { data: { c: '9' } });
    await tab(`
      await see('[role=status]', 'Others changed 1 other field');
      await click('button.main', 'Save 1 field');
      await see('[role=status]', '✓ Saved');`);
    expect((await maps().get('edited')).data).toEqual({ a: '2', b: '1', c: '9' });
    // The same field: who, and both values.
    await tab(`await rewrite('b: "1"', 'b: "3"'); await see('button.main', 'Save 1 field');`);
    await maps().patch('edited', { data: { b: '2' } }, { fieldManager: 'robot' });
    expect(await tab(`return (await see('[aria-label=Conflicts] li')).textContent.trim();`)).toBe(
      'Take over data.b: now "2", by robot; yours "3"',
    );
    await tab(`
      await until(() => find('button.main', 'Save 0 fields')?.disabled);
      find('[aria-label=Conflicts] input').click();
      await click('button.main', 'Save 1 field');
      await see('[role=status]', '✓ Saved');`);
    expect((await maps().get('edited')).data?.['b']).toBe('3');
    expect(
      await tab(`
        await rewrite('kind: ConfigMap', 'kind: ConfigMap\\nodd: 1');
        await see('button.main', 'Save 1 field');
        await click('button', 'Dry run');
        return (await see('.message')).textContent;`),
    ).toMatch(/unknown field "odd"/);
    await maps().delete('edited');
  });

  test('deletes after a question, the object that was shown', async () => {
    await maps().create({ metadata: { name: 'doomed', finalizers: ['example.com/wait'] } });
    const tab = await visit('r/core/v1/configmaps/default/doomed');
    expect(
      await tab(`
        await see('.yaml .line', 'doomed');
        press('d');
        const text = (await see('dialog p', 'finalizers')).textContent;
        await click('dialog button', 'Cancel');
        await gone('dialog');
        return text;`),
    ).toBe('It stays until these finalizers are removed: example.com/wait.');
    expect((await maps().get('doomed')).metadata.deletionTimestamp).toBeUndefined();
    await tab(
      `press('d'); await click('dialog button.danger', 'Delete'); await gone('dialog'); await see('.line', 'deletionTimestamp');`,
    );
    await maps().patch('doomed', { metadata: { finalizers: null } });
    await tab(`await see('[role=status]', 'deleted; this is its last state');`);
  });

  test('reads the values of a Secret only when it is asked to', async () => {
    const secrets = api.server.client().resource(Secret).namespace('default');
    await secrets.create({ metadata: { name: 's' }, data: { key: Buffer.from('hidden').toString('base64') } });
    const hidden = Buffer.from('hidden').toString('base64');
    const reads = (): number => api.requests({ resource: 'secrets', verb: 'list' }).length;
    const tab = await visit('r/core/v1/secrets/default/s');
    expect(await tab(`await see('.line', 'name: s'); return document.body.innerHTML.includes('${hidden}');`)).toBe(
      false,
    );
    const before = reads();
    await tab(`await click('button', 'Show the values'); await see('.line', '${hidden}');`);
    expect(reads()).toBeGreaterThan(before);
  });

  test('shows what a user may not see as refused, with the words of the server', async () => {
    const tab = await open('r/core/v1/secrets');
    expect(await tab(`await signIn('nobody'); return (await see('.message')).textContent;`)).toBe(
      '✕ secrets is forbidden: User "eve" cannot list resource "secrets" in API group "" at the cluster scope',
    );
    // The question is asked with what the table shows.
    expect(
      await tab(
        `await click('button', 'Why?'); await see('h1', 'Access'); return location.pathname + location.search;`,
      ),
    ).toBe('/ui/access?verb=list&resource=secrets');
  });

  test('draws only the rows in sight of 12,000, and reaches the last', async () => {
    const client = maps();
    for (let from = 0; from < 12_000; from += 500)
      await Promise.all(
        Array.from({ length: 500 }, (_, index) =>
          client.create({
            metadata: { name: `row-${String(from + index).padStart(5, '0')}`, labels: { many: 'yes' } },
          }),
        ),
      );
    const tab = await visit('r/core/v1/configmaps?label=many%3Dyes&sort=name');
    expect(
      await tab(`
        await see('.grid[aria-rowcount="12001"]');
        const drawn = document.querySelectorAll('.body .row').length;
        press('G');
        await see('[aria-selected=true]', 'row-11999');
        const last = find('[aria-selected=true]').getAttribute('aria-rowindex');
        press('g');
        await see('[aria-selected=true]', 'row-00000');
        return [drawn > 5 && drawn < 60, last, document.querySelectorAll('.body .row').length < 60];`),
    ).toEqual([true, '12001', true]);
  }, 300_000);

  test.each(['', 'r/core/v1/namespaces', 'r/core/v1/namespaces/-/default', 'r/core/v1/namespaces/-/default?tab=edit'])(
    'has nothing at /ui/%s that axe objects to',
    async (path) => {
      const tab = await visit(path);
      const ready =
        path === '' ? 'li' : path.endsWith('edit') ? '.editor' : path.includes('/-/') ? '.line' : '.body .row';
      const found = await tab(`
        await see('${ready}');
        if ('${ready}' === '.editor') await editor();
        ${axe};
        const { violations } = await axe.run();
        return violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | '));`);
      expect(found).toEqual([]);
    },
  );
});
