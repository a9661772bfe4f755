import type { PlacedContainer } from './containers.js';
import type { Container } from './types.js';

type Port = NonNullable<Container['ports']>[number];

interface PlacedPort {
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

/** Warns of ports of a pod that interfere with each other. */
export function warnOfPorts(warnings: string[], containers: readonly PlacedContainer[]): void {
  const known = new Map<string, PlacedPort[]>();
  for (const { container, path: at } of containers) {
    for (const [index, port] of (container.ports ?? []).entries()) {
      const path = `${at}.ports[${index}]`;
      if (port.hostIP && !port.hostPort) warnings.push(`${path}: hostIP set without hostPort: ${shown(port)}`);
      const key = `${port.containerPort}/${port.protocol ?? ''}`;
      const others = known.get(key) ?? [];
      for (const other of others) {
        const how = overlap(port, other.port);
        if (how !== undefined) warnings.push(`${path}: ${how} port definition with ${other.path}`);
      }
      known.set(key, [...others, { path, port }]);
    }
  }
}
