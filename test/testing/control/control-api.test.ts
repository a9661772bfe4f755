import { describe, expect, it } from 'vitest';
import { control, TOKEN } from './control-tests.js';
import { fakeServer } from './fake-server.js';

const status = (code: number, message: string) => ({
  code,
  body: { kind: 'Status', status: 'Failure', code, message },
});
const SUCCESS = { code: 200, body: { kind: 'Status', status: 'Success' } };

describe('the control API', () => {
  it('refuses a request without its token, whatever it asks', async () => {
    const { call, servers } = await control(fakeServer());
    const bad = [{}, { authorization: 'Bearer wrong' }, { authorization: TOKEN }, { authorization: `Basic ${TOKEN}` }];
    for (const headers of bad)
      for (const path of ['/', '/nowhere', '/openapi.json', '/forks/x'])
        expect(await call('GET', path, undefined, headers)).toMatchObject(
          status(401, 'the control API needs the header Authorization: Bearer with its own token'),
        );
    expect((await call('POST', '/forks', undefined, {})).code).toBe(401);
    expect(servers.forks).toEqual([]);
  });

  it('describes the server', async () => {
    const { call } = await control(fakeServer());
    expect(await call('GET', '/')).toEqual({
      code: 200,
      body: {
        url: 'https://port-1.invalid',
        token: 'token of main',
        control: 'http://control.invalid',
        kubeconfig: 'kubeconfig of main at https://port-1.invalid',
      },
    });
  });

  it('names the known paths and methods', async () => {
    const { call } = await control(fakeServer());
    expect(await call('GET', '/clocks')).toMatchObject(
      status(404, 'the control API has no path "/clocks": see GET /openapi.json'),
    );
    expect(await call('GET', '/clock/')).toMatchObject({ code: 404 });
    expect(await call('GET', '/faults/')).toMatchObject({ code: 404 });
    expect(await call('PUT', '/faults')).toMatchObject(
      status(405, 'the control API does not allow PUT on /faults: allowed is GET, POST, DELETE'),
    );
    // The first server ends with the program, and only it lists the forks.
    expect(await call('DELETE', '/')).toMatchObject({ code: 405 });
    await call('POST', '/forks');
    expect(await call('GET', '/forks/f1/forks')).toMatchObject({ code: 405 });
    expect(await call('GET', '/clock?at=1')).toMatchObject(status(400, 'unknown query parameter "at"'));
    expect(await call('GET', '/requests?verbs=get')).toMatchObject(
      status(400, 'unknown query parameter "verbs": known are verb, resource, namespace, name, user, status'),
    );
  });

  it('forks the server and its forks, each with its own port, and lists them', async () => {
    const { call, ports } = await control(fakeServer());
    const one = await call('POST', '/forks');
    expect(one).toEqual({
      code: 201,
      body: {
        id: 'f1',
        url: 'https://port-2.invalid',
        token: 'token of main.1',
        control: 'http://control.invalid/forks/f1',
        kubeconfig: 'kubeconfig of main.1 at https://port-2.invalid',
      },
    });
    expect((await call('POST', '/forks/f1/forks')).body).toMatchObject({ id: 'f2', token: 'token of main.1.1' });
    expect(await call('GET', '/forks/f1')).toEqual({ ...one, code: 200 });
    expect((await call('GET', '/forks')).body['items']).toMatchObject([{ id: 'f1' }, { id: 'f2' }]);
    expect(ports).toHaveLength(3);
  });

  it('ends a fork with its port, but not the forks of the fork', async () => {
    const server = fakeServer();
    const { call, ports } = await control(server);
    await call('POST', '/forks');
    await call('POST', '/forks/f1/forks');
    expect(await call('DELETE', '/forks/f1')).toMatchObject(SUCCESS);
    expect(server.received.slice(-2)).toEqual(['main.1: clear faults', 'main.1: close']);
    expect(ports).toEqual(['https://port-1.invalid', 'https://port-3.invalid']);
    expect(await call('GET', '/forks/f1/clock')).toMatchObject(
      status(404, 'fork "f1" not found: it was deleted, or never existed'),
    );
    expect(await call('GET', '/forks/f2/clock')).toMatchObject({ code: 200 });
  });

  it('has a maximum of forks, also for those that are being made', async () => {
    const { call } = await control(fakeServer(), { maxForks: 2 });
    const codes = await Promise.all([1, 2, 3].map(() => call('POST', '/forks')));
    expect(codes.map(({ code }) => code)).toEqual([201, 201, 429]);
    expect(codes[2]).toMatchObject(
      status(
        429,
        'there are 2 forks, the maximum: delete those that are no longer needed, or raise the maximum with --max-forks',
      ),
    );
    await call('DELETE', '/forks/f1');
    expect((await call('POST', '/forks')).body).toMatchObject({ id: 'f3' });
  });

  it('closes a fork whose port cannot be opened, and says why', async () => {
    const server = fakeServer();
    let opened = 0;
    const open = async () => {
      if ((opened += 1) > 1) throw new Error('too many open files');
      return { url: 'https://a.invalid', certificateAuthority: undefined, close: async () => undefined };
    };
    const { call, servers, logged } = await control(server, { open });
    expect(await call('POST', '/forks')).toMatchObject(status(500, 'too many open files'));
    expect(server.received).toEqual(['main: fork', 'main.1: close']);
    expect([servers.forks, logged]).toEqual([[], ['a command of the control API failed']]);
  });

  it('closes a fork that is made while the program ends', async () => {
    const server = fakeServer();
    let finish = (): void => undefined;
    const waiting = new Promise<void>((resolve) => (finish = resolve));
    const { call, servers } = await control({
      ...server,
      fork: async () => {
        await waiting;
        return fakeServer('late', server.received);
      },
    });
    const forked = call('POST', '/forks');
    await servers.close();
    finish();
    expect(await forked).toMatchObject(status(503, 'the program is ending'));
    expect(server.received.filter((text) => text.endsWith('close'))).toEqual(['main: close', 'late: close']);
  });

  it('closes every server although one fails', async () => {
    const server = fakeServer();
    const broken = { ...fakeServer('broken'), close: () => Promise.reject(new Error('does not close')) };
    const { call, servers, ports } = await control({ ...server, fork: async () => broken });
    await call('POST', '/forks');
    await expect(servers.close()).rejects.toThrow('does not close');
    expect([server.received.at(-1), ports]).toEqual(['main: close', []]);
  });

  it('abandons a server that does not end in time, but closes its port', async () => {
    const server = fakeServer();
    const hanging = { ...fakeServer('hanging', server.received), close: () => new Promise<void>(() => undefined) };
    const { call, clock, logged, ports } = await control({ ...server, fork: async () => hanging });
    await call('POST', '/forks');
    const deleted = call('DELETE', '/forks/f1');
    await clock.advance(4999);
    expect([logged, ports]).toEqual([[], ['https://port-1.invalid']]);
    await clock.advance(1);
    expect(await deleted).toMatchObject(SUCCESS);
    expect(logged).toEqual(['a server is abandoned: it has closed its port, but a request of it does not end']);
    expect(clock.pending).toBe(0);
  });

  it('advances the clock of a server or fork', async () => {
    const { call } = await control(fakeServer());
    await call('POST', '/forks');
    expect(await call('POST', '/forks/f1/clock/advance', { duration: '1h30m' })).toEqual({
      code: 200,
      body: { now: '2024-01-01T01:30:00.000Z', time: 'manual' },
    });
    expect((await call('GET', '/clock')).body).toEqual({ now: '2024-01-01T00:00:00.000Z', time: 'manual' });
  });

  it.each([
    ['', 'the command needs a body'],
    ['{', 'the body is not valid JSON'],
    ['[]', 'the member duration must be a string such as "2h", "1m30s" or "500ms"'],
    ['{"duration":7}', 'the member duration must be a string such as "2h", "1m30s" or "500ms"'],
    ['{"duration":"soon"}', 'time: invalid duration "soon"'],
    ['{"duration":"5"}', 'time: missing unit in duration "5"'],
    ['{"duration":"-5s"}', 'the member duration must not be negative, got "-5s"'],
  ])('refuses to advance the clock by %s', async (body, message) => {
    const server = fakeServer();
    const { call } = await control(server);
    expect(await call('POST', '/clock/advance', body)).toMatchObject(status(400, message));
    expect(server.received).toEqual([]);
  });

  it('settles, resets and loads', async () => {
    const server = fakeServer();
    const { call } = await control(server);
    expect(await call('POST', '/settled')).toMatchObject(SUCCESS);
    expect(await call('POST', '/load', 'kind: ConfigMap')).toEqual({
      code: 200,
      body: { items: [{ kind: 'ConfigMap' }] },
    });
    await call('POST', '/faults', { verb: 'get' });
    expect(await call('POST', '/reset')).toMatchObject(SUCCESS);
    expect((await call('GET', '/faults')).body).toEqual({ items: [] });
    expect(server.received).toEqual([
      'main: settled',
      'main: load kind: ConfigMap',
      'main: fault {"verb":"get"}',
      'main: reset',
    ]);
  });

  it('refuses a body that is too long', async () => {
    const { call } = await control(fakeServer());
    const answer = await call('POST', '/clock/advance', JSON.stringify({ duration: '1'.repeat(300 * 1024) }));
    expect(answer).toMatchObject(status(413, 'Request entity too large: limit is 262144 bytes'));
  });

  it('adds, counts and removes fault rules', async () => {
    const server = fakeServer();
    const { call } = await control(server);
    await call('POST', '/forks');
    const added = await call('POST', '/faults', { verb: 'get' });
    expect(added).toEqual({ code: 201, body: { id: 'r1', hits: 2, rule: { verb: 'get' } } });
    await call('POST', '/faults', { verb: 'list' });
    expect((await call('GET', '/faults')).body).toMatchObject({ items: [{ id: 'r1' }, { id: 'r2' }] });
    expect((await call('GET', '/forks/f1/faults')).body).toEqual({ items: [] });
    expect(await call('DELETE', '/faults/r1')).toEqual({ ...added, code: 200 });
    expect(await call('DELETE', '/faults/r1')).toMatchObject(status(404, 'fault rule "r1" not found'));
    expect(await call('DELETE', '/faults')).toMatchObject(SUCCESS);
    expect((await call('GET', '/faults')).body).toEqual({ items: [] });
    expect(server.received.slice(1)).toEqual([
      'main: fault {"verb":"get"}',
      'main: fault {"verb":"list"}',
      'main: remove {"verb":"get"}',
      'main: clear faults',
    ]);
  });

  it('refuses an invalid fault rule with the reason', async () => {
    const { call } = await control(fakeServer());
    expect(await call('POST', '/faults', [])).toMatchObject(
      status(400, 'the body must be a fault rule: a JSON object'),
    );
    expect(await call('POST', '/faults', {})).toMatchObject(status(400, 'the member verb is required'));
    expect((await call('GET', '/faults')).body).toEqual({ items: [] });
  });

  it('adds, counts and removes rules of the simulation', async () => {
    const server = fakeServer();
    const { call } = await control(server);
    await call('POST', '/forks');
    const rule = { become: 'Failed' };
    const added = await call('POST', '/simulation/rules', rule);
    expect(added).toEqual({ code: 201, body: { id: 'r1', hits: 2, rule } });
    await call('POST', '/simulation/rules', rule);
    expect((await call('GET', '/simulation/rules')).body).toMatchObject({ items: [{ id: 'r1' }, { id: 'r2' }] });
    expect((await call('GET', '/forks/f1/simulation/rules')).body).toEqual({ items: [] });
    expect(await call('DELETE', '/simulation/rules/r1')).toEqual({ ...added, code: 200 });
    expect(await call('DELETE', '/simulation/rules/r1')).toMatchObject(status(404, 'rule "r1" not found'));
    expect(await call('DELETE', '/simulation/rules')).toMatchObject(SUCCESS);
    expect((await call('GET', '/simulation/rules')).body).toEqual({ items: [] });
    expect(server.received.filter((line) => line.includes(' remove '))).toHaveLength(2);
    await call('POST', '/simulation/rules', rule);
    await call('POST', '/reset');
    expect((await call('GET', '/simulation/rules')).body).toEqual({ items: [] });
    expect(await call('POST', '/simulation/rules', [])).toMatchObject(
      status(400, 'the body must be a rule: a JSON object'),
    );
    expect(await call('POST', '/simulation/rules', {})).toMatchObject(status(400, 'the member become is required'));
  });

  it('passes the filter of the request log', async () => {
    const { call } = await control(fakeServer());
    expect((await call('GET', '/requests?verb=get&name=a%20b')).body).toEqual({
      items: [{ filter: { verb: 'get', name: 'a b' } }],
    });
  });

  it.each([
    ['POST', '/forks', 'fork'],
    ['POST', '/reset', 'reset'],
    ['POST', '/load', 'loading of manifests'],
    ['GET', '/faults', 'fault rules'],
    ['GET', '/simulation/rules', 'simulated nodes'],
    ['POST', '/simulation/rules', 'simulated nodes'],
    ['GET', '/requests', 'request log'],
  ])('%s %s says when the server lacks the part', async (method, path, part) => {
    const { fork: _fork, reset: _reset, load: _load, faults: _faults, requests: _requests, ...others } = fakeServer();
    const { simulation: _simulation, ...least } = others;
    const { call } = await control(least);
    expect(await call(method, path, method === 'POST' ? '{}' : undefined)).toMatchObject(
      status(501, `this test server has no ${part}`),
    );
  });
});
