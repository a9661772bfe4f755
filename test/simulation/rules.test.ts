import { describe, expect, test } from 'vitest';
import { createSimulation } from '../../src/entries/controllers.js';
import { Job } from '../../src/kinds/builtin/index.js';
import { ApiServer } from '../../src/apiserver/api-server.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { createPod, podsOf, podWith, shown, stateOf } from './support.js';

const start = (): Promise<TestServer> => startTestServer({ dialect: 'kubernetes', simulate: { nodes: 1 } });
const UP = 'Running ready=True up restarts=0';
const NOT_READY = 'Running ready=False up restarts=0';

describe('a rule about pods', () => {
  test.each([
    ['labels', { labels: { app: 'web' } }, ['web']],
    ['a label selector', { labels: 'app in (web, api), tier!=old' }, ['web']],
    ['a label selector alone', 'app', ['db', 'web']],
    ['a namespace', { namespace: 'default' }, ['db', 'web']],
    ['another namespace', { namespace: 'other' }, []],
    ['a name', { name: 'web' }, ['web']],
    ['a pattern of names', { name: /^.b/ }, ['db']],
    ['an image without its tag', { image: 'registry.example:5000/db' }, ['db']],
    ['an image with its tag', { image: 'registry.example:5000/db:16' }, ['db']],
    ['an image with another tag', { image: 'registry.example:5000/db:17' }, []],
    ['a pattern of images', { image: /db:1\d$/ }, ['db']],
    ['an owner', { owner: 'Job' }, []],
    ['a node', { node: 'node-1' }, ['db', 'web']],
    ['two conditions', { labels: { app: 'web' }, name: 'db' }, []],
    ['nothing', {}, ['db', 'web']],
  ])('matches %s', async (_what, match, names) => {
    await using server = await start();
    const rule = server.pods.matching(match).become('NotReady');
    await podsOf(server).create(podWith('web', {}, { labels: { app: 'web' } }));
    const containers = [{ name: 'main', image: 'registry.example:5000/db:16' }];
    await podsOf(server).create(podWith('db', { containers }, { labels: { app: 'db' } }));
    await server.settled();
    const hit: string[] = [];
    for (const name of ['db', 'web']) if ((await stateOf(server, name)) === NOT_READY) hit.push(name);
    expect(hit).toEqual(names);
    expect(rule.hits).toBe(names.length);
  });

  test('affects pods that run already, and lets them go when it stops', async () => {
    await using server = await start();
    await createPod(server, 'web');
    const rule = server.pods.matching('').become('CrashLoopBackOff', { after: '5s' });
    await server.advance(4999);
    expect(await stateOf(server, 'web')).toBe(UP);
    await server.advance(1);
    expect(await stateOf(server, 'web')).toBe('Running ready=False CrashLoopBackOff restarts=1');
    rule.stop();
    await server.settled();
    expect(await stateOf(server, 'web')).toBe('Running ready=True up restarts=2');
    rule.stop();
    expect(rule.hits).toBe(1);
  });

  test('ends with the block that uses it', async () => {
    await using server = await start();
    {
      using rule = server.pods.matching({}).become('NotReady');
      await createPod(server, 'web');
      expect(rule.hits).toBe(1);
      expect(await stateOf(server, 'web')).toBe(NOT_READY);
    }
    await server.settled();
    expect(await stateOf(server, 'web')).toBe(UP);
  });

  test('that is newer wins over an older one', async () => {
    await using server = await start();
    const older = server.pods.matching({}).become('NotReady');
    const newer = server.pods.matching({ name: 'web' }).become('Running');
    await createPod(server, 'web');
    expect(await stateOf(server, 'web')).toBe(UP);
    newer.stop();
    await server.settled();
    expect(await stateOf(server, 'web')).toBe(NOT_READY);
    expect([older.hits, newer.hits]).toEqual([1, 1]);
  });

  test('delays the start of new pods', async () => {
    await using server = await start();
    server.pods.matching({}).become('Running', { after: '3s', readyAfter: 2000 });
    await createPod(server, 'web');
    expect(await stateOf(server, 'web')).toBe('Pending ready=False ContainerCreating restarts=0');
    await server.advance(3000);
    expect(await stateOf(server, 'web')).toBe(NOT_READY);
    await server.advance(2000);
    expect(await stateOf(server, 'web')).toBe(UP);
  });

  test('can keep containers from starting', async () => {
    await using server = await start();
    server.pods.matching({}).become('ContainerCreating');
    await createPod(server, 'web');
    await server.advance(3_600_000);
    expect(await stateOf(server, 'web')).toBe('Pending ready=False ContainerCreating restarts=0');
  });

  test('can keep a pod unscheduled, which does not affect those that run', async () => {
    await using server = await start();
    await createPod(server, 'old');
    const rule = server.pods.matching({}).become('Pending', { message: 'no room' });
    const pod = await createPod(server, 'new');
    expect(pod.spec?.nodeName).toBeUndefined();
    expect(pod.status?.conditions).toMatchObject([{ reason: 'Unschedulable', message: 'no room' }]);
    expect(await stateOf(server, 'old')).toBe(UP);
    rule.stop();
    await server.settled();
    expect(await stateOf(server, 'new')).toBe(UP);
    expect(rule.hits).toBe(1);
  });

  test('does not bring ended pods back', async () => {
    await using server = await start();
    const rule = server.pods.matching({}).become('Failed');
    await createPod(server, 'web', { restartPolicy: 'Never' });
    rule.stop();
    server.pods.matching({}).become('Running');
    await server.settled();
    expect(await stateOf(server, 'web')).toBe('Failed ready=False Error restarts=0');
  });
});

