import type { TestServer } from '../../src/entries/testing.js';
import { Event, Pod } from '../../src/kinds/builtin/index.js';
import type { ObjectOf } from '../../src/registry/definition/definition.js';

export type PodObject = ObjectOf<typeof Pod>;
type PodSpec = NonNullable<PodObject['spec']>;

/** The pods of the namespace `default`. */
export const podsOf = ({ client }: TestServer) => client.resource(Pod).namespace('default');

/** A pod with one container, `main`. */
export function podWith(
  name: string,
  spec: Partial<PodSpec> = {},
  metadata: { labels?: Record<string, string>; finalizers?: string[] } = {},
) {
  return { metadata: { name, ...metadata }, spec: { containers: [{ name: 'main', image: 'shop:1' }], ...spec } };
}

export async function createPod(test: TestServer, name: string, spec: Partial<PodSpec> = {}): Promise<PodObject> {
  await podsOf(test).create(podWith(name, spec));
  await test.settled();
  return podsOf(test).get(name);
}

/** The state of a pod as a table shows it: phase, readiness, state of the first container, restarts. */
export function shown({ status = {} }: PodObject): string {
  const [container] = status.containerStatuses ?? [];
  const { running, waiting, terminated } = container?.state ?? {};
  const state = waiting?.reason ?? terminated?.reason ?? (running === undefined ? '-' : 'up');
  const ready = status.conditions?.find(({ type }) => type === 'Ready')?.status ?? '-';
  return `${status.phase ?? '-'} ready=${ready} ${state} restarts=${container?.restartCount ?? 0}`;
}

export const stateOf = async (test: TestServer, name: string): Promise<string> => shown(await podsOf(test).get(name));

export const problemOf = ({ status }: PodObject): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message;

/** Events about an object, oldest first: `Warning BackOff: message`. */
export async function eventsOf({ client }: TestServer, name: string): Promise<string[]> {
  const { items } = await client.resource(Event).namespace('default').list();
  return items
    .filter((event) => event.involvedObject.name === name)
    .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}
