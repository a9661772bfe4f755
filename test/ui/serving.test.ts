import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPage } from '../../scripts/build-page.js';
import { ApiServer } from '../../src/entries/index.js';
import { toFetchHandler } from '../../src/entries/fetch.js';
import type { ApiRequest, ApiResponse, WebSocketHandler } from '../../src/server/requests/http.js';
import { withPage } from '../../src/ui/index.js';
import { requestOf, type Asked } from '../server/ask.js';

beforeAll(() => buildPage(), 120_000);

const server: ApiResponse = { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' };
const asked: string[] = [];
const { handle } = withPage({
  handle: async ({ path }: ApiRequest): Promise<ApiResponse> => {
    asked.push(path);
    return path === '/html' ? { status: 200, headers: { 'content-type': 'text/html' }, body: '<script>' } : server;
  },
});

const ask = (path: string, headers: Asked['headers'] = {}, method = 'GET'): Promise<ApiResponse> =>
  handle(requestOf(method, path, { token: '', headers }));

const textIn = ({ body }: ApiResponse): string =>
  typeof body === 'string' ? body : Buffer.from(body as Uint8Array).toString();

/** Returns the paths of the files that a document names. */
const filesIn = (document: string): string[] =>
  [...document.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '');

describe('the document', () => {
  test('is served without authentication, with a strict policy, and checked again on each visit', async () => {
    const { status, headers, body } = await ask('/ui/');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['x-frame-options']).toBe('DENY');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    // No code and no style in the text, and nothing of other servers.
    expect(body).not.toMatch(/<script(?![^>]*src=)|<style|style=|\son\w+=|https?:/);
  });

  test('is current while its ETag is', async () => {
    const { headers } = await ask('/ui/');
    const etag = String(headers['etag']);
    expect(await ask('/ui/', { 'if-none-match': `"old", W/${etag}` })).toMatchObject({ status: 304, body: undefined });
    expect(await ask('/ui/', { 'if-none-match': '"old"' })).toMatchObject({ status: 200 });
  });

  test('is also at the addresses of tables and objects, with links to the same files', async () => {
    const files = filesIn(textIn(await ask('/ui/')));
    expect(files.length).toBeGreaterThan(1);
    const { body, headers } = await ask('/ui/r/core/v1/configmaps/default/a%2Fb');
    const deep = filesIn(String(body));
    expect(deep.map((path) => new URL(path, 'http://host/ui/r/core/v1/configmaps/default/a').pathname)).toEqual(
      files.map((path) => new URL(path, 'http://host/ui/').pathname),
    );
    expect(headers['etag']).not.toBe((await ask('/ui/')).headers['etag']);
  });

  test('has an address with a slash at its end', async () => {
    expect(await ask('/ui')).toMatchObject({ status: 307, headers: { location: 'ui/' } });
  });
});

describe('the other files', () => {
  test('are compressed as the client takes them, and kept for ever', async () => {
    for (const path of filesIn(textIn(await ask('/ui/')))) {
      const address = `/ui/${path.replace('./', '')}`;
      const plain = await ask(address);
      const gzip = await ask(address, { 'accept-encoding': 'br;q=0, gzip' });
      const brotli = await ask(address, { 'accept-encoding': 'gzip, deflate, br' });
      expect(plain).toMatchObject({ status: 200, headers: { 'cache-control': 'public, max-age=31536000, immutable' } });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(gzip.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
      expect(brotli.headers['content-encoding']).toBe('br');
      expect(gunzipSync(gzip.body as Uint8Array).toString()).toBe(textIn(plain));
      expect(new Set([plain, gzip, brotli].map(({ headers }) => headers['etag'])).size).toBe(3);
    }
  });

  test('are 404 if there are none, with the policy', async () => {
    for (const path of [
      '/ui/assets/none.js',
      '/ui/none',
      '/ui/index.html',
      '/ui/assets/../index.html',
      '/ui/%2e%2e/etc',
    ]) {
      const { status, headers } = await ask(path);
      expect([path, status]).toEqual([path, 404]);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(headers['cache-control']).toBe('no-store');
    }
  });

  test('can only be read', async () => {
    expect(await ask('/ui/', {}, 'POST')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect(await ask('/ui/', {}, 'HEAD')).toMatchObject({ status: 200, body: undefined });
  });
});

describe('the server behind the page', () => {
  test('gets all other paths', async () => {
    asked.length = 0;
    const paths = ['/', '/api', '/uis', '/ui/v1/counts', '/UI/', '//ui/', '/apis/ui'];
    for (const path of paths) expect(await ask(path)).toEqual(server);
    expect(asked).toEqual(paths);
  });

  test('cannot put a page on this origin', async () => {
    expect((await ask('/html')).headers).toMatchObject({
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
    });
  });

  test('gets WebSockets of pages of its own origin, and of programs, but not of other pages', async () => {
    const accept = { protocol: '', messages: (async function* () {})() };
    const accepts: WebSocketHandler = async () => ({ accept });
    const { handleWebSocket } = withPage({ handle: async () => server, handleWebSocket: accepts });
    const open = (headers: Record<string, string>): ReturnType<typeof handleWebSocket> =>
      handleWebSocket(requestOf('GET', '/api/v1/pods', { headers: { host: 'localhost:1', ...headers } }));
    expect(await open({})).toEqual({ accept });
    expect(await open({ origin: 'http://localhost:1' })).toEqual({ accept });
    for (const origin of ['http://localhost:2', 'http://evil.example', 'null'])
      expect(await open({ origin })).toMatchObject({ refuse: { status: 403 } });
  });

  test('has no page unless it is asked for, and has one below a prefix', async () => {
    await using api = new ApiServer();
    const plain = toFetchHandler(api, { prefix: '/k8s' });
    const paged = toFetchHandler(api, { prefix: '/k8s', ui: true });
    expect((await plain(new Request('http://host/k8s/ui/'))).status).not.toBe(200);
    const response = await paged(new Request('http://host/k8s/ui/'));
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<div id="page">');
  });
});
