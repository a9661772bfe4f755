import type { batchV1 } from '../../../src/kinds/types/index.js';
import { parseTime } from '../../../src/foundation/time/time.js';
import type { ObjectOf } from '../../../src/registry/definition/definition.js';
import { CronJob, Event, Job, Pod } from '../../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer, type TestServerOptions } from '../../../src/entries/testing.js';

export type JobObject = ObjectOf<typeof Job>;
export type PodObject = ObjectOf<typeof Pod>;
export type CronJobObject = ObjectOf<typeof CronJob>;

export const start = (options: TestServerOptions = {}): Promise<TestServer> =>
  startTestServer({ dialect: 'kubernetes', simulate: { nodes: 1 }, ...options });

export const template = (restartPolicy = 'Never'): batchV1.JobSpec['template'] => ({
  spec: { restartPolicy, containers: [{ name: 'main', image: 'batch:1' }] },
});

export const jobsIn = ({ client }: TestServer) => client.resource(Job).namespace('default');
export const podsIn = ({ client }: TestServer) => client.resource(Pod).namespace('default');
export const cronJobsIn = ({ client }: TestServer) => client.resource(CronJob).namespace('default');

/** Creates a Job and waits until nothing happens without time. */
export async function createJob(
  test: TestServer,
  spec: Partial<batchV1.JobSpec> = {},
  name = 'work',
): Promise<JobObject> {
  await jobsIn(test).create({ metadata: { name }, spec: { template: template(), ...spec } });
  await test.settled();
  return jobsIn(test).get(name);
}

export const jobOf = (test: TestServer, name = 'work'): Promise<JobObject> => jobsIn(test).get(name);

/** The state of a Job in a line: counts, and the conditions that are true with their reasons. */
export function shown({ status = {} }: JobObject): string {
  const { active = 0, ready = 0, succeeded = 0, failed = 0, terminating = 0, conditions = [] } = status;
  const held = conditions.filter((condition) => condition.status === 'True');
  const counts = Object.entries({ active, ready, succeeded, failed, terminating }).filter(([, count]) => count > 0);
  return [
    ...counts.map(([name, count]) => `${name}=${count}`),
    ...held.map(({ type, reason }) => `${type}:${reason}`),
  ].join(' ');
}

export const stateOf = async (test: TestServer, name = 'work'): Promise<string> => shown(await jobOf(test, name));

export const podsOf = async (test: TestServer): Promise<PodObject[]> => (await podsIn(test).list()).items;

/** Events about an object, oldest first: `reason: message`. */
export async function eventsOf({ client }: TestServer, name: string): Promise<string[]> {
  const { items } = await client.resource(Event).namespace('default').list();
  return items
    .filter((event) => event.involvedObject.name === name)
    .sort(
      (a, b) =>
        (parseTime(a.firstTimestamp ?? '') ?? 0) - (parseTime(b.firstTimestamp ?? '') ?? 0) ||
        ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1),
    )
    .map(({ reason, message }) => `${reason}: ${message}`);
}
