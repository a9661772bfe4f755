import { expect, test } from 'vitest';
import { formatTime } from '../../src/foundation/time/time.js';
import { Job, Pod } from '../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';

const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'work' }] } };

async function started(ttlSecondsAfterFinished?: number): Promise<TestServer> {
  // Without the controller of jobs a test finishes the job by hand.
  const test = await startTestServer({ dialect: 'kubernetes', controllers: { disable: ['job'] } });
  const spec = { template, ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }) };
  await test.client
    .resource(Job)
    .namespace('default')
    .create({ metadata: { name: 'work' }, spec });
  return test;
}

async function finish(test: TestServer, type: 'Complete' | 'Failed'): Promise<void> {
  const jobs = test.client.resource(Job).namespace('default');
  const job = await jobs.get('work');
  const now = formatTime(test.clock.now());
  const before = type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  await jobs.updateStatus({
    ...job,
    status: {
      startTime: now,
      ...(type === 'Complete' ? { completionTime: now, succeeded: 1 } : {}),
      conditions: [before, type].map((one) => ({ type: one, status: 'True', lastTransitionTime: now })),
    },
  });
  await test.settled();
}

const jobNames = async ({ client }: TestServer): Promise<(string | undefined)[]> =>
  (await client.resource(Job).namespace('default').list()).items.map(({ metadata }) => metadata.name);

test.each(['Complete', 'Failed'] as const)('a job that is %s is deleted after its time', async (type) => {
  await using test = await started(60);
  await test.advance(120_000);
  expect(await jobNames(test)).toEqual(['work']);
  await finish(test, type);
  await test.advance(59_000);
  expect(await jobNames(test)).toEqual(['work']);
  await test.advance(1_000);
  expect(await jobNames(test)).toEqual([]);
});

test('a job with no time to live stays', async () => {
  await using test = await started();
  await finish(test, 'Complete');
  await test.advance(86_400_000);
  expect(await jobNames(test)).toEqual(['work']);
});

test('a time of zero deletes the job at once', async () => {
  await using test = await started(0);
  await finish(test, 'Complete');
  expect(await jobNames(test)).toEqual([]);
});

test('a job whose time is extended lives longer', async () => {
  await using test = await started(60);
  await finish(test, 'Complete');
  await test.advance(30_000);
  const jobs = test.client.resource(Job).namespace('default');
  await jobs.patch('work', { spec: { ttlSecondsAfterFinished: 120 } });
  await test.advance(60_000);
  expect(await jobNames(test)).toEqual(['work']);
  await test.advance(30_000);
  expect(await jobNames(test)).toEqual([]);
});

test('the pods of the job are deleted before it', async () => {
  await using test = await started(10);
  const job = await test.client.resource(Job).namespace('default').get('work');
  const { name = '', uid = '' } = job.metadata;
  await test.client
    .resource(Pod)
    .namespace('default')
    .create({
      metadata: {
        name: 'work-1',
        ownerReferences: [
          { apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true, blockOwnerDeletion: true },
        ],
      },
      spec: template.spec,
    });
  await finish(test, 'Complete');
  await test.advance(10_000);
  expect((await test.client.resource(Pod).namespace('default').list()).items).toEqual([]);
  expect(await jobNames(test)).toEqual([]);
});
