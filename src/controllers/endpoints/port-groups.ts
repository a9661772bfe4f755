/**
 * The numbers that the ports of a service have in its pods. Most services name numbers, which are the same in all pods;
 * others name ports of the pods. Both lists may have thousands of ports, and a service thousands of pods.
 *
 * @module
 */
import { definedOnly, type Steps, type Work } from '../../foundation/index.js';
import type { EndpointPort, PodObject, ServiceObject, ServicePort } from './objects.js';

/** A port with its number in a pod; its name may be empty. */
type NumberedPort = EndpointPort & { readonly name: string; readonly port: number };

/** Pods in which the ports of a service have the same numbers. */
export interface PortGroup {
  readonly ports: readonly NumberedPort[];
  readonly pods: readonly PodObject[];
}

/**
 * Most ports of all groups of a service. As many are a text of some thirty megabytes, which no object can have, and would
 * take the memory of the server before that shows.
 */
const MAX_PORTS = 500_000;

/** Units of work to place a pod, and to find the number of a port. */
const POD_UNITS = 10;
const PORT_UNITS = 4;

/**
 * Returns pods in groups.
 *
 * @throws Error when the groups have too many ports
 */
export function* portGroups(
  { spec }: ServiceObject,
  pods: readonly PodObject[],
  work: Work,
): Steps<readonly PortGroup[]> {
  const { ports = [] } = spec ?? {};
  const hasNames = ports.some(({ targetPort }) => typeof targetPort === 'string');
  const groups = new Map<string, { readonly ports: readonly NumberedPort[]; readonly pods: PodObject[] }>();
  let count = 0;
  for (const pod of pods) {
    if (work.spend(POD_UNITS)) yield;
    const numbers = hasNames ? yield* numbersIn(pod, ports, work) : undefined;
    const key = numbers?.join() ?? '';
    const known = groups.get(key);
    if (known !== undefined) {
      known.pods.push(pod);
      continue;
    }
    count += ports.length;
    if (count > MAX_PORTS) throw new Error(`the pods have more than ${MAX_PORTS} different ports`);
    groups.set(key, { ports: yield* endpointPorts(ports, numbers, work), pods: [pod] });
  }
  return [...groups.values()];
}

/** Returns the number of each port of a service in a pod; undefined for a port that the pod does not have. */
function* numbersIn(
  { spec }: PodObject,
  ports: readonly ServicePort[],
  work: Work,
): Steps<readonly (number | undefined)[]> {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const byName = new Map<string, number>();
  for (const container of [...(spec?.containers ?? []), ...sidecars])
    for (const { name, protocol, containerPort } of container.ports ?? []) {
      if (work.spend(PORT_UNITS)) yield;
      const key = `${name ?? ''} ${protocol ?? ''}`;
      // The first of several ports counts.
      if (name !== undefined && !byName.has(key)) byName.set(key, containerPort);
    }
  const numbers: (number | undefined)[] = [];
  for (const { targetPort, protocol } of ports) {
    if (work.spend(PORT_UNITS)) yield;
    numbers.push(typeof targetPort === 'string' ? byName.get(`${targetPort} ${protocol ?? ''}`) : targetPort);
  }
  return numbers;
}

/** @param numbers undefined when the ports have numbers of their own */
function* endpointPorts(
  ports: readonly ServicePort[],
  numbers: readonly (number | undefined)[] | undefined,
  work: Work,
): Steps<NumberedPort[]> {
  const found: NumberedPort[] = [];
  for (const [index, { name = '', targetPort, protocol, appProtocol }] of ports.entries()) {
    if (work.spend(PORT_UNITS)) yield;
    const number = numbers === undefined ? targetPort : numbers[index];
    if (typeof number === 'number') found.push({ name, port: number, ...definedOnly({ protocol, appProtocol }) });
  }
  return found;
}
