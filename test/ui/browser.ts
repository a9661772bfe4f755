import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'vitest';
import { buildPage } from '../../scripts/build-page.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { listen, type Listener } from '../../src/transport/node/index.js';
import { Chromium, chromiumProgram, type Page } from '../client/browser/chromium.js';

const tokens = [
  { token: 'admin', user: { username: 'alice', groups: ['system:masters'] } },
  { token: 'nobody', user: { username: 'eve', groups: [] } },
];

/** The text of axe-core. */
export const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The beginning of the programs in the page: the eyes and hands of a user. */
const HANDS = `
  const until = async (check) => {
    for (;;) {
      const value = await check();
      if (value) return value;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const find = (selector, text = '') =>
    [...document.querySelectorAll(selector)].find((element) => element.textContent.includes(text));
  const see = (selector, text) => until(() => find(selector, text));
  const gone = (selector, text) => until(() => find(selector, text) === undefined);
  const press = (key, target = document.activeElement ?? document.body, more = {}) =>
    target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true, ...more }));
  const enter = (input, text) => {
    input.value = text;
    input.dispatchEvent(new Event('input', { bubbles: true }));
    input.dispatchEvent(new Event('change', { bubbles: true }));
  };
  const click = async (selector, text) => (await see(selector, text)).click();
  const names = () => [...document.querySelectorAll('.body .row:not(.gone)')].map((row) => row.querySelector('.cell').textContent);
  const signIn = async (token = 'admin') => {
    enter(await see('input[type=password]'), token);
    await new Promise((resolve) => setTimeout(resolve));
    await click('button[type=submit]');
    await see('header');
  };
  const editor = () => until(() => document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content'));
  const written = (content) => [...content.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\\n');
  const write = async (text) => {
    const content = await editor();
    content.focus();
    press('a', content, { ctrlKey: true, keyCode: 65 });
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  };
  const rewrite = async (from, to) => {
    const text = written(await editor());
    if (!text.includes(from)) throw new Error('not in the text: ' + text);
    await write(text.replace(from, to));
  };`;

/** A tab with the page. Its programs begin with the eyes and hands of a user. */
export type Tab = Page;

/** Gives the programs in a page the eyes and hands of a user. */
export const tabOf = (page: Page): Tab =>
  Object.assign((program: string) => page(HANDS + program), {
    reload: () => page.reload(),
    resized: page.resized,
    picture: page.picture,
    memory: page.memory,
    typed: page.typed,
    pressed: page.pressed,
    follow: (program: string) => page.follow(HANDS + program),
  });

/** A server with its page, and a browser. */
export class Browser {
  readonly api: TestServer;
  readonly listener: Listener;
  readonly #chromium: Chromium;
  readonly #tabs: Tab[] = [];

  private constructor(api: TestServer, listener: Listener, chromium: Chromium) {
    this.api = api;
    this.listener = listener;
    this.#chromium = chromium;
  }

  static async start(): Promise<Browser> {
    await buildPage();
    const api = await startTestServer({ dialect: 'kubernetes', authentication: { tokens } });
    const listener = await listen(api.server, { ui: true });
    return new Browser(api, listener, await Chromium.start(chromiumProgram ?? ''));
  }

  /** @param api the server that a listener serves */
  static of(api: TestServer, listener: Listener, chromium: Chromium): Browser {
    return new Browser(api, listener, chromium);
  }

  /** Ends the browser alone. */
  end(): Promise<void> {
    return this.#chromium.close();
  }

  async close(): Promise<void> {
    await this.#chromium.close();
    await this.listener.close({ grace: 0 });
    await this.api.close();
  }

  /** Opens an address of the page in a tab of its own. */
  async open(path = ''): Promise<Tab> {
    const tab = tabOf(await this.#chromium.open(`${this.listener.url}/ui/${path}`));
    this.#tabs.push(tab);
    return tab;
  }

  /** Opens an address, signed in. */
  async visit(path = ''): Promise<Tab> {
    const tab = await this.open(path);
    await tab('await signIn();');
    return tab;
  }

  /** Shows an address on a screen of 360 pixels, and returns the width that the page takes. @param ready what it shows then */
  async narrow(path: string, ready: string): Promise<number> {
    const tab = await this.visit();
    const width = await tab.resized(360, 740, async () => {
      await tab(`history.pushState(null, '', '/ui/${path}'); dispatchEvent(new PopStateEvent('popstate'));`);
      return tab(`await see('${ready}'); return document.documentElement.scrollWidth;`);
    });
    return Number(width);
  }

  /** Leaves all tabs. The policy of the page is broken by nothing that a test does, and nothing comes from elsewhere. */
  async leave(): Promise<void> {
    for (const tab of this.#tabs.splice(0)) {
      const found = await tab(`
        const broken = [];
        const observer = new ReportingObserver((list) => broken.push(...list), { types: ['csp-violation'], buffered: true });
        observer.observe();
        await new Promise((resolve) => setTimeout(resolve));
        broken.push(...observer.takeRecords());
        const urls = performance.getEntriesByType('resource').map(({ name }) => new URL(name));
        return [
          broken.map(({ body }) => body.blockedURL + ' ' + body.effectiveDirective + ' ' + body.sample),
          urls.filter(({ origin }) => origin !== location.origin).map(String),
        ];`);
      // A browser opens six connections to a server over HTTP/1.1, for all tabs together.
      await tab(`setTimeout(() => location.replace('about:blank'));`);
      expect(found).toEqual([[], []]);
    }
  }

  /** Returns what axe objects to in a tab. */
  static objections(tab: Tab): Promise<unknown> {
    return tab(`
      ${axe};
      const { violations } = await axe.run();
      return violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | '));`);
  }
}
