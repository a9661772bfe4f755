import type { StoredObject } from '../../../../foundation/index.js';
import type { coreV1 } from '../../../types/index.js';
import type { ServiceObject } from './types.js';

/** Stored Endpoints. */
export type EndpointsObject = StoredObject & { readonly subsets?: readonly coreV1.EndpointSubset[] | undefined };

/** An address and a port at which a service is reached. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
  /** The pod at the address, if it is one. */
  readonly target?: coreV1.ObjectReference | undefined;
}

/** The error for a service that cannot be reached, in the words of Kubernetes. */
export class NoServiceAddress extends Error {
  override readonly name = 'NoServiceAddress';
  /** Status of a request to the service. */
  readonly code: 404 | 503;

  constructor(message: string, code: 404 | 503 = 503) {
    super(message);
    this.code = code;
  }
}

/** Returns the name of a port of a service. @throws NoServiceAddress when the service has no such port */
export function servicePortName({ metadata, spec }: ServiceObject, port: number): string {
  const found = spec?.ports?.find((candidate) => candidate.port === port);
  if (found !== undefined) return found.name ?? '';
  throw new NoServiceAddress(`no service port ${port} found for service ${JSON.stringify(metadata.name)}`);
}

/**
 * Returns the ready addresses of a service, at least one.
 *
 * @param endpoints the Endpoints of its name
 * @param portName name of the port; empty for the port without a name
 * @throws NoServiceAddress when there is none
 */
export function endpointAddresses(
  { metadata, spec }: ServiceObject,
  endpoints: EndpointsObject | undefined,
  portName: string,
): ServiceAddress[] {
  const name = JSON.stringify(metadata.name);
  // Those of a service with a selector exist wherever their controller runs, empty while no pod matches.
  if (endpoints === undefined && Object.keys(spec?.selector ?? {}).length === 0)
    throw new NoServiceAddress(`endpoints ${name} not found`, 404);
  const found = (endpoints?.subsets ?? []).flatMap(({ addresses = [], ports = [] }) =>
    ports
      .filter((port) => (port.name ?? '') === portName)
      .flatMap(({ port }) => addresses.map(({ ip, targetRef }) => ({ host: ip, port, target: targetRef }))),
  );
  if (found.length === 0) throw new NoServiceAddress(`no endpoints available for service ${name}`);
  return found;
}
