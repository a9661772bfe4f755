/** Attacks on controllers: many objects of a kind that depend on many of another one. */
import { fill } from './kinds.js';
import type { Answer, Row } from './row.js';
import { threadTime } from './thread-time.js';
import type { World } from './world.js';

export const CORE = '/api/v1/namespaces/attack';
export const APPS = '/apis/apps/v1/namespaces/attack';
export const BATCH = '/apis/batch/v1/namespaces/attack';

/** Interval of looking whether the controllers have work, and time of the processor in it beside that of the probe. */
const LOOK_MS = 500;
const IDLE_MS = 25;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Time of the processor that a server uses in an interval, in milliseconds. */
async function usedBy({ pid }: World): Promise<number> {
  const time = threadTime(String(pid));
  const before = time().cpuMs;
  await pause(LOOK_MS);
  return time().cpuMs - before;
}

/** Waits until the controllers have no work. @param idleMs time of the processor that the server uses without */
async function quiet(world: World, idleMs: number, signal?: AbortSignal): Promise<void> {
  for (let idle = 0; idle < 2 && signal?.aborted !== true;)
    idle = (await usedBy(world)) < 1.5 * idleMs + IDLE_MS ? idle + 1 : 0;
}

/** Requests that are equal but for a number. */
export interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly type?: string;
  readonly times?: number;
  readonly atOnce?: number;
  readonly body?: (index: number) => object;
}

/** Objects, and what is done with them. */
export interface Crowd {
  /** The objects that are there before. */
  readonly before?: readonly Sent[];
  readonly sends: readonly Sent[];
  readonly flags?: readonly string[];
  readonly rights?: Row['rights'];
  readonly statuses?: readonly number[];
  readonly keepsMb?: number;
  /** See {@link Row.mayLog}. */
  readonly mayLog?: RegExp;
}

export const MERGE = 'application/merge-patch+json';

async function prepared(world: World, before: readonly Sent[]): Promise<void> {
  for (const { path, times = 1, body = () => ({}) } of before)
    await fill(world, path, times, (index) => JSON.stringify(body(index)));
  await quiet(world, 0);
}

/** Sends requests, one kind after another, and waits until the controllers have done their work. */
async function sendAll(world: World, signal: AbortSignal, { sends, rights = 'edit' }: Crowd): Promise<Answer[]> {
  const client = world.as(rights).until(signal);
  const idleMs = await usedBy(world);
  const answers: Answer[] = [];
  for (const { path, method = 'POST', type, times = 1, atOnce = 8, body } of sends) {
    const flood = await client.flood({
      request: (index) => ({
        ...{ method, path: path.replace('{index}', String(index)) },
        ...(type === undefined ? {} : { type }),
        ...(body === undefined ? {} : { body: JSON.stringify(body(index)) }),
      }),
      ...{ times, atOnce },
    });
    answers.push(...flood);
  }
  await quiet(world, idleMs, signal);
  client.close();
  return answers;
}

export const CONTAINERS = [{ name: 'c', image: 'i' }];
const selected = { labels: { app: 'a' } };
export const template = { metadata: selected, spec: { containers: CONTAINERS } };
export const selector = { matchLabels: { app: 'a' } };

export const pod = (name: string, labels: object = { app: 'a' }, spec: object = {}): object => ({
  metadata: { name, labels },
  spec: { containers: CONTAINERS, ...spec },
});
export const pods = (times: number, spec: object = {}): Sent => ({
  ...{ path: `${CORE}/pods`, times },
  body: (index) => pod(`p${index}`, { app: 'a', one: `v${index}` }, spec),
});
export const relabelled = (times: number): Sent => ({
  ...{ method: 'PATCH', type: MERGE, path: `${CORE}/pods/p{index}`, times },
  body: (index) => ({ metadata: { labels: { changed: `v${index}` } } }),
});
export const numbered = (times: number, name: string, value = 'v'): Record<string, string> =>
  Object.fromEntries(Array.from({ length: times }, (_, index) => [`${name}${index}`, value]));

export const nodes = (count: number): readonly string[] => [`--simulate-nodes=${count}`];
export const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

/** Returns the rows of crowds by their names. */
export const crowdRows = (crowds: Readonly<Record<string, Crowd>>): Row[] =>
  Object.entries(crowds).map(([name, crowd]): Row => {
    const { before = [], flags, mayLog, rights = 'edit', statuses = [200, 201], keepsMb = 48 } = crowd;
    return {
      ...{ name, rights, statuses, keepsMb, byControllers: true },
      ...(flags === undefined ? {} : { flags }),
      ...(mayLog === undefined ? {} : { mayLog }),
      prepare: (world) => prepared(world, before),
      sends: (world, signal) => sendAll(world, signal, crowd),
    };
  });
