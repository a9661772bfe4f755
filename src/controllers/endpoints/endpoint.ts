import { definedOnly, equalJson, formatTime, messageOf, parseTime } from '../../foundation/index.js';
import { Endpoints, Pod, Service, sortedSubsets, type coreV1 } from '../../kinds/index.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason, isNamespaceTerminating } from '../runtime/failures.js';
import { objectKey } from '../runtime/informer-cache.js';
import { WorkQueue } from '../runtime/work-queue.js';
import { UnseenWrites } from '../workloads/shared/unseen-writes.js';
import { HeldKeys } from './held-keys.js';
import { Members } from './members.js';
import type { EndpointsObject, PodObject, ServiceObject, ServicePort } from './objects.js';
import type { EndpointControllerOptions } from './options.js';
import { addressesOfFamily, hostnameIn, isEndpoint, isReady, targetPortOf } from './pods.js';
import { TriggerTimes } from './trigger-times.js';
import { truncated } from './truncate.js';
import { watchServices } from './watch-services.js';

/** Number of services that are processed concurrently. */
const CONCURRENCY = 5;

type Subset = coreV1.EndpointSubset;

/**
 * Keeps the Endpoints of every service with a selector: the addresses of its pods, and their ports. An Endpoints object
 * holds at most 1,000 addresses.
 *
 * @see release 1.31, pkg/controller/endpoint
 */
