import type { Client } from '../../../src/entries/client.js';
import { formatTime } from '../../../src/foundation/time/time.js';
import type { ObjectMeta } from '../../../src/foundation/objects/object.js';
import type { ObjectOf } from '../../../src/registry/definition/definition.js';
import { Deployment, Event, Pod, ReplicaSet } from '../../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer, type TestServerOptions } from '../../../src/entries/testing.js';

export type PodObject = ObjectOf<typeof Pod>;
export type ReplicaSetObject = ObjectOf<typeof ReplicaSet>;
export type DeploymentObject = ObjectOf<typeof Deployment>;

/** A template of pods with one container. */
export const template = (image = 'web:1', labels: Record<string, string> = { app: 'web' }) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'main', image }] },
});

export const selector = { matchLabels: { app: 'web' } };

/** A server whose pods change only by the hand of the test. */
export interface Bench extends Omit<TestServer, 'pods'> {
  readonly pods: Pods;
  /** Messages of the events about an object, oldest first. */
  messages(name: string, reason?: string): Promise<string[]>;
}

export interface Pods {
  all(): Promise<PodObject[]>;
  names(): Promise<string[]>;
  /** Writes the status of a pod as a node would. */
  become(pod: PodObject, phase: string, ready?: boolean): Promise<void>;
  /** Makes all pods that are not ready yet, and that the filter accepts, running and ready. */
  makeReady(filter?: (pod: PodObject) => boolean): Promise<number>;
}

export async function bench(options: TestServerOptions = {}): Promise<Bench> {
  const test = await startTestServer({ dialect: 'kubernetes', ...options });
  const pods = podsOf(test);
  return Object.assign(test, {
    pods,
    async messages(name: string, reason?: string) {
      const { items } = await test.client.resource(Event).namespace('default').list();
      return items
        .filter((event) => event.involvedObject.name === name && (reason === undefined || event.reason === reason))
        .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
        .map(({ message }) => message ?? '');
    },
  });
}

function podsOf({ client, clock, settled }: TestServer): Pods {
  const pods = client.resource(Pod).namespace('default');
  const all = async (): Promise<PodObject[]> => (await pods.list()).items;
  const become = async (pod: PodObject, phase: string, ready = false): Promise<void> => {
    const time = formatTime(clock.now());
    const condition = { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: time };
    await pods.updateStatus({ ...pod, status: { ...pod.status, phase, conditions: [condition] } });
  };
  return {
    all,
    become,
    names: async () => (await all()).map(({ metadata }) => metadata.name ?? ''),
    async makeReady(filter = () => true) {
      const waiting = (await all()).filter((pod) => !ready(pod) && pod.status?.phase !== 'Failed' && filter(pod));
      for (const pod of waiting) await become(pod, 'Running', true);
      await settled();
      return waiting.length;
    },
  };
}

export const ready = ({ status }: PodObject): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

export const imageOf = ({ spec }: PodObject): string => spec?.containers[0]?.image ?? '';

export function replicaSet(
  name: string,
  spec: Partial<NonNullable<ReplicaSetObject['spec']>> = {},
  metadata: ObjectMeta = {},
) {
  return { metadata: { name, ...metadata }, spec: { replicas: 1, selector, template: template(), ...spec } };
}

export function deployment(
  name: string,
  spec: Partial<NonNullable<DeploymentObject['spec']>> = {},
  metadata: ObjectMeta = {},
) {
  return {
    metadata: { name, ...metadata },
    spec: {
      replicas: 1,
      selector,
      template: template(),
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      ...spec,
    },
  };
}

export const setsIn = (client: Client) => client.resource(ReplicaSet).namespace('default');
export const deploymentsIn = (client: Client) => client.resource(Deployment).namespace('default');
