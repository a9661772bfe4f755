import { describe, expect, test } from 'vitest';
import type { batchV1 } from '../../../src/kinds/types/index.js';
import type { TestServer } from '../../../src/entries/testing.js';
import { cronJobsIn, eventsOf, jobsIn, start, template, type CronJobObject } from './support.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Minutes since the epoch at the start of each test. */
const START_MINUTE = 28_401_120;

async function create(test: TestServer, spec: Partial<batchV1.CronJobSpec> = {}): Promise<void> {
  const jobTemplate = { spec: { template: template() } };
  await cronJobsIn(test).create({ metadata: { name: 'tick' }, spec: { schedule: '* * * * *', jobTemplate, ...spec } });
  await test.settled();
}

const cronJobOf = (test: TestServer): Promise<CronJobObject> => cronJobsIn(test).get('tick');

/** Names of the Jobs, as minutes since the start. */
const startedAt = async (test: TestServer): Promise<number[]> =>
  (await jobsIn(test).list()).items
    .map(({ metadata }) => Number(metadata.name?.replace('tick-', '')) - START_MINUTE)
    .sort((a, b) => a - b);

describe('a CronJob', () => {
  test('starts a Job at each time of its schedule', async () => {
    await using test = await start();
    await create(test);
    await test.advance(MINUTE_MS - 1);
    expect(await startedAt(test)).toEqual([]);
    await test.advance(1);
    expect(await startedAt(test)).toEqual([1]);
    expect((await cronJobOf(test)).status).toEqual({
      lastScheduleTime: '2024-01-01T00:01:00Z',
      lastSuccessfulTime: '2024-01-01T00:01:00Z',
    });
    const job = await jobsIn(test).get(`tick-${START_MINUTE + 1}`);
    expect(job.metadata.annotations).toEqual({
      'batch.kubernetes.io/cronjob-scheduled-timestamp': '2024-01-01T00:01:00Z',
    });
    expect(job.metadata.ownerReferences).toMatchObject([{ kind: 'CronJob', name: 'tick', controller: true }]);
    expect(await eventsOf(test, 'tick')).toEqual([
      `SuccessfulCreate: Created job tick-${START_MINUTE + 1}`,
      `SawCompletedJob: Saw completed job: tick-${START_MINUTE + 1}, status: Complete`,
    ]);
    await test.advance(MINUTE_MS);
    expect(await startedAt(test)).toEqual([1, 2]);
  });

  test('lists its active Jobs', async () => {
    await using test = await start();
    test.pods.matching({}).become('Running');
    await create(test);
    await test.advance(MINUTE_MS);
    const { metadata } = await jobsIn(test).get(`tick-${START_MINUTE + 1}`);
    expect((await cronJobOf(test)).status?.active).toMatchObject([
      { apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: metadata.name, uid: metadata.uid },
    ]);
    await jobsIn(test).delete(metadata.name ?? '', { propagationPolicy: 'Background' });
    await test.settled();
    expect((await cronJobOf(test)).status?.active).toBeUndefined();
    expect((await eventsOf(test, 'tick')).at(-1)).toBe(`MissingJob: Active job went missing: ${metadata.name}`);
  });

  test.each([
    ['Allow', [1, 2, 3]],
    ['Forbid', [1]],
    ['Replace', [3]],
  ])('with the policy %s has the Jobs %j while they all run', async (concurrencyPolicy, jobs) => {
    await using test = await start();
    test.pods.matching({}).become('Running');
    await create(test, { concurrencyPolicy });
    await test.advance(3 * MINUTE_MS);
    expect(await startedAt(test)).toEqual(jobs);
    expect((await cronJobOf(test)).status?.active).toHaveLength(jobs.length);
  });

  test('starts the Job that it had to forbid when the other one ends', async () => {
    await using test = await start();
    test.pods.matching({}).become('Succeeded', { completeAfter: '90s' });
    await create(test, { concurrencyPolicy: 'Forbid' });
    await test.advance(2.5 * MINUTE_MS);
    expect(await startedAt(test)).toEqual([1, 2]);
  });

  test('keeps as many ended Jobs as its limits say', async () => {
    await using test = await start();
    await create(test, { successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 });
    await test.advance(4 * MINUTE_MS);
    expect(await startedAt(test)).toEqual([3, 4]);
    test.pods.matching({}).become('Failed');
    await cronJobsIn(test).patch('tick', { spec: { jobTemplate: { spec: { backoffLimit: 0 } } } });
    await test.advance(3 * MINUTE_MS);
    expect(await startedAt(test)).toEqual([3, 4, 7]);
  });

  test('starts nothing while it is suspended, and then the last missed Job', async () => {
    await using test = await start();
    await create(test, { suspend: true });
    await test.advance(10.5 * MINUTE_MS);
    expect(await startedAt(test)).toEqual([]);
    await cronJobsIn(test).patch('tick', { spec: { suspend: false } });
    await test.settled();
    expect(await startedAt(test)).toEqual([10]);
  });

  test('starts no Job that is too late', async () => {
    await using test = await start();
    await create(test, { schedule: '0 * * * *', suspend: true, startingDeadlineSeconds: 60 });
    await test.advance(HOUR_MS + 61_000);
    await cronJobsIn(test).patch('tick', { spec: { suspend: false } });
    await test.settled();
    expect(await startedAt(test)).toEqual([]);
    await test.advance(HOUR_MS);
    expect(await startedAt(test)).toEqual([120]);
  });

  test('reports when it has missed many times', async () => {
    await using test = await start();
    await create(test, { suspend: true });
    await test.advance(102 * MINUTE_MS);
    await cronJobsIn(test).patch('tick', { spec: { suspend: false } });
    await test.settled();
    expect(await startedAt(test)).toEqual([102]);
    expect((await eventsOf(test, 'tick'))[0]).toBe(
      'TooManyMissedTimes: too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
    );
  });

  test('follows a changed schedule from then on', async () => {
    await using test = await start();
    await create(test, { schedule: '30 * * * *' });
    await test.advance(20 * MINUTE_MS);
    await cronJobsIn(test).patch('tick', { spec: { schedule: '*/15 * * * *' } });
    await test.settled();
    expect(await startedAt(test)).toEqual([]);
    await test.advance(10 * MINUTE_MS);
    expect(await startedAt(test)).toEqual([30]);
    await test.advance(15 * MINUTE_MS);
    expect(await startedAt(test)).toEqual([30, 45]);
  });

  test('follows the clocks of its time zone', async () => {
    await using test = await start();
    await create(test, { schedule: '0 6 * * *', timeZone: 'Europe/Berlin' });
    await test.advance(5 * HOUR_MS);
    expect(await startedAt(test)).toEqual([300]);
    const { metadata } = await jobsIn(test).get(`tick-${START_MINUTE + 300}`);
    expect(metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp']).toBe('2024-01-01T06:00:00+01:00');
  });

  test('with a schedule that never comes reports it', async () => {
    await using test = await start();
    await create(test, { schedule: '0 0 30 2 *' });
    expect(await eventsOf(test, 'tick')).toEqual([
      'InvalidSchedule: invalid schedule: 0 0 30 2 * : time difference between two schedules is less than 1 second',
    ]);
  });

  test('leaves a Job of another owner with the name alone', async () => {
    await using test = await start();
    const name = `tick-${START_MINUTE + 1}`;
    await jobsIn(test).create({ metadata: { name }, spec: { template: template() } });
    await create(test);
    await test.advance(MINUTE_MS);
    expect((await jobsIn(test).get(name)).metadata.ownerReferences).toBeUndefined();
    expect((await cronJobOf(test)).status).toEqual({});
  });
});
