import { parseTime, type Steps, type Work } from '../../foundation/index.js';
import { objectKey } from '../runtime/informer-cache.js';
import type { PodObject, ServiceObject } from './objects.js';

interface SeenTimes {
  readonly service: number;
  readonly pods: ReadonlyMap<string, number>;
}

const timeOf = (text: string | null | undefined): number => (text ? (parseTime(text) ?? 0) : 0);

const readinessTime = ({ status }: PodObject): number =>
  timeOf((status?.conditions ?? []).find(({ type }) => type === 'Ready')?.lastTransitionTime);

/** Units of work to look at a pod. */
const POD_UNITS = 10;

/** Finds the time of the change that causes new endpoints, from which the delay of the network is measured. */
export class TriggerTimes {
  readonly #seen = new Map<string, SeenTimes>();

  /**
   * Returns the earliest change since the last call for a service, in milliseconds since the epoch: of the readiness of
   * a pod, or the creation of the service. Undefined when nothing that has a time has changed.
   */
  *next(service: ServiceObject, pods: readonly PodObject[], work: Work): Steps<number | undefined> {
    const key = objectKey(service);
    const before = this.#seen.get(key);
    const created = timeOf(service.metadata.creationTimestamp);
    const times = new Map<string, number>();
    let earliest = before !== undefined && created > before.service ? created : Infinity;
    for (const pod of pods) {
      if (work.spend(POD_UNITS)) yield;
      const { name = '' } = pod.metadata;
      const time = readinessTime(pod);
      times.set(name, time);
      if (time > (before?.pods.get(name) ?? 0)) earliest = Math.min(earliest, time);
    }
    this.#seen.set(key, { service: created, pods: times });
    if (before === undefined) return created;
    return earliest === Infinity ? undefined : earliest;
  }

  /** Forgets a removed service. */
  forget(key: string): void {
    this.#seen.delete(key);
  }
}
