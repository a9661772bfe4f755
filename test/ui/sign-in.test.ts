import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { buildPage } from '../../scripts/build-page.js';
import { ClusterRoleBinding, ConfigMap } from '../../src/entries/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { listen, type Listener } from '../../src/transport/node/index.js';
import { nodeHttpClient, type NodeHttpClient } from '../../src/transport/node/outbound/http-client.js';
import { Chromium, chromiumProgram } from '../client/browser/chromium.js';
import { startHost, type Host } from '../security/authn/oidc/support/host.js';
import { CLIENT_ID, CLIENT_SECRET, providerKey, serveProvider } from '../security/authn/oidc/support/provider.js';
import { Browser } from './browser.js';

describe.skipIf(chromiumProgram === undefined)('signing in to the page in Chromium', () => {
  let host: Host;
  let http: NodeHttpClient;
  let api: TestServer;
  let listener: Listener;
  let browser: Browser;

  beforeAll(async () => {
    await buildPage();
    host = await startHost();
    http = nodeHttpClient();
    let discover = (): void => undefined;
    const discovered = new Promise<void>((resolve) => (discover = resolve));
    const info = (message: string): void => void (message === 'OpenID provider discovered' && discover());
    api = await startTestServer({
      dialect: 'kubernetes',
      // The provider has the time of the machine.
      start: Date.now(),
      authentication: {
        openIdConnect: {
          ...{ issuerUrl: host.url, clientId: CLIENT_ID, certificateAuthority: host.caPem },
          ...{ usernamePrefix: '-', groupsClaim: 'groups' },
        },
      },
      network: { httpClient: http },
      observability: { logger: { info, error: () => undefined } },
    });
    listener = await listen(api.server, { ui: { readOnly: true, openIdConnect: { clientSecret: CLIENT_SECRET } } });
    const account = { sub: 'jane', groups: ['developers'] };
    await serveProvider(host, [await providerKey('one')], [account], `${listener.url}/ui/sign-in`);
    // The login page of the provider: the account of the browser.
    const { handler } = host;
    host.handler = (request, response) => {
      request.headers['x-account'] = 'jane';
      handler(request, response);
    };
    await api.server.ready();
    // The server has not found the provider yet, and tries again.
    await api.advance(11_000);
    await discovered;
    const apiGroup = 'rbac.authorization.k8s.io';
    await api.server
      .client()
      .resource(ClusterRoleBinding)
      .create({
        metadata: { name: 'developers' },
        subjects: [{ kind: 'Group', apiGroup, name: 'developers' }],
        roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
      });
    const flags = ['--ignore-certificate-errors'];
    browser = Browser.of(api, listener, await Chromium.start(chromiumProgram ?? '', flags));
  }, 300_000);
  afterEach(() => browser.leave());
  afterAll(async () => {
    await browser?.close();
    http?.close();
    await host?.stop();
  });

  test('goes to the provider and comes back to the same place, with no code in the address', async () => {
    const maps = api.server.client().resource(ConfigMap).namespace('default');
    await maps.create({ metadata: { name: 'seen' } });
    const tab = await browser.open('r/core/v1/configmaps?ns=default');
    const name = new URL(host.url).host;
    expect(await tab(`return (await see('form.sign-in button', 'Sign in at')).textContent;`)).toContain(name);
    expect(await Browser.objections(tab)).toEqual([]);
    await tab.follow(`(await see('form.sign-in button', 'Sign in at')).click();`);
    const found = await tab(`
      await see('header', 'jane');
      await see('.row', 'seen');
      return [location.pathname + location.search + location.hash, localStorage.length, document.cookie,
        Object.keys(sessionStorage), document.body.textContent.includes('read-only'),
        find('button', 'New') !== undefined];`);
    expect(found).toEqual(['/ui/r/core/v1/configmaps?ns=default', 0, '', ['session'], true, false]);
    // The server refuses what the page does not offer.
    const written = await tab(`
      const headers = { 'x-ui-session': sessionStorage.getItem('session'), 'content-type': 'application/json' };
      const answer = await fetch('/api/v1/namespaces/default/configmaps/seen', { method: 'DELETE', headers });
      return [answer.status, (await answer.json()).message];`);
    expect(written).toEqual([403, 'the page is read-only: the server accepts only reads from it']);
    expect((await maps.get('seen')).metadata.name).toBe('seen');
    await tab(`
      history.pushState(null, '', 'configmaps/default/seen');
      dispatchEvent(new PopStateEvent('popstate'));
      await see('[role=tab]', 'YAML');`);
    const buttons = `[...document.querySelectorAll('main button')].map((button) => button.textContent.trim())`;
    expect(await tab(`press('d', document.body); press('e', document.body); return ${buttons};`)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/Edit|Delete/)]),
    );
  });

  test('says why the provider did not sign anybody in, in its own words', async () => {
    const tab = await browser.open('sign-in?error=access_denied&error_description=Call%20555&state=x');
    expect(await tab(`return [(await see('.message')).textContent, location.pathname + location.search];`)).toEqual([
      '✕ The provider did not sign you in: access was denied',
      '/ui/sign-in',
    ]);
    const other = await browser.open('sign-in?code=planted&state=' + 'a'.repeat(43));
    expect(
      await other(`return [(await see('.message')).textContent, location.pathname + location.search,
        sessionStorage.length];`),
    ).toEqual(['✕ this browser began no such sign-in: sign in again', '/ui/sign-in', 0]);
  });
});