export function endpointController(options: EndpointControllerOptions): Controller {
  const { client, clock, dialect, informers, onError } = options;
  const recorder = options.recorder.of('endpoint-controller');
  const services = informers.of(Service);
  const pods = informers.of(Pod);
  const endpoints = informers.of(Endpoints);
  const members = new Members(pods, services);
  const triggers = new TriggerTimes();
  const unseen = new UnseenWrites();
  const names = {
    capacity: `endpoints.${dialect.labelDomain}/over-capacity`,
    trigger: `endpoints.${dialect.labelDomain}/last-change-trigger-time`,
    headless: `service.${dialect.labelDomain}/headless`,
    leader: `control-plane.alpha.${dialect.labelDomain}/leader`,
  };
  const queue = new WorkQueue<string>({
    name: 'endpoint',
    clock,
    process: sync,
    concurrency: CONCURRENCY,
    maxRetries: 15,
    onError: (_key, error) => onError(error),
  });
  const enqueue = (key: string): void => void queue.add(key);
  const held = new HeldKeys(unseen, enqueue);
  watchServices({ services, pods, members, changed: enqueue });
  const isOfEarlierRun = ({ metadata }: EndpointsObject): boolean =>
    (parseTime(metadata.creationTimestamp ?? '') ?? 0) < Math.floor(options.startedMs / 1000) * 1000;
  let isSubscribing = true;
  endpoints.subscribe({
    added(object) {
      const key = objectKey(object);
      // Endpoints of an earlier run may have lost their service. Later ones may come before their service, although this
      // controller starts with the first service only.
      if ((isSubscribing || endpoints.revision < 0) && isOfEarlierRun(object)) enqueue(key);
      else held.delivered(key);
    },
    updated: (object) => held.delivered(objectKey(object)),
    deleted: (object) => enqueue(objectKey(object)),
  });
  isSubscribing = false;

  async function sync(key: string): Promise<void> {
    if (!held.isFree(key)) return;
    const service = services.get(key);
    if (service === undefined) return removeOf(key);
    if (service.spec?.type === 'ExternalName' || service.spec?.selector === undefined) return;
    const selected = members.podsOf(service);
    const trigger = triggers.next(service, selected);
    const current = endpoints.get(key);
    const subsets = subsetsOf(service, selected);
    if (current !== undefined && isCurrent(current, service, subsets)) return;
    await store(key, current, desired(service, subsets, current, trigger));
  }

  async function removeOf(key: string): Promise<void> {
    triggers.forget(key);
    unseen.forget(key);
    const current = endpoints.get(key);
    if (current === undefined || current.metadata.annotations?.[names.leader] !== undefined) return;
    const { namespace = '', name = '' } = current.metadata;
    try {
      await client.resource(Endpoints).namespace(namespace).delete(name);
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }

  /** Returns whether stored endpoints need no change. */
  function isCurrent(current: EndpointsObject, { metadata }: ServiceObject, subsets: readonly Subset[]): boolean {
    const { [names.headless]: _headless, ...labels } = current.metadata.labels ?? {};
    return (
      equalJson(current.subsets ?? [], [...subsets]) &&
      equalJson(labels, metadata.labels ?? {}) &&
      current.metadata.annotations?.[names.capacity] === undefined
    );
  }

  /** Returns the endpoints of a service; other clients' annotations stay. */
  function desired(
    service: ServiceObject,
    subsets: readonly Subset[],
    current: EndpointsObject | undefined,
    trigger: number | undefined,
  ): Omit<EndpointsObject, 'apiVersion' | 'kind'> {
    const { namespace = '', name = '', labels } = service.metadata;
    const { [names.trigger]: _trigger, [names.capacity]: _capacity, ...others } = current?.metadata.annotations ?? {};
    const fitting = truncated(subsets);
    const annotations = {
      ...others,
      ...(trigger === undefined ? {} : { [names.trigger]: formatTime(trigger) }),
      ...(fitting === undefined ? {} : { [names.capacity]: 'truncated' }),
    };
    const ip = service.spec?.clusterIP ?? '';
    const isHeadless = ip === '' || ip === 'None';
    return {
      metadata: {
        ...(current?.metadata ?? { namespace, name }),
        annotations,
        labels: { ...labels, ...(isHeadless ? { [names.headless]: '' } : {}) },
      },
      subsets: fitting ?? [...subsets],
    };
  }

  async function store(
    key: string,
    current: EndpointsObject | undefined,
    object: Omit<EndpointsObject, 'apiVersion' | 'kind'>,
  ): Promise<void> {
    const inNamespace = client.resource(Endpoints).namespace(object.metadata.namespace ?? '');
    try {
      const written = await (current === undefined ? inNamespace.create(object) : inNamespace.update(object));
      unseen.written(key, endpoints, written);
    } catch (error) {
      if (current === undefined && isNamespaceTerminating(error)) return;
      if (hasReason(error, 'Conflict') || hasReason(error, 'AlreadyExists') || hasReason(error, 'NotFound')) {
        // Another client has written them. Its event may have come already.
        if (endpoints.get(key) === current) held.hold(key);
        else enqueue(key);
        return;
      }
      const { namespace = '', name = '' } = object.metadata;
      recorder.event(
        { apiVersion: 'v1', kind: 'Endpoints', ...object },
        'Warning',
        current === undefined ? 'FailedToCreateEndpoint' : 'FailedToUpdateEndpoint',
        `Failed to ${current === undefined ? 'create endpoint for service' : 'update endpoint'} ${namespace}/${name}: ${messageOf(error)}`,
      );
      throw error;
    }
  }

  return { name: 'endpoint', informers: () => [services, pods, endpoints], queues: [queue] };
}

/** Returns the subsets of a service, in the canonical form. */
function subsetsOf(service: ServiceObject, pods: readonly PodObject[]): Subset[] {
  const { ports = [], publishNotReadyAddresses: publishes = false, clusterIP } = service.spec ?? {};
  const subsets: Subset[] = [];
  for (const pod of pods) {
    const address = isEndpoint(pod, publishes) ? addressOf(pod, service) : undefined;
    if (address === undefined) continue;
    const placed = publishes || isReady(pod) ? { addresses: [address] } : { notReadyAddresses: [address] };
    if (ports.length === 0 && clusterIP === 'None') subsets.push(placed);
    for (const port of ports) {
      const number = targetPortOf(pod, port);
      if (number !== undefined) subsets.push({ ...placed, ports: [endpointPort(port, number)] });
    }
  }
  return sortedSubsets(subsets);
}

function addressOf(pod: PodObject, service: ServiceObject): coreV1.EndpointAddress | undefined {
  const [ip] = addressesOfFamily(pod, service.spec?.ipFamilies?.[0] ?? 'IPv4');
  if (ip === undefined) return undefined;
  const { namespace, name, uid } = pod.metadata;
  return {
    ip,
    ...definedOnly({ hostname: hostnameIn(pod, service), nodeName: pod.spec?.nodeName || undefined }),
    targetRef: { kind: 'Pod', ...definedOnly({ namespace, name, uid }) },
  };
}

const endpointPort = ({ name, protocol, appProtocol }: ServicePort, port: number): coreV1.EndpointPort => ({
  port,
  ...definedOnly({ name: name || undefined, protocol, appProtocol }),
});
