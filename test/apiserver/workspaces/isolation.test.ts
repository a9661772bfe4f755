import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkspaces, type Workspaces } from '../../../src/apiserver/workspaces/index.js';
import { listen, type Listener } from '../../../src/transport/node/index.js';
import { ask, configMap, ownerToken } from './ask.js';

const PATH = '/api/v1/namespaces/default/configmaps';

describe('two workspaces over one memory store, by HTTP', () => {
  let workspaces: Workspaces;
  let listener: Listener;

  beforeEach(async () => {
    workspaces = createWorkspaces({ server: { dialect: 'kubernetes' } });
    await workspaces.create('alpha');
    await workspaces.create('beta');
    listener = await listen(workspaces, { port: 0 });
  });

  afterEach(async () => {
    await listener.close();
    await workspaces.close();
  });

  const call = async (name: string, path: string, token: string, init: RequestInit = {}): Promise<any> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${listener.url}/clusters/${name}${path}`, { headers, ...init });
    return { status: response.status, body: await response.json() };
  };
  const post = (object: unknown): RequestInit => ({ method: 'POST', body: JSON.stringify(object) });

  it('have objects of their own', async () => {
    const [alpha, beta] = [await ownerToken(workspaces, 'alpha'), await ownerToken(workspaces, 'beta')];
    expect((await call('alpha', PATH, alpha, post(configMap('settings', { of: 'alpha' })))).status).toBe(201);
    expect((await call('beta', PATH, beta)).body.items).toEqual([]);
    expect((await call('beta', `${PATH}/settings`, beta)).status).toBe(404);
    expect((await call('beta', PATH, beta, post(configMap('settings', { of: 'beta' })))).status).toBe(201);
    expect((await call('alpha', `${PATH}/settings`, alpha)).body.data).toEqual({ of: 'alpha' });
  });

  it('refuse the owner of the other one', async () => {
    const alpha = await ownerToken(workspaces, 'alpha');
    expect((await call('beta', PATH, alpha)).status).toBe(401);
    expect((await call('alpha', PATH, alpha)).status).toBe(200);
  });

  it('have the default objects of a server', async () => {
    const alpha = await ownerToken(workspaces, 'alpha');
    const { items } = (await call('alpha', '/api/v1/namespaces', alpha)).body;
    expect(items.map(({ metadata }: any) => metadata.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ]);
    const admin = await call('alpha', '/apis/rbac.authorization.k8s.io/v1/clusterroles/admin', alpha);
    expect(admin.body.rules.length).toBeGreaterThan(3);
  });

  it('serve discovery and OpenAPI below their prefix, and nothing beside it', async () => {
    const alpha = await ownerToken(workspaces, 'alpha');
    expect((await call('alpha', '/api/v1', alpha)).body.resources.length).toBeGreaterThan(10);
    expect(Object.keys((await call('alpha', '/openapi/v3', alpha)).body.paths)).toContain('api/v1');
    expect((await fetch(`${listener.url}/api/v1`)).status).toBe(404);
    expect((await fetch(`${listener.url}/clusters/gamma/api/v1`)).status).toBe(404);
    expect(await (await fetch(`${listener.url}/readyz`)).text()).toBe('ok');
  });

  it('have a kubeconfig with the prefix', async () => {
    expect(await workspaces.kubeConfigOf('alpha')).toContain(`${listener.url}/clusters/alpha`);
  });

  it('refuse a token of a service account of the other one', async () => {
    const alpha = await ownerToken(workspaces, 'alpha');
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } };
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    for (const name of ['alpha', 'beta'])
      expect((await call(name, accounts, await ownerToken(workspaces, name), post(account))).status).toBe(201);
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const { token } = (await call('alpha', `${accounts}/robot/token`, alpha, post(request))).body.status;
    const who = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const review = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const own = await call('alpha', review, token, post(who));
    expect(own.body.status.userInfo.username).toBe('system:serviceaccount:default:robot');
    expect((await call('beta', review, token, post(who))).status).toBe(401);
    const claims = JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString());
    const { id } = (await workspaces.get('alpha')) ?? {};
    expect(claims.iss).toMatch(new RegExp(`/clusters/${id}$`));
    expect(claims.aud).toEqual([claims.iss]);
  });

  it('refuse a position in a list of the other one', async () => {
    const tokens = { alpha: await ownerToken(workspaces, 'alpha'), beta: await ownerToken(workspaces, 'beta') };
    for (const name of ['alpha', 'beta'] as const)
      for (const each of ['a', 'b', 'c']) await call(name, PATH, tokens[name], post(configMap(each)));
    const position = (await call('alpha', `${PATH}?limit=1`, tokens.alpha)).body.metadata.continue;
    const next = `${PATH}?limit=1&continue=${encodeURIComponent(position)}`;
    expect((await call('alpha', next, tokens.alpha)).body.items[0].metadata.name).toBe('b');
    expect((await call('beta', next, tokens.beta)).status).toBe(400);
  });

  it('watch only their own objects', async () => {
    const [alpha, beta] = [await ownerToken(workspaces, 'alpha'), await ownerToken(workspaces, 'beta')];
    const ended = new AbortController();
    const headers = { authorization: `Bearer ${beta}` };
    const watching = await fetch(`${listener.url}/clusters/beta${PATH}?watch=true`, { headers, signal: ended.signal });
    const reader = watching.body?.pipeThrough(new TextDecoderStream()).getReader();
    await call('alpha', PATH, alpha, post(configMap('of-alpha')));
    await call('beta', PATH, beta, post(configMap('of-beta')));
    const event = JSON.parse((await reader?.read())?.value ?? '{}');
    expect([event.type, event.object.metadata.name]).toEqual(['ADDED', 'of-beta']);
    ended.abort();
  });

  it('cannot be left by a path', async () => {
    const alpha = await ownerToken(workspaces, 'alpha');
    for (const path of ['/../beta/api/v1', '/%2e%2e/beta/api/v1', '//beta/api/v1', '/clusters/beta/api/v1'])
      expect((await ask(workspaces, 'GET', `/clusters/alpha${path}`, { token: alpha })).status, path).not.toBe(200);
  });
});
