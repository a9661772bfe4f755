/**
 * The addresses of the services that webhooks are called through, from the stored Services and Endpoints.
 *
 * @module
 */
import type { Entropy, FindService, ResolveService, StoredObject, WebhookService } from '../../foundation/index.js';
import type { Catalogue, ResourceDefinition } from '../../registry/index.js';
import {
  endpointAddresses,
  servicePortName,
  type EndpointsObject,
  type ServiceAddress,
} from '../builtin/core/service/endpoint-addresses.js';
import { EXTERNAL_NAME, HEADLESS, type ServiceObject } from '../builtin/core/service/types.js';
import { Endpoints, Service } from '../builtin/index.js';

/** The sources of {@link serviceResolver}. */
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

/**
 * Returns the function that finds the address of a service as the API server of Kubernetes does: a random address of
 * its endpoints (`--enable-aggregator-routing`), or its cluster IP, or its external name.
 */
export function serviceResolver(parts: ServiceResolverParts): FindService {
  const { given } = parts;
  return async (service) => (await given?.(service)) ?? urlOf(await addressOf(service, parts));
}

const urlOf = ({ host, port }: ServiceAddress): URL =>
  new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`);

/** @throws Error in the words of Kubernetes when the service has no address */
async function addressOf(wanted: WebhookService, parts: ServiceResolverParts): Promise<ServiceAddress> {
  const { namespace, name, port } = wanted;
  const service = (await found(parts, Service, namespace, name)) as ServiceObject | undefined;
  if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  const { type, externalName = '', clusterIP = '' } = service.spec ?? {};
  // The name is an address that the server knows, whichever of the two it is to request.
  if (type === EXTERNAL_NAME) return { host: externalName, port };
  if (!parts.toEndpoints && clusterIP === HEADLESS) throw new Error('cannot route to service with ClusterIP "None"');
  const portName = servicePortName(service, port);
  if (!parts.toEndpoints) return { host: clusterIP, port };
  const endpoints = (await found(parts, Endpoints, namespace, name)) as EndpointsObject | undefined;
  const address = pick(endpointAddresses(service, endpoints, portName), parts.entropy);
  if (parts.hasSimulatedPods && address.target?.kind === 'Pod') throw simulated(address);
  return address;
}

/** Returns one of several items, of which there is at least one. */
function pick<Item>(items: readonly Item[], entropy: Entropy): Item {
  const number = items.length === 1 ? 0 : new DataView(entropy.bytes(4).slice().buffer).getUint32(0);
  const item = items[number % items.length];
  if (item === undefined) throw new RangeError('there is nothing to pick from');
  return item;
}

/** A request to a simulated pod would leave the machine, and wait for an answer until it times out. */
function simulated({ host, port, target }: ServiceAddress): Error {
  return new Error(
    `dial tcp ${host}:${port}: connect: no route to host (the pod ${target?.name ?? ''} is simulated; the option network.resolveService, or the flag --webhook-service, says where the service is)`,
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
