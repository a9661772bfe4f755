import type { coreV1 } from '../../kinds/index.js';
import type { SimulatedPod } from '../objects.js';

/** The address that stands for all addresses of a node. */
const ANY_ADDRESS = '0.0.0.0';

/** A port of a node that a pod takes. */
export interface HostPort {
  /** Protocol and number. */
  readonly port: string;
  readonly address: string;
}

/** Returns the ports of the node that a pod takes. */
export function hostPortsOf({ spec }: SimulatedPod): HostPort[] {
  return (spec?.containers ?? []).flatMap(({ ports = [] }: coreV1.Container) =>
    ports.flatMap(({ hostPort, protocol = 'TCP', hostIP }) =>
      hostPort === undefined || hostPort === 0
        ? []
        : [{ port: `${protocol}/${hostPort}`, address: hostIP || ANY_ADDRESS }],
    ),
  );
}

/** The ports of a node that its pods take. */
export class HostPorts {
  /** For each port, how many pods take it at each address. */
  readonly #taken = new Map<string, Map<string, number>>();

  /** Returns whether a port is taken. The address 0.0.0.0 stands for all addresses. */
  isTaken({ port, address }: HostPort): boolean {
    const addresses = this.#taken.get(port);
    return addresses !== undefined && (address === ANY_ADDRESS || addresses.has(address) || addresses.has(ANY_ADDRESS));
  }

  add({ port, address }: HostPort): void {
    const addresses = this.#taken.get(port) ?? new Map<string, number>();
    this.#taken.set(port, addresses.set(address, (addresses.get(address) ?? 0) + 1));
  }

  remove({ port, address }: HostPort): void {
    const addresses = this.#taken.get(port);
    const left = (addresses?.get(address) ?? 0) - 1;
    if (left > 0) addresses?.set(address, left);
    else addresses?.delete(address);
    if (addresses?.size === 0) this.#taken.delete(port);
  }
}