describe('a rule about the first pods', () => {
  test('lets the first pod of a Job fail, and the second succeed', async () => {
    await using server = await start();
    const rule = server.pods.matching({ owner: 'Job/import', first: 1 }).become('Failed');
    const jobs = server.client.resource(Job).namespace('default');
    const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'import' }] };
    await jobs.create({ metadata: { name: 'import' }, spec: { template: { spec } } });
    await server.advance(10_000);
    expect((await jobs.get('import')).status).toMatchObject({ failed: 1, succeeded: 1 });
    expect(rule.hits).toBe(1);
  });

  test('counts a pod once, and lets the others follow an older rule', async () => {
    await using server = await start();
    server.pods.matching({}).become('Succeeded');
    server.pods.matching({ first: 2 }).become('NotReady');
    const states: string[] = [];
    for (const name of ['a', 'b', 'c']) states.push(shown(await createPod(server, name, { restartPolicy: 'Never' })));
    await server.advance(60_000);
    expect(states.map((state) => state.split(' ')[0])).toEqual(['Running', 'Running', 'Succeeded']);
    expect(await stateOf(server, 'a')).toBe(NOT_READY);
  });
});

describe('a mistake in a rule', () => {
  test.each([
    [
      'an unknown outcome',
      (s: TestServer) => s.pods.matching({}).become('CrashloopBackof' as never),
      /^pods cannot become "CrashloopBackof"; did you mean "CrashLoopBackOff"\?; an outcome is one of Running, NotReady,/,
    ],
    [
      'an outcome without a name',
      (s: TestServer) => s.pods.matching({}).become(undefined as never),
      /^pods cannot become undefined; an outcome is one of/,
    ],
    [
      'an unknown option',
      (s: TestServer) => s.pods.matching({}).become('Pending', { after: 3 } as never),
      /^become\("Pending"\): unknown option "after"; known options: message$/,
    ],
    [
      'a duration that is none',
      (s: TestServer) => s.pods.matching({}).become('Running', { after: '5' }),
      /^become\("Running"\): the option after must be milliseconds, or a string such as "5s" or "1m30s", got "5"$/,
    ],
    [
      'a failure with success',
      (s: TestServer) => s.pods.matching({}).become('Failed', { exitCode: 0 }),
      /the option exitCode must be an exit code from 1 to 255 \(the outcome Succeeded has the exit code 0\), got 0$/,
    ],
    [
      'an unknown condition',
      (s: TestServer) => s.pods.matching({ label: 'x' } as never),
      /^pods.matching: unknown option "label"; did you mean "labels"\?$/,
    ],
    [
      'a selector that is none',
      (s: TestServer) => s.pods.matching('a=b=c'),
      /^pods.matching: "a=b=c" is not a label selector such as "app=web": /,
    ],
    [
      'an unknown outcome of nodes',
      (s: TestServer) => s.nodes.matching('n').become('Down' as never),
      /^nodes cannot become "Down"; an outcome is one of NotReady, Unreachable, Cordoned$/,
    ],
  ])('as %s is refused at once', async (_what, call, message) => {
    await using server = await start();
    expect(() => call(server)).toThrow(TypeError);
    expect(() => call(server)).toThrow(message);
  });

  test('as a rule without simulated nodes names the remedy', async () => {
    await using server = await startTestServer();
    expect(() => server.pods.matching({})).toThrow(
      'test.pods needs simulated nodes: start the server with startTestServer({ simulate: true })',
    );
  });

  test.each([
    [
      { simulate: 3 as never },
      'startTestServer: the option simulate must be true, or options such as { nodes: 3 }, got 3',
    ],
    [{ simulate: { node: 3 } as never }, 'createSimulation: unknown option "node"; did you mean "nodes"?'],
    [{ simulate: { nodes: -1 } }, 'createSimulation: the option nodes must be'],
    [
      { simulate: { nodes: [{ taints: [{ key: 'a' } as never] }] } },
      'createSimulation: the option nodes[0].taints[0].effect is required',
    ],
  ])('in the options %j is refused', async (options, message) => {
    await expect(startTestServer(options)).rejects.toThrow(message);
  });
});

describe('a simulation', () => {
  test('belongs to one server', async () => {
    const simulation = createSimulation({ nodes: 1 });
    await using first = new ApiServer({ simulation });
    await first.settled();
    simulation.pods.matching({}).become('NotReady');
    const errors: unknown[] = [];
    const logger = {
      info: () => undefined,
      error: (_text: string, fields?: { error?: unknown }) => void errors.push(fields?.error),
    };
    await using second = new ApiServer({ simulation, observability: { logger } });
    await second.settled();
    expect(errors).toEqual([new Error('a simulation belongs to one server; create one for each')]);
  });
});
