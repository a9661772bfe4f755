import type { Informer } from '../runtime/informer.js';
import { watched, type Watch } from '../runtime/watch.js';
import type { Members } from './members.js';
import type { PodObject } from './objects.js';
import { isChanged, isReassigned } from './pods.js';

/** Returns the watch that runs the services whose endpoints may have changed by a change of a pod. */
export const podChanges = (pods: Informer<PodObject>, members: Members): Watch =>
  watched<PodObject>(pods, {
    added: (pod) => members.servicesOf(pod),
    updated(pod, old) {
      if (isReassigned(pod, old)) return [...members.servicesOf(pod), ...members.servicesOf(old)];
      return isChanged(pod, old) ? members.servicesOf(pod) : [];
    },
    deleted: (pod) => members.servicesOf(pod),
  });
