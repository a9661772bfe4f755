import type { Steps, WarningList } from '../../../../../foundation/index.js';
import type { PlacedContainer } from '../containers.js';
import type { Container } from '../types.js';

type Port = NonNullable<Container['ports']>[number];

interface PlacedPort {
  readonly index: number;
  readonly path: string;
  readonly port: Port;
}

/** Formats a port as Go prints the struct. */
const shown = ({ name = '', hostPort = 0, containerPort, protocol = '', hostIP = '' }: Port): string =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;

/** Returns how two ports with the same number and protocol interfere; undefined when they do not. */
function overlap(a: Port, b: Port): string | undefined {
  const { hostIP: ipA = '', hostPort: portA = 0 } = a;
  const { hostIP: ipB = '', hostPort: portB = 0 } = b;
  if (ipA === ipB && portA === portB) return 'duplicate';
  if (portA === 0 || portB === 0) return 'overlapping';
  return portA === portB && (ipA === '') !== (ipB === '') ? 'dangerously ambiguous' : undefined;
}

const NONE: readonly PlacedPort[] = [];

/**
 * Ports with the same number and protocol, by what makes them interfere. So a port finds those that it interferes with,
 * and asks no other.
 */
class SamePorts {
  readonly #all: PlacedPort[] = [];
  /** Those without a port of the node. */
  readonly #withoutHost: PlacedPort[] = [];
  readonly #byHost = new Map<string, PlacedPort[]>();

  /** Returns the earlier ports that a port interferes with, in their order. */
  interferingWith({ hostPort = 0, hostIP = '' }: Port): readonly PlacedPort[] {
    if (hostPort === 0) return this.#all;
    const onSamePort = (ip?: string): readonly PlacedPort[] => this.#byHost.get(hostKey(hostPort, ip)) ?? NONE;
    const found = [...this.#withoutHost, ...onSamePort(hostIP === '' ? undefined : hostIP)];
    if (hostIP !== '') for (const other of onSamePort('')) found.push(other);
    return found.sort((a, b) => a.index - b.index);
  }

  add(port: Port, path: string): void {
    const placed = { index: this.#all.length, path, port };
    this.#all.push(placed);
    const { hostPort = 0, hostIP = '' } = port;
    if (hostPort === 0) this.#withoutHost.push(placed);
    else for (const key of [hostKey(hostPort), hostKey(hostPort, hostIP)]) addTo(this.#byHost, key, placed);
  }
}

/** The key of the ports on a port of the node, on one of its addresses or on any. */
const hostKey = (hostPort: number, ip?: string): string => (ip === undefined ? `${hostPort}` : `${hostPort} ${ip}`);

function addTo<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** Warns of ports of a pod that interfere with each other. */
export function* warnOfPorts(warnings: WarningList, containers: readonly PlacedContainer[]): Steps<void> {
  const known = new Map<string, SamePorts>();
  for (const { container, path: at } of containers) {
    for (const [index, port] of (container.ports ?? []).entries()) {
      if (warnings.isFull) return;
      if (warnings.spend()) yield;
      const path = `${at}.ports[${index}]`;
      if (port.hostIP && !port.hostPort) warnings.push(`${path}: hostIP set without hostPort: ${shown(port)}`);
      const key = `${port.containerPort}/${port.protocol ?? ''}`;
      const same = known.get(key) ?? new SamePorts();
      known.set(key, same);
      for (const other of same.interferingWith(port)) {
        if (warnings.isFull) return;
        const how = overlap(port, other.port);
        if (how !== undefined) warnings.push(`${path}: ${how} port definition with ${other.path}`);
      }
      same.add(port, path);
    }
  }
}
