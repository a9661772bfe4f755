import { describe, expect, test } from 'vitest';
import { ConfigMap } from '../../src/entries/index.js';
import { startTestServer, type TestServer, type TestServerOptions } from '../../src/entries/testing.js';

const COMMANDS = 'ui/v1/test/';

const started = (options: TestServerOptions = {}): Promise<TestServer> =>
  startTestServer({ dialect: 'kubernetes', ui: true, ...options });

const mapsOf = ({ client }: TestServer) => client.resource(ConfigMap).namespace('default');

/** The root of the URL that a link opens, and its code. */
function partsOf(link: string): { readonly root: string; readonly code: string } {
  const [, root = '', code = ''] = /^(http:\/\/127\.0\.0\.1:\d+\/)ui\/#(.+)$/.exec(link) ?? [];
  expect([link, root, code]).toEqual([link, expect.stringMatching(/./), expect.stringMatching(/./)]);
  return { root, code };
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** Begins a session by the code of a link. */
const begun = (root: string, code: string): Promise<Response> =>
  fetch(`${root}ui/v1/session`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ code }) });

/** Signs in by a link, and returns a function that sends requests with the session. */
async function opened(link: string) {
  const { root, code } = partsOf(link);
  const session = await begun(root, code);
  expect(session.status).toBe(201);
  const cookie = session.headers.getSetCookie().map((text) => text.split(';', 1)[0]);
  const { key } = (await session.json()) as { key: string };
  const headers = { ...JSON_TYPE, 'x-ui-session': key, cookie: cookie.join('; ') };
  return async (method: string, path: string, body?: object): Promise<{ status: number; sent: any }> => {
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await fetch(root + path, init);
    return { status: answer.status, sent: await answer.json() };
  };
}

describe('the page of a test server in the process', () => {
  test('is opened by a link, as the owner, once', async () => {
    await using server = await started();
    const link = await server.pageLink();
    const ask = await opened(link);
    const { sent } = await ask('GET', 'ui/v1/info');
    expect(sent).toMatchObject({ test: true, user: { groups: expect.arrayContaining(['system:masters']) } });
    const { root, code } = partsOf(link);
    expect((await begun(root, code)).status).toBe(401);
    expect(partsOf(await server.pageLink())).toEqual({ root, code: expect.not.stringMatching(code) });
    expect((await fetch(`${root}ui/`)).headers.get('content-type')).toMatch('text/html');
  });

  test('shows what happened before it was opened, and changes no object', async () => {
    await using server = await started();
    await mapsOf(server).create({ metadata: { name: 'early' } });
    await server.settled();
    const revision = async (): Promise<string | undefined> => (await mapsOf(server).list()).metadata.resourceVersion;
    const before = await revision();
    const ask = await opened(await server.pageLink());
    const { sent } = await ask('GET', 'ui/v1/writes');
    expect(JSON.stringify(sent)).toContain('"early"');
    await server.settled();
    expect(await revision()).toBe(before);
  });

  test('has a session that outlives the time that its user lets pass', async () => {
    await using server = await started();
    const ask = await opened(await server.pageLink());
    const before = server.clock.now();
    expect((await ask('POST', `${COMMANDS}clock/advance`, { duration: '9h' })).status).toBe(200);
    expect(server.clock.now() - before).toBe(9 * 3_600_000);
    expect((await ask('GET', `${COMMANDS}clock`)).status).toBe(200);
  });

  test('commands are not among the requests of the test, and no fault hits them', async () => {
    await using server = await started();
    const ask = await opened(await server.pageLink());
    const added = await ask('POST', `${COMMANDS}faults`, { fault: 'fail', match: {}, status: 503 });
    await expect(mapsOf(server).list()).rejects.toMatchObject({ code: 503 });
    expect((await ask('GET', 'api/v1/nodes')).status).toBe(503);
    expect((await ask('GET', `${COMMANDS}faults`)).sent.items).toMatchObject([{ hits: 2 }]);
    expect((await ask('DELETE', `${COMMANDS}faults/${added.sent.id}`)).status).toBe(200);
    await mapsOf(server).list();
    const paths = server
      .requests()
      .toArray()
      .map(({ path }) => path);
    expect(paths).toEqual([
      '/api/v1/namespaces/default/configmaps',
      '/api/v1/nodes',
      '/api/v1/namespaces/default/configmaps',
    ]);
  });

  test('forgets its rules when the test goes back, and goes on', async () => {
    await using server = await started();
    const ask = await opened(await server.pageLink());
    await ask('POST', `${COMMANDS}faults`, { fault: 'fail', match: { resource: 'secrets' }, status: 503 });
    expect((await ask('GET', `${COMMANDS}faults`)).sent.items).toHaveLength(1);
    await server.reset();
    expect((await ask('GET', `${COMMANDS}faults`)).sent.items).toEqual([]);
  });

  test('is that of each fork, and those that it makes end with the test', async () => {
    const server = await started();
    const fork = await server.fork();
    await mapsOf(fork).create({ metadata: { name: 'of-the-fork' } });
    const [ask, askFork] = [await opened(await server.pageLink()), await opened(await fork.pageLink())];
    const counted = async (asked: typeof ask) => {
      const { sent } = await asked('GET', 'api/v1/namespaces/default/configmaps');
      return sent.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    };
    expect(await counted(askFork)).toContain('of-the-fork');
    expect(await counted(ask)).not.toContain('of-the-fork');
    const { sent } = await ask('POST', `${COMMANDS}forks`, {});
    expect((await fetch(`${sent.url}/ui/`)).status).toBe(200);
    // The original may be closed before its forks.
    await server.close();
    await expect(ask('GET', 'ui/v1/info')).rejects.toThrow();
    await expect(fetch(`${sent.url}/ui/`)).rejects.toThrow();
    expect(await counted(askFork)).toContain('of-the-fork');
    await fork.close();
    await expect(askFork('GET', 'ui/v1/info')).rejects.toThrow();
  });

  test('needs the option, and a server that is open', async () => {
    await using other = await startTestServer();
    await expect(other.pageLink()).rejects.toThrow('startTestServer({ ui: true })');
    const server = await started();
    await server.close();
    await expect(server.pageLink()).rejects.toThrow('closed');
    await expect(startTestServer(JSON.parse('{"ui":"yes"}'))).rejects.toThrow('the option ui must be true or false');
  });

  test('leaves a run repeatable', async () => {
    const uids = async (): Promise<unknown> => {
      await using server = await started({ users: { alice: {} } });
      const { metadata } = await mapsOf(server).create({ metadata: { generateName: 'a-' } });
      return [metadata.uid, metadata.name, metadata.resourceVersion];
    };
    expect(await uids()).toEqual(await uids());
  });
});
