import { describe, expect, test } from 'vitest';
import type { TestServer } from '../../../src/entries/testing.js';
import { createJob, jobOf, jobsIn, podsOf, start, stateOf } from './support.js';

const INDEX = 'batch.kubernetes.io/job-completion-index';

/** Indexes of the pods that exist, ascending. */
const indexesOf = async (test: TestServer): Promise<number[]> =>
  (await podsOf(test)).map(({ metadata }) => Number(metadata.annotations?.[INDEX])).sort((a, b) => a - b);

const ofIndexes = (...indexes: number[]) => ({ labels: `${INDEX} in (${indexes.join(', ')})` });

const indexed = { completionMode: 'Indexed', completions: 5, parallelism: 5 };

describe('an Indexed Job', () => {
  test('gives each pod its index as name, host name, annotation, label and variable', async () => {
    await using test = await start();
    test.pods.matching({}).become('Running');
    await createJob(test, { ...indexed, completions: 2, parallelism: 2 });
    const pod = (await podsOf(test)).find(({ metadata }) => metadata.annotations?.[INDEX] === '1');
    expect(pod?.metadata.name).toMatch(/^work-1-[a-z0-9]{5}$/);
    expect(pod?.metadata.labels?.[INDEX]).toBe('1');
    expect(pod?.spec?.hostname).toBe('work-1');
    expect(pod?.spec?.containers[0]?.env).toEqual([
      {
        name: 'JOB_COMPLETION_INDEX',
        valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${INDEX}']` } },
      },
    ]);
  });

  test('counts its indexes', async () => {
    await using test = await start();
    test.pods.matching({}).become('Running');
    test.pods.matching(ofIndexes(0, 2, 3, 4)).become('Succeeded');
    const { status } = await createJob(test, indexed);
    expect(status).toMatchObject({ active: 1, succeeded: 4, completedIndexes: '0,2-4' });
    test.pods.matching({}).become('Succeeded');
    await test.settled();
    expect((await jobOf(test)).status).toMatchObject({ succeeded: 5, completedIndexes: '0-4' });
    expect(await stateOf(test)).toBe('succeeded=5 SuccessCriteriaMet:CompletionsReached Complete:CompletionsReached');
  });

  test('starts the lowest indexes first', async () => {
    await using test = await start();
    test.pods.matching({}).become('Running');
    await createJob(test, { ...indexed, parallelism: 2 });
    expect(await indexesOf(test)).toEqual([0, 1]);
    test.pods.matching(ofIndexes(1)).become('Succeeded');
    await test.settled();
    expect(await indexesOf(test)).toEqual([0, 1, 2]);
  });

  test('fails the indexes that fail too often, and itself at the end', async () => {
    await using test = await start();
    test.pods.matching({}).become('Succeeded', { completeAfter: '1m' });
    const rule = test.pods.matching(ofIndexes(1)).become('Failed');
    await createJob(test, { ...indexed, completions: 3, backoffLimitPerIndex: 1 });
    // While it waits to replace a pod, release 1.31 reports no active pods.
    expect((await jobOf(test)).status).toMatchObject({ ready: 2, failedIndexes: '' });
    expect((await jobOf(test)).status?.active).toBeUndefined();
    await test.advance(10_000);
    expect(rule.hits).toBe(2);
    expect((await jobOf(test)).status).toMatchObject({ active: 2, failedIndexes: '1', failed: 2 });
    await test.advance(60_000);
    expect((await jobOf(test)).status).toMatchObject({ completedIndexes: '0,2', failedIndexes: '1' });
    expect(await stateOf(test)).toBe('succeeded=2 failed=2 FailureTarget:FailedIndexes Failed:FailedIndexes');
  });

  test('counts the failures of an index in its next pod', async () => {
    await using test = await start();
    const rule = test.pods.matching({}).become('Failed');
    await createJob(test, { ...indexed, completions: 1, parallelism: 1, backoffLimitPerIndex: 3 });
    rule.stop();
    test.pods.matching({}).become('Running');
    await test.advance(10_000);
    const running = (await podsOf(test)).find(({ status }) => status?.phase === 'Running');
    expect(running?.metadata.annotations?.['batch.kubernetes.io/job-index-failure-count']).toBe('1');
    const ended = (await podsOf(test)).filter(({ status }) => status?.phase === 'Failed');
    expect(ended.map(({ metadata }) => metadata.finalizers)).toEqual([undefined]);
  });

  test('ends when more indexes have failed than it allows', async () => {
    await using test = await start();
    test.pods.matching({}).become('Running');
    test.pods.matching(ofIndexes(0, 1)).become('Failed');
    await createJob(test, { ...indexed, backoffLimitPerIndex: 0, maxFailedIndexes: 1 });
    expect(await stateOf(test)).toBe('failed=5 FailureTarget:MaxFailedIndexesExceeded Failed:MaxFailedIndexesExceeded');
    expect((await jobOf(test)).status?.failedIndexes).toBe('0,1');
  });

  test.each([
    [{ succeededIndexes: '0-1' }, 'succeeded=2 SuccessCriteriaMet:SuccessPolicy Complete:SuccessPolicy'],
    [{ succeededCount: 3 }, 'active=3 ready=3 succeeded=2'],
    [
      { succeededIndexes: '1-4', succeededCount: 1 },
      'succeeded=2 SuccessCriteriaMet:SuccessPolicy Complete:SuccessPolicy',
    ],
  ])('with the success rule %o is %s when indexes 0 and 1 have succeeded', async (rule, state) => {
    await using test = await start();
    test.pods.matching({}).become('Running');
    test.pods.matching(ofIndexes(0, 1)).become('Succeeded');
    await createJob(test, { ...indexed, successPolicy: { rules: [rule] } });
    expect(await stateOf(test)).toBe(state);
  });

  test('can be scaled by completions and parallelism together', async () => {
    await using test = await start();
    test.pods.matching({}).become('Running');
    await createJob(test, { ...indexed, completions: 3, parallelism: 3 });
    await jobsIn(test).patch('work', { spec: { completions: 1, parallelism: 1 } });
    await test.settled();
    expect(await indexesOf(test)).toEqual([0]);
    await jobsIn(test).patch('work', { spec: { completions: 4, parallelism: 4 } });
    await test.settled();
    expect(await indexesOf(test)).toEqual([0, 1, 2, 3]);
    expect((await jobOf(test)).status?.failed).toBeUndefined();
  });
});

