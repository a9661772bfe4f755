import { appendAll, definedOnly, equalJson, messageOf } from '../../foundation/index.js';
import { Endpoints, EndpointSlice, familyOfOctets, ipOctets, Service } from '../../kinds/index.js';
import type { Controller } from '../runtime/controller.js';
import { objectKey } from '../runtime/informer-cache.js';
import { WorkQueue } from '../runtime/work-queue.js';
import { controllerReference, isControlledBy } from '../workloads/shared/controller-ref.js';
import { UnseenWrites } from '../workloads/shared/unseen-writes.js';
import { HeldKeys } from './held-keys.js';
import type { Endpoint, EndpointPort, EndpointsObject, SliceObject } from './objects.js';
import type { EndpointControllerOptions } from './options.js';
import { planSlices, portsKey, type EndpointGroup } from './slice-plan.js';
import { SliceWriter, type SliceOwner } from './slice-writer.js';
import { ManagedSlices, sliceNames, type SliceNames } from './slices.js';
import { watchSlices } from './watch-slices.js';

/** Number of Endpoints that are processed concurrently. */
const CONCURRENCY = 5;
/** Maximum number of addresses of a subset that are mirrored, all of them in one slice. */
const MAX_ADDRESSES = 1000;
const FAMILIES = ['IPv4', 'IPv6'];

type Subset = NonNullable<EndpointsObject['subsets']>[number];

/**
 * Copies the Endpoints of services without a selector, which people write by hand, to endpoint slices.
 *
 * @see release 1.31, pkg/controller/endpointslicemirroring
 */
