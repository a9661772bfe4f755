import { describe, expect, test } from 'vitest';
import { createJob, eventsOf, jobOf, jobsIn, podsIn, podsOf, shown, start, stateOf, template } from './support.js';

describe('a Job', () => {
  test('creates a pod, counts its success, and completes', async () => {
    await using test = await start();
    const job = await createJob(test);
    expect(job.status).toEqual({
      conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({
        ...{ type, status: 'True', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' },
        ...{ lastProbeTime: '2024-01-01T00:00:00Z', lastTransitionTime: '2024-01-01T00:00:00Z' },
      })),
      ...{ startTime: '2024-01-01T00:00:00Z', completionTime: '2024-01-01T00:00:00Z' },
      ...{ succeeded: 1, ready: 0, terminating: 0, uncountedTerminatedPods: {} },
    });
    const [pod] = await podsOf(test);
    expect(pod?.metadata.finalizers).toBeUndefined();
    expect(pod?.metadata.name).toMatch(/^work-[a-z0-9]{5}$/);
    expect(pod?.status?.phase).toBe('Succeeded');
    expect(await eventsOf(test, 'work')).toEqual([
      `SuccessfulCreate: Created pod: ${pod?.metadata.name}`,
      'Completed: Job completed',
    ]);
  });

  test('runs as many pods at a time as it may', async () => {
    await using test = await start();
    test.pods.matching({ owner: 'Job' }).become('Succeeded', { completeAfter: '10s' });
    expect(shown(await createJob(test, { completions: 5, parallelism: 2 }))).toBe('active=2 ready=2');
    await test.advance(10_000);
    expect(await stateOf(test)).toBe('active=2 ready=2 succeeded=2');
    await test.advance(10_000);
    expect(await stateOf(test)).toBe('active=1 ready=1 succeeded=4');
    await test.advance(10_000);
    expect(await stateOf(test)).toBe('succeeded=5 SuccessCriteriaMet:CompletionsReached Complete:CompletionsReached');
  });

  test('without a number of completions is complete when one pod has succeeded and the others have ended', async () => {
    await using test = await start();
    test.pods.matching({ owner: 'Job' }).become('Succeeded', { completeAfter: '10s' });
    await createJob(test, { parallelism: 2 });
    const [first] = await podsOf(test);
    const rule = test.pods.matching({ name: first?.metadata.name }).become('Succeeded');
    await test.settled();
    expect(rule.hits).toBe(1);
    expect(await stateOf(test)).toBe('active=1 ready=1 succeeded=1');
    await test.advance(10_000);
    expect(await stateOf(test)).toBe('succeeded=2 SuccessCriteriaMet:CompletionsReached Complete:CompletionsReached');
  });

  test('replaces failed pods after pauses that double, until it has failed too often', async () => {
    await using test = await start();
    const rule = test.pods.matching({ owner: 'Job/work' }).become('Failed');
    await createJob(test, { backoffLimit: 2 });
    expect(await stateOf(test)).toBe('failed=1');
    await test.advance(9_999);
    expect(rule.hits).toBe(1);
    await test.advance(1);
    expect(rule.hits).toBe(2);
    expect(await stateOf(test)).toBe('failed=2');
    await test.advance(19_999);
    expect(rule.hits).toBe(2);
    await test.advance(1);
    expect(await stateOf(test)).toBe('failed=3 FailureTarget:BackoffLimitExceeded Failed:BackoffLimitExceeded');
    expect((await eventsOf(test, 'work')).at(-1)).toBe(
      'BackoffLimitExceeded: Job has reached the specified backoff limit',
    );
    await test.advance(600_000);
    expect(rule.hits).toBe(3);
  });

  test('whose pods restart in place fails by the number of restarts', async () => {
    await using test = await start();
    test.pods.matching({ owner: 'Job' }).become('Failed');
    await createJob(test, { backoffLimit: 3, template: template('OnFailure') });
    expect(await stateOf(test)).toBe('active=1');
    await test.advance(10_000);
    expect(await stateOf(test)).toBe('active=1');
    await test.advance(20_000);
    expect(await stateOf(test)).toBe('failed=1 FailureTarget:BackoffLimitExceeded Failed:BackoffLimitExceeded');
    expect(await podsOf(test)).toEqual([]);
  });

  test('fails at its deadline and deletes its pods', async () => {
    await using test = await start();
    test.pods.matching({ owner: 'Job' }).become('Running');
    await createJob(test, { activeDeadlineSeconds: 30, parallelism: 2, completions: 2 });
    await test.advance(29_999);
    expect(await stateOf(test)).toBe('active=2 ready=2');
    await test.advance(1);
    expect(await stateOf(test)).toBe('failed=2 FailureTarget:DeadlineExceeded Failed:DeadlineExceeded');
    expect(await podsOf(test)).toEqual([]);
  });

  test('deletes its pods without counting them while it is suspended', async () => {
    await using test = await start();
    test.pods.matching({ owner: 'Job' }).become('Running');
    await createJob(test, { activeDeadlineSeconds: 90 });
    await jobsIn(test).patch('work', { spec: { suspend: true } });
    await test.advance(60_000);
    expect(await stateOf(test)).toBe('Suspended:JobSuspended');
    expect(await podsOf(test)).toEqual([]);
    await jobsIn(test).patch('work', { spec: { suspend: false } });
    await test.settled();
    expect((await jobOf(test)).status).toMatchObject({ active: 1, startTime: '2024-01-01T00:01:00Z' });
    expect((await eventsOf(test, 'work')).map((text) => text.split(':')[0])).toEqual([
      'SuccessfulCreate',
      'SuccessfulDelete',
      'Suspended',
      'SuccessfulCreate',
      'Resumed',
    ]);
    await test.advance(89_000);
    expect(await stateOf(test)).toBe('active=1 ready=1');
    await test.advance(1000);
    expect(await stateOf(test)).toBe('failed=1 FailureTarget:DeadlineExceeded Failed:DeadlineExceeded');
  });

  test('that is created suspended starts with its first pod', async () => {
    await using test = await start();
    expect((await createJob(test, { suspend: true })).status?.startTime).toBeUndefined();
    await test.advance(5000);
    await jobsIn(test).patch('work', { spec: { suspend: false } });
    await test.settled();
    expect((await jobOf(test)).status?.startTime).toBe('2024-01-01T00:00:05Z');
  });

  test('replaces pods that terminate at once, or only when they have ended', async () => {
    for (const [podReplacementPolicy, before] of [
      ['TerminatingOrFailed', 'active=1 ready=1 failed=1 terminating=1'],
      ['Failed', 'terminating=1'],
    ] as const) {
      await using test = await start();
      test.pods.matching({ owner: 'Job' }).become('Running', { terminateAfter: '20s' });
      await createJob(test, { podReplacementPolicy });
      const [pod] = await podsOf(test);
      await podsIn(test).delete(pod?.metadata.name ?? '');
      await test.advance(10_000);
      expect(await stateOf(test)).toBe(before);
      await test.advance(20_000);
      expect(await stateOf(test)).toBe('active=1 ready=1 failed=1');
    }
  });

  test('is left alone when another controller manages it', async () => {
    await using test = await start({ featureGates: { JobManagedBy: true } });
    expect((await createJob(test, { managedBy: 'example.com/manager' })).status).toEqual({});
    expect(await podsOf(test)).toEqual([]);
  });

  test('lets its pods go when it is deleted', async () => {
    await using test = await start();
    test.pods.matching({ owner: 'Job' }).become('Running');
    await createJob(test, { parallelism: 2, completions: 2 });
    await jobsIn(test).delete('work', { propagationPolicy: 'Background' });
    await test.settled();
    expect(await podsOf(test)).toEqual([]);
  });

  test('leaves its pods without a finalizer when they are orphaned', async () => {
    await using test = await start();
    test.pods.matching({}).become('Running');
    await createJob(test);
    await jobsIn(test).delete('work', { propagationPolicy: 'Orphan' });
    await test.settled();
    const [pod] = await podsOf(test);
    expect(pod?.metadata).toMatchObject({ name: expect.stringMatching(/^work-/) });
    expect(pod?.metadata.finalizers).toBeUndefined();
    expect(pod?.metadata.ownerReferences).toBeUndefined();
  });
});
