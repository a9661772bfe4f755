/**
 * The addresses of the services that webhooks are called through, from the stored Services and Endpoints.
 *
 * @module
 */
import type { coreV1 } from '../kinds/index.js';
import type { Entropy } from '../meta/clock.js';
import type { StoredObject } from '../meta/object.js';
import type { FindService, ResolveService, WebhookService } from '../outbound/webhook-client.js';
import type { Catalogue } from '../registry/catalogue.js';
import type { ResourceDefinition } from '../registry/definition.js';
import { EXTERNAL_NAME, HEADLESS, type ServiceObject } from '../resources/core/service/types.js';
import { Endpoints, Service } from '../resources/index.js';

/** What {@link serviceResolver} reads. */
export interface ServiceResolverParts {
  readonly catalogue: Pick<Catalogue, 'find' | 'serves'>;
  readonly entropy: Entropy;
  /** The option of the server, which is asked first. */
  readonly given?: ResolveService | undefined;
  /** Whether an address of the endpoints is requested, not the cluster IP. */
  readonly toEndpoints: boolean;
  /** Whether pods are simulated: nothing listens at their addresses. */
  readonly hasSimulatedPods: boolean;
}

type StoredEndpoints = StoredObject & { readonly subsets?: readonly coreV1.EndpointSubset[] | undefined };

/** An address and a port at which a service is reached. */
interface Address {
  readonly host: string;
  readonly port: number;
  readonly target?: coreV1.ObjectReference | undefined;
}

/**
 * Returns the function that finds the address of a service as the API server of Kubernetes does: a random address of
 * its endpoints (`--enable-aggregator-routing`), or its cluster IP, or its external name.
 */
export function serviceResolver(parts: ServiceResolverParts): FindService {
  const { given } = parts;
  return async (service) => (await given?.(service)) ?? urlOf(await addressOf(service, parts));
}

const urlOf = ({ host, port }: Address): URL => new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`);

/** @throws Error in the words of Kubernetes when the service has no address */
async function addressOf(wanted: WebhookService, parts: ServiceResolverParts): Promise<Address> {
  const { namespace, name, port } = wanted;
  const service = (await found(parts, Service, namespace, name)) as ServiceObject | undefined;
  if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  const { type, externalName = '', clusterIP = '', ports = [] } = service.spec ?? {};
  // The name is an address that the server knows, whichever of the two it is to request.
  if (type === EXTERNAL_NAME) return { host: externalName, port };
  if (!parts.toEndpoints && clusterIP === HEADLESS) throw new Error('cannot route to service with ClusterIP "None"');
  const servicePort = ports.find((candidate) => candidate.port === port);
  if (servicePort === undefined) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
  if (!parts.toEndpoints) return { host: clusterIP, port };
  return endpointOf(wanted, servicePort.name ?? '', parts);
}

async function endpointOf(
  { namespace, name }: WebhookService,
  portName: string,
  parts: ServiceResolverParts,
): Promise<Address> {
  const endpoints = (await found(parts, Endpoints, namespace, name)) as StoredEndpoints | undefined;
  if (endpoints === undefined) throw new Error(`endpoints ${JSON.stringify(name)} not found`);
  const address = pick(addressesOf(endpoints, portName), parts.entropy);
  if (address === undefined) throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
  if (parts.hasSimulatedPods && address.target?.kind === 'Pod') throw simulated(address);
  return address;
}

function addressesOf({ subsets = [] }: StoredEndpoints, portName: string): Address[] {
  return subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports
      .filter(({ name = '' }) => name === portName)
      .flatMap(({ port }) => addresses.map(({ ip, targetRef }) => ({ host: ip, port, target: targetRef }))),
  );
}

function pick(addresses: readonly Address[], entropy: Entropy): Address | undefined {
  if (addresses.length < 2) return addresses[0];
  const number = new DataView(entropy.bytes(4).slice().buffer).getUint32(0);
  return addresses[number % addresses.length];
}

/** A request to a simulated pod would leave the machine, and wait for an answer until it times out. */
function simulated({ host, port, target }: Address): Error {
  return new Error(
    `dial tcp ${host}:${port}: connect: no route to host (the pod ${target?.name ?? ''} is simulated; the option webhooks.resolveService, or the flag --webhook-service, says where the service is)`,
  );
}

async function found(
  { catalogue }: ServiceResolverParts,
  definition: ResourceDefinition,
  namespace: string,
  name: string,
): Promise<StoredObject | undefined> {
  return catalogue.serves(definition) ? catalogue.find(definition, namespace, name) : undefined;
}
