import type { Steps, Work } from '../../foundation/index.js';
import { Pod } from '../../kinds/index.js';
import { watchedInSlices } from '../runtime/sliced-watch.js';
import type { Watched } from '../runtime/watch.js';
import type { Members } from './members.js';
import type { PodObject } from './objects.js';
import { isChanged, isReassigned } from './pods.js';

/** Returns the watch that runs the services whose endpoints may have changed by a change of a pod. */
export const podChanges = (members: Members): Watched =>
  watchedInSlices(Pod, (pod, old, work) => servicesOf(members, pod, old, work));

function* servicesOf(
  members: Members,
  pod: PodObject | undefined,
  old: PodObject | undefined,
  work: Work,
): Steps<readonly string[]> {
  if (pod === undefined || old === undefined) {
    const only = pod ?? old;
    return only === undefined ? [] : yield* members.servicesOf(only, work);
  }
  if (isReassigned(pod, old))
    return [...(yield* members.servicesOf(pod, work)), ...(yield* members.servicesOf(old, work))];
  return isChanged(pod, old) ? yield* members.servicesOf(pod, work) : [];
}
