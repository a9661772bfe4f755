import { afterEach, describe, expect, test } from 'vitest';
import { ApiServer } from '../../src/entries/index.js';
import { toFetchHandler } from '../../src/transport/fetch/fetch.js';
import { listen } from '../../src/transport/node/index.js';

const servers: ApiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const tokens = [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }];

function serving(origins?: readonly string[]) {
  const server = new ApiServer({
    authentication: { tokens },
    network: origins === undefined ? {} : { cors: { origins } },
  });
  servers.push(server);
  const fetch = toFetchHandler(server);
  return (method: string, headers: Record<string, string>, path = '/api/v1/namespaces') =>
    fetch(
      new Request(`https://server.example${path}`, { method, headers: { authorization: 'Bearer admin', ...headers } }),
    );
}

function corsFields({ headers }: Response): Record<string, string> {
  const fields: Record<string, string> = {};
  headers.forEach((value, name) => {
    if (name.startsWith('access-control-')) fields[name] = value;
  });
  return fields;
}

const preflight = {
  'access-control-request-method': 'PATCH',
  'access-control-request-headers': 'authorization,content-type, impersonate-user',
};

describe('web pages of other origins', () => {
  test('may not read responses by default', async () => {
    const ask = serving();
    const answer = await ask('GET', { origin: 'https://app.example' });
    expect([answer.status, corsFields(answer), answer.headers.get('vary')]).toEqual([200, {}, null]);
    const before = await ask('OPTIONS', { origin: 'https://app.example', ...preflight });
    expect([before.ok, corsFields(before)]).toEqual([false, {}]);
  });

  test('may when their origin is listed, with credentials', async () => {
    const ask = serving(['https://app.example', 'https://*.pages.example', 'http://localhost:*', 'http://[::1]:8080']);
    for (const origin of [
      'https://app.example',
      'https://a.b.pages.example',
      'http://localhost:5173',
      'http://[::1]:8080',
      'HTTPS://App.Example',
    ]) {
      const answer = await ask('GET', { origin });
      expect(corsFields(answer), origin).toEqual({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': 'Audit-Id, Date, Retry-After, Warning',
      });
      expect(answer.headers.get('vary')).toMatch(/(^|, )Origin$/);
      expect(answer.headers.get('access-control-allow-origin')).not.toBe('*');
    }
    for (const origin of [
      'https://other.example',
      'http://app.example',
      'https://app.example:8443',
      'https://app.example.evil.example',
      'https://evilpages.example',
      'https://pages.example',
      'http://localhost',
      'null',
    ]) {
      const answer = await ask('GET', { origin });
      expect([answer.status, corsFields(answer)], origin).toEqual([200, {}]);
      // A cache must not give this response to a page that may read it, nor the other way round.
      expect(answer.headers.get('vary')).toMatch(/(^|, )Origin$/);
      expect(corsFields(await ask('OPTIONS', { origin, ...preflight })), origin).toEqual({});
    }
  });

  test('are told so before their requests, without authentication', async () => {
    const ask = serving(['https://app.example']);
    const answer = await ask('OPTIONS', { origin: 'https://app.example', ...preflight, authorization: '' });
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(corsFields(answer)).toEqual({
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
      'access-control-allow-headers': 'authorization,content-type, impersonate-user',
      'access-control-max-age': '600',
    });
    const odd = { ...preflight, 'access-control-request-headers': 'a b' };
    expect(corsFields(await ask('OPTIONS', { origin: 'https://app.example', ...odd }))).not.toHaveProperty(
      'access-control-allow-headers',
    );
  });

  test('may read refusals and watches, too', async () => {
    const ask = serving(['https://app.example']);
    const origin = 'https://app.example';
    const refusal = await ask('GET', { origin, authorization: 'Bearer wrong' });
    expect([refusal.status, corsFields(refusal)['access-control-allow-origin']]).toEqual([401, origin]);
    const abort = new AbortController();
    const watch = await ask('GET', { origin }, '/api/v1/namespaces?watch=true');
    expect([watch.status, corsFields(watch)['access-control-allow-origin']]).toEqual([200, origin]);
    abort.abort();
    await watch.body?.cancel();
  });

  test('of any origin may when `*` is listed, but never with credentials', async () => {
    const ask = serving(['*']);
    const answer = await ask('GET', { origin: 'https://any.example' });
    expect(corsFields(answer)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'Audit-Id, Date, Retry-After, Warning',
    });
    const before = await ask('OPTIONS', { origin: 'https://any.example', ...preflight });
    expect(corsFields(before)).toMatchObject({ 'access-control-allow-origin': '*' });
    expect(corsFields(before)).not.toHaveProperty('access-control-allow-credentials');
  });

  test('do not get past the check of the host of a plaintext port', async () => {
    const server = new ApiServer({ network: { cors: { origins: ['*'] } } });
    servers.push(server);
    const listener = await listen(server);
    const { request } = await import('node:http');
    const status = await new Promise((resolve, reject) => {
      const sent = request(listener.url, {
        method: 'OPTIONS',
        headers: { host: 'evil.example', origin: 'http://evil.example', ...preflight },
      });
      sent.on('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.end();
    });
    expect(status).toBe(403);
    await listener.close({ grace: 0 });
  });

  test.each([['app.example'], ['https://app.example/'], ['https://app.example/path'], ['ftp://a'], [''], [3]])(
    'are listed by their origins: %j is not one',
    (origin) => {
      expect(() => new ApiServer({ network: { cors: { origins: [origin as string] } } })).toThrow(
        /network\.cors\.origins\[0\] must be an origin such as https:\/\/app\.example/,
      );
    },
  );
});