describe('the failure policy of a Job', () => {
  const policy = (...rules: object[]) => ({ podFailurePolicy: { rules: rules as never }, backoffLimit: 0 });

  test('fails the Job by an exit code', async () => {
    await using test = await start();
    test.pods.matching({}).become('Failed', { exitCode: 42 });
    await createJob(test, policy({ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }));
    expect(await stateOf(test)).toBe('failed=1 FailureTarget:PodFailurePolicy Failed:PodFailurePolicy');
    const [pod] = await podsOf(test);
    expect((await jobOf(test)).status?.conditions?.at(-1)?.message).toBe(
      `Container main for pod default/${pod?.metadata.name} failed with exit code 42 matching FailJob rule at index 0`,
    );
  });

  test('ignores disruptions', async () => {
    await using test = await start();
    const rule = test.pods.matching({}).become('Evicted');
    await createJob(test, policy({ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }));
    rule.stop();
    await test.advance(10_000);
    expect(await stateOf(test)).toBe('succeeded=1 SuccessCriteriaMet:CompletionsReached Complete:CompletionsReached');
  });

  test('fails an index', async () => {
    await using test = await start();
    test.pods.matching({}).become('Failed', { exitCode: 3 });
    await createJob(test, {
      ...policy({ action: 'FailIndex', onExitCodes: { operator: 'NotIn', values: [1] } }),
      ...{ ...indexed, completions: 2, backoffLimitPerIndex: 5, backoffLimit: 100 },
    });
    expect((await jobOf(test)).status).toMatchObject({ failedIndexes: '0,1', failed: 2 });
  });
});