export function endpointSliceMirroringController(options: EndpointControllerOptions): Controller {
  const { client, clock, dialect, informers, onError } = options;
  const recorder = options.recorder.of('endpoint-slice-mirroring-controller');
  const endpoints = informers.of(Endpoints);
  const services = informers.of(Service);
  const slices = informers.of(EndpointSlice);
  const names = sliceNames(dialect);
  const manager = `endpointslicemirroring-controller.${dialect.groupSuffix}`;
  const managed = new ManagedSlices(slices, names, manager);
  const unseen = new UnseenWrites();
  const writer = new SliceWriter(client, slices, unseen);
  const queue = new WorkQueue<string>({
    name: 'endpoint_slice_mirroring',
    clock,
    process: sync,
    concurrency: CONCURRENCY,
    maxRetries: 15,
    onError: (_key, error) => onError(error),
  });
  const enqueue = (key: string): void => void queue.add(key);
  const held = new HeldKeys(unseen, enqueue);
  const changed = (object: EndpointsObject): void => enqueue(objectKey(object));
  endpoints.subscribe({ added: changed, updated: changed, deleted: changed });
  services.subscribe({
    added: (service) => enqueue(objectKey(service)),
    updated: (service, old) => {
      if (!equalJson(service.spec?.selector, old.spec?.selector)) enqueue(objectKey(service));
    },
    deleted: (service) => enqueue(objectKey(service)),
  });
  watchSlices({ slices, writer, held, names, manager, changed: enqueue });

  async function sync(key: string): Promise<void> {
    const object = endpoints.get(key);
    const service = services.get(key);
    const existing = managed.of(key);
    const hasSelector = Object.keys(service?.spec?.selector ?? {}).length > 0;
    if (object === undefined || service === undefined || hasSelector || !isMirrored(object, names)) {
      for (const slice of existing) await writer.remove(slice, key);
      return;
    }
    if (!held.isFree(key)) return;
    try {
      if (!(await mirror(key, object, existing))) held.hold(key);
    } catch (error) {
      const message = `Error updating Endpoint Slices for Endpoints ${key}: ${messageOf(error)}`;
      recorder.event(object, 'Warning', 'FailedToUpdateEndpointSlices', message);
      throw error;
    }
  }

  /** @returns false when another client has changed a slice meanwhile */
  async function mirror(key: string, object: EndpointsObject, existing: readonly SliceObject[]): Promise<boolean> {
    const owner = ownerOf(key, object);
    const annotations = annotationsOf(object);
    const labels = { ...object.metadata.labels, [names.service]: owner.name, [names.manager]: manager };
    let isComplete = true;
    for (const addressType of FAMILIES) {
      const plan = planSlices({
        existing: existing.filter((slice) => slice.addressType === addressType),
        groups: groupsOf(object.subsets ?? [], addressType),
        labels,
        maxEndpoints: MAX_ADDRESSES,
        isOutdated: ({ metadata }) => !equalJson(metadata.annotations ?? {}, annotations),
        placeholder: false,
        isReusable: (slice) => isControlledBy(slice, object),
      });
      const form = { addressType, labels, annotationsOf: () => annotations };
      isComplete = (await writer.carryOut(plan, owner, form)) && isComplete;
    }
    const skipped = skippedOf(object.subsets ?? []);
    if (skipped > 0)
      recorder.event(
        object,
        'Warning',
        'TooManyAddressesToMirror',
        `A max of ${MAX_ADDRESSES} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
      );
    return isComplete;
  }

  /** Returns the annotations that slices take over. */
  function annotationsOf({ metadata }: EndpointsObject): Record<string, string> {
    const {
      [names.trigger]: _trigger,
      [dialect.clientSideApply.annotation]: _applied,
      ...others
    } = metadata.annotations ?? {};
    return others;
  }

  return { name: 'endpointslicemirroring', informers: () => [endpoints, services, slices], queues: [queue] };
}

/** Returns whether Endpoints are mirrored: those that elect a leader, and those that say so, are not. */
const isMirrored = ({ metadata: { labels = {}, annotations = {} } }: EndpointsObject, names: SliceNames): boolean =>
  labels[names.skipMirror] !== 'true' && annotations[names.leader] === undefined;

function ownerOf(key: string, object: EndpointsObject): SliceOwner {
  const { namespace = '', name = '', deletionTimestamp } = object.metadata;
  const reference = controllerReference({ ...object, apiVersion: 'v1', kind: 'Endpoints' });
  return { key, namespace, name, reference, isDeleted: deletionTimestamp !== undefined };
}

function skippedOf(subsets: readonly Subset[]): number {
  const counts = subsets.map(
    ({ addresses = [], notReadyAddresses = [] }) => addresses.length + notReadyAddresses.length,
  );
  return counts.reduce((total, count) => total + Math.max(0, count - MAX_ADDRESSES), 0);
}

/** Returns the endpoints of one family, grouped by their ports. */
function groupsOf(subsets: readonly Subset[], family: string): EndpointGroup[] {
  const groups = new Map<string, { readonly ports: readonly EndpointPort[]; readonly endpoints: Endpoint[] }>();
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    const mirrored = ports.map(({ name = '', port, protocol, appProtocol }) => ({
      ...{ name, port },
      ...definedOnly({ protocol, appProtocol }),
    }));
    const all = [
      ...addresses.map((address) => endpointOf(address, true)),
      ...notReadyAddresses.map((address) => endpointOf(address, false)),
    ];
    const found = all.slice(0, MAX_ADDRESSES).filter(({ addresses: [ip = ''] }) => {
      const octets = ipOctets(ip);
      return octets !== undefined && familyOfOctets(octets) === family;
    });
    if (found.length === 0) continue;
    const key = portsKey(mirrored);
    const group = groups.get(key) ?? { ports: mirrored, endpoints: [] };
    groups.set(key, group);
    appendAll(group.endpoints, found);
  }
  return [...groups.values()];
}

function endpointOf(
  { ip, hostname, nodeName, targetRef }: NonNullable<Subset['addresses']>[number],
  ready: boolean,
): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...definedOnly({ hostname: hostname || undefined, targetRef, nodeName }),
  };
}
