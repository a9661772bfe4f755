import { afterEach, expect, test } from 'vitest';
import { ApiServer } from '../../src/apiserver/api-server.js';
import { LastFailures } from '../../src/apiserver/controllers/last-failures.js';
import { Deployment } from '../../src/entries/index.js';
import { createManualClock, startTestServer } from '../../src/entries/testing.js';
import { kubernetes } from '../../src/foundation/index.js';
import type { ControllersReport, ReportedController, ReportedGroup } from '../../src/ui/answers.js';
import { withPage } from '../../src/ui/index.js';
import { readControllers, shownControllers } from '../../src/ui/web/data/controllers.js';
import type { Api } from '../../src/ui/web/data/api.js';
import { requestOf, textOf } from '../server/ask.js';
import { keptOpenStorage } from '../support/kept-open-storage.js';

const tokens = [{ token: 'admin', user: { username: 'alice', groups: ['system:masters'] } }];

/** Returns what a server says of its controllers. */
async function reportOf(server: ApiServer): Promise<ControllersReport> {
  const { handle } = withPage(server.target);
  const answer = await handle(requestOf('GET', '/ui/v1/controllers', { token: 'admin' }));
  expect([answer.status, answer.status === 200 ? '' : textOf(answer)]).toEqual([200, '']);
  return JSON.parse(textOf(answer));
}

const named = ({ controllers }: ControllersReport, name: string): ReportedController | undefined =>
  controllers.find((controller) => controller.name === name);

const deployment = {
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'web' }] } },
  },
};

const opened: ApiServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

test('the server tells the queue of a controller, its last error with the time and the object, and that it goes on', async () => {
  await using api = await startTestServer({ dialect: 'kubernetes', authentication: { tokens } });
  const { server } = api;
  await server.settled();
  // It has no work before there is a deployment.
  expect(named(await reportOf(server), 'deployment')).toMatchObject({
    group: '',
    state: 'waits',
    waiting: 0,
    retries: 0,
  });
  expect(named(await reportOf(server), 'namespace')).toMatchObject({ group: '', state: 'runs' });
  const fault = api.faults.fail(
    { verb: 'create', resource: 'replicasets', controllers: true },
    { status: { code: 500, message: 'no disk' } },
  );
  await server.client().resource(Deployment).namespace('default').create(deployment);
  await server.settled();
  const report = await reportOf(server);
  expect(report).toMatchObject({ identity: '', groups: [], now: api.clock.now() });
  const { error, ...failing } = named(report, 'deployment') ?? {};
  expect(failing).toMatchObject({ state: 'runs', waiting: 0, active: 0, retries: 1, delayed: 1, oldestMs: 0 });
  // The first failure changes the status of the deployment, which may run it again.
  const count = error?.count ?? 0;
  expect(error).toEqual({ time: api.clock.now(), object: 'default/web', message: 'no disk', count });
  expect(count).toBeGreaterThan(0);
  expect(report.controllers.filter((each) => each.error !== undefined).map(({ name }) => name)).toEqual(['deployment']);
  fault.remove();
  await api.advance(1000);
  await server.settled();
  // The error stays as the last one.
  expect(named(await reportOf(server), 'deployment')).toMatchObject({ retries: 0, error: { count } });
});

test('of two servers on a store, each tells who leads, and what it knows itself', async () => {
  const clock = createManualClock();
  const storage = keptOpenStorage(clock);
  const start = async (): Promise<ApiServer> => {
    const server = new ApiServer({
      ...{ dialect: kubernetes, clock, storage, authentication: { tokens } },
      controllers: { leaderElection: true },
    });
    opened.push(server);
    await server.settled();
    return server;
  };
  const [one, two] = [await start(), await start()];
  const [first, second] = [await reportOf(one), await reportOf(two)];
  expect(first.identity).toMatch(/^kube-controller-manager_/);
  expect(second.identity).not.toBe(first.identity);
  expect(first.groups.map(({ name }) => name)).toEqual(second.groups.map(({ name }) => name));
  expect(first.groups.length).toBeGreaterThan(3);
  for (const group of first.groups) expect(group).toEqual({ name: group.name, leader: first.identity, leads: true });
  for (const group of second.groups) expect(group).toEqual({ name: group.name, leader: first.identity, leads: false });
  expect(named(first, 'namespace')).toMatchObject({ group: 'lifecycle', state: 'runs' });
  expect(named(second, 'namespace')).toMatchObject({ group: 'lifecycle', state: 'elsewhere' });
  // Another one takes over.
  await one.close();
  for (let step = 0; step < 9; step += 1) await clock.advance(500);
  await two.settled();
  const later = await reportOf(two);
  for (const group of later.groups) expect(group).toMatchObject({ leader: second.identity, leads: true });
  expect(named(later, 'namespace')).toMatchObject({ state: 'runs' });
});

test('the last failure of a controller is kept alone, with the beginning of a long text', () => {
  const clock = createManualClock();
  const failures = new LastFailures(clock);
  for (let count = 0; count < 1000; count += 1)
    failures.record('job', new Error(`${count} ${'x'.repeat(20_000)}`), 'a/b');
  failures.record('informer', 'gone');
  expect([...failures.names]).toEqual(['job', 'informer']);
  expect(failures.of('job')).toMatchObject({ time: clock.now(), object: 'a/b', count: 1000 });
  expect(failures.of('job')?.message).toMatch(/^999 x+… \(3,620 more\)$/);
  expect(failures.of('informer')).toMatchObject({ message: 'gone', object: '', count: 1 });
  expect(failures.of('namespace')).toBeUndefined();
});

const controllerOf = (name: string, more: Partial<ReportedController> = {}): ReportedController => ({
  ...{ name, group: 'workloads', state: 'runs', waiting: 0, active: 0, retries: 0, delayed: 0, oldestMs: 0 },
  ...more,
});

test('the page reads what a server tells of its controllers, leaves out the rest, and shows those first that fail', async () => {
  const error = { time: 1, message: 'no', object: 'a/b', count: 1 };
  const groups: ReportedGroup[] = [
    { name: 'workloads', leader: 'b', leads: false },
    { name: 'network', leader: '', leads: false },
    { name: 'quota', leader: 'a', leads: true },
  ];
  const controllers = [
    controllerOf('job', { state: 'elsewhere', error }),
    controllerOf('endpoint', { group: 'network', state: 'elsewhere' }),
    controllerOf('resourcequota', { group: 'quota', error, retries: 2 }),
    controllerOf('apiserver-service', { group: '' }),
  ];
  const sent = {
    identity: 'a',
    groups: [...groups, { name: 'bad' }],
    controllers: [...controllers, { name: 'bad' }, { ...controllerOf('worse'), error: { message: 'no' } }],
  };
  const api = { read: () => Promise.resolve(sent) } as unknown as Api;
  const report = await readControllers(api, new AbortController().signal);
  expect(report).toEqual({ identity: 'a', groups, controllers });
  expect(shownControllers(report).map(({ name, leader, isFailing }) => [name, leader, isFailing])).toEqual([
    ['resourcequota', 'this server', true],
    ['job', 'b', false],
    ['endpoint', 'nobody', false],
    ['apiserver-service', 'each server', false],
  ]);
  expect(shownControllers({ ...report, identity: '' })[0]?.leader).toBe('');
});
