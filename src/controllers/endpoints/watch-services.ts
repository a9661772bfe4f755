import { objectKey } from '../runtime/informer-cache.js';
import type { Informer } from '../runtime/informer.js';
import type { Members } from './members.js';
import type { PodObject, ServiceObject } from './objects.js';
import { isChanged, isReassigned } from './pods.js';

/** Options of {@link watchServices}. */
export interface ServiceWatch {
  readonly services: Informer<ServiceObject>;
  readonly pods: Informer<PodObject>;
  readonly members: Members;
  /** Called with the key of each service whose endpoints may have changed. */
  readonly changed: (key: string) => void;
}

/** Reports services whose endpoints may have changed: by themselves, or by their pods. */
export function watchServices({ services, pods, members, changed }: ServiceWatch): void {
  const ofService = (service: ServiceObject): void => changed(objectKey(service));
  const ofPod = (pod: PodObject): void => members.servicesOf(pod).forEach(changed);
  services.subscribe({ added: ofService, updated: ofService, deleted: ofService });
  pods.subscribe({
    added: ofPod,
    updated(pod, old) {
      const reassigned = isReassigned(pod, old);
      if (!reassigned && !isChanged(pod, old)) return;
      ofPod(pod);
      if (reassigned) ofPod(old);
    },
    deleted: ofPod,
  });
}
