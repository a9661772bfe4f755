import type { TestCore } from './core.js';
import type { OpenedPage } from './opened-page.js';
import type { TestServer } from './test-server.js';

/** The page of a test server. */
export interface TestPage {
  /**
   * Opens the page on a free port of the loopback interface, where it stays until the test server closes, and returns a
   * link to it. The link opens the page as the owner, once, within five minutes on the clock of the test. Requires the
   * option `ui`.
   *
   * @throws Error without the option, and when the test server has closed
   */
  pageLink(): Promise<string>;
}

/** Returns the member about the page. */
export function pagePart(core: TestCore, test: () => TestServer): TestPage {
  let opening: Promise<OpenedPage> | undefined;
  let closed = false;
  core.onClose(async () => {
    closed = true;
    await (await opening)?.close();
  });
  core.onReset(() => {
    // Whoever opens it learns of a failure.
    opening?.then((page) => page.forget()).catch(() => undefined);
  });
  const open = (): Promise<OpenedPage> =>
    import('./opened-page.js')
      .then(({ openPage }) => openPage(test(), core.options))
      .catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
  return {
    async pageLink() {
      if (core.options.ui !== true)
        throw new Error('test.pageLink needs the page: start the server with startTestServer({ ui: true })');
      if (closed) throw new Error('test.pageLink: the test server is closed');
      const { url } = await (opening ??= open());
      return core.server.pageLink(url);
    },
  };
}
