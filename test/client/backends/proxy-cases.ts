import { expect } from 'vitest';
import { errors } from '../../../src/foundation/errors/api-error.js';
import { ConfigMap, Pod, Service, type ProxyAnswer, type ProxyRequest } from '../../../src/entries/index.js';
import { Node } from '../../../src/entries/kinds.js';
import type { ClientCase } from './case-world.js';

/** Answers with what it was asked. */
export async function proxyHandler(
  { metadata }: { readonly metadata: { readonly name?: string | undefined } },
  { method, path, query, headers, scheme, port, user, body }: ProxyRequest,
): Promise<ProxyAnswer> {
  if (path === '/fail') throw errors.conflict({ group: '', resource: 'pods' }, metadata.name ?? '', 'of the handler');
  const sent = new TextDecoder().decode(await body());
  const facts = { name: metadata.name, method, path, query, kind: headers['x-kind'], scheme, port, sent };
  const authorization = headers['authorization'];
  return {
    status: path === '/teapot' ? 418 : 200,
    headers: { 'content-type': 'application/json', 'x-user': user.username },
    body: JSON.stringify({ ...facts, authorization }),
  };
}

/** The cases of requests through the server. */
export const proxyCases: readonly ClientCase[] = [
  {
    name: 'requests go through the server to pods and services',
    async run(world) {
      const client = await world.client();
      const pods = client.resource(Pod).namespace(world.namespace);
      const services = client.resource(Service).namespace(world.namespace);
      await pods.create({ metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image: 'i' }] } });
      await services.create({ metadata: { name: 'shop' }, spec: { ports: [{ port: 80 }] } });
      const got = await pods.proxy('web', { path: '/metrics/a%20b?name=x&y=1', headers: { 'x-kind': 'test' } });
      expect([got.status, got.header('content-type')]).toEqual([200, 'application/json']);
      expect(JSON.parse(await got.text())).toEqual({
        ...{ name: 'web', method: 'GET', path: '/metrics/a b', query: 'name=x&y=1', kind: 'test', sent: '' },
      });
      const posted = await services.proxy('shop', { method: 'POST', port: 80, scheme: 'https', body: 'grün ✓' });
      expect(JSON.parse(await posted.text())).toMatchObject({
        ...{ name: 'shop', method: 'POST', path: '/', scheme: 'https', port: '80', sent: 'grün ✓' },
      });
      const dots = await pods.proxy('web', { path: '/.a/..b/...?x=/../' });
      expect(JSON.parse(await dots.text())).toMatchObject({ path: '/.a/..b/...', query: 'x=/../' });
      const teapot = await pods.proxy('web', { path: '/teapot', method: 'DELETE' });
      expect(teapot.status).toBe(418);
      expect(JSON.parse(await teapot.text())).toMatchObject({ method: 'DELETE' });
    },
  },
  {
    name: 'refusals of requests through the server are responses with a Status',
    async run(world) {
      const pods = (await world.client()).resource(Pod).namespace(world.namespace);
      const eve = (await world.client({ user: 'eve' })).resource(Pod).namespace(world.namespace);
      await pods.create({ metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image: 'i' }] } });
      const refusals = [
        [pods.proxy('none'), 404, 'pods "none" not found'],
        [pods.proxy('web', { path: '/fail' }), 409, 'of the handler'],
        [eve.proxy('web', { method: 'POST' }), 403, 'cannot create resource "pods/proxy"'],
        [(await world.client()).resource(Node).proxy('none'), 404, 'nodes "none" not found'],
      ] as const;
      for (const [answer, code, message] of refusals) {
        const { status, text } = await answer;
        expect(status).toBe(code);
        expect(JSON.parse(await text())).toMatchObject({
          kind: 'Status',
          code,
          message: expect.stringContaining(message),
        });
      }
      const reason = new Error('enough');
      await expect(pods.proxy('web', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      for (const call of [
        () => pods.proxy(''),
        () => pods.proxy('web', { path: 'metrics' }),
        () => pods.proxy('web', { method: 'HEAD' as 'GET' }),
        () => pods.proxy('web', { port: 0 }),
        () => pods.proxy('web', { headers: { authorization: 'x' } }),
        () => pods.proxy('web', { headers: { 'X-Kind': 'x' } }),
        () => pods.proxy('web', { path: '/%ff' }),
        // An URL resolves them: the request would be one for another object of the server.
        ...['/..', '/a/../../b', '/./a', '/%2e%2E/a', '/.%2e?a', '/a\\..\\b'].map(
          (path) => () => pods.proxy('web', { path }),
        ),
      ])
        await expect(call()).rejects.toThrow(TypeError);
      const maps = (await world.client()).resource(ConfigMap).namespace(world.namespace);
      await expect(maps.proxy('a')).rejects.toThrow(new TypeError('ConfigMap has no proxy'));
    },
  },
];
