import { equalJson } from '../../foundation/index.js';
import { familyOfOctets, ipOctets } from '../../kinds/index.js';
import type { PodObject, ServiceObject } from './objects.js';

/** Returns whether the condition Ready of a pod is true. */
export const isReady = ({ status }: PodObject): boolean =>
  (status?.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True');

/** Returns whether all containers of a pod have ended for good. */
export const isTerminal = ({ status }: PodObject): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Returns whether a pod is an endpoint of the services that select it. */
export function isEndpoint(pod: PodObject, includesTerminating: boolean): boolean {
  if (isTerminal(pod) || addressesOf(pod).length === 0) return false;
  return includesTerminating || pod.metadata.deletionTimestamp === undefined;
}

/** Returns the addresses of a pod. */
export const addressesOf = ({ status }: PodObject): string[] => {
  const ips = (status?.podIPs ?? []).map(({ ip }) => ip).filter((ip) => ip !== '');
  return ips.length > 0 || !status?.podIP ? ips : [status.podIP];
};

/** Returns the addresses of a family. */
export const addressesOfFamily = (pod: PodObject, family: string): string[] =>
  addressesOf(pod).filter((ip) => {
    const octets = ipOctets(ip);
    return octets !== undefined && familyOfOctets(octets) === family;
  });

/** Returns the host name of a pod, where the service gives it one: the pod names the service as its subdomain. */
export function hostnameIn({ spec, metadata }: PodObject, service: ServiceObject): string | undefined {
  const isNamed = spec?.subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace;
  return isNamed && spec?.hostname ? spec.hostname : undefined;
}

/** Returns whether the endpoints that a pod makes may have changed, apart from the services that select it. */
export const isChanged = (pod: PodObject, old: PodObject): boolean =>
  pod.metadata.deletionTimestamp !== old.metadata.deletionTimestamp ||
  isReady(pod) !== isReady(old) ||
  isTerminal(pod) !== isTerminal(old) ||
  !equalJson(addressesOf(pod), addressesOf(old));

/** Returns whether the services that select a pod, or the name that they give it, may have changed. */
export const isReassigned = (pod: PodObject, old: PodObject): boolean =>
  !equalJson(pod.metadata.labels, old.metadata.labels) ||
  pod.spec?.hostname !== old.spec?.hostname ||
  pod.spec?.subdomain !== old.spec?.subdomain;
