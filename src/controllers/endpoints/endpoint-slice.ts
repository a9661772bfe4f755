import {
  definedOnly,
  formatTime,
  inSlices,
  messageOf,
  SharedWork,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { EndpointSlice, Node, Pod, Service } from '../../kinds/index.js';
import { controllerReference, isControlledBy } from '../runtime/controller-ref.js';
import type { Controller } from '../runtime/controller.js';
import { reconciler } from '../runtime/reconciler.js';
import { UnseenWrites } from '../runtime/unseen-writes.js';
import { watched } from '../runtime/watch.js';
import { SERVICE_LIMITS, type EndpointHost } from './host.js';
import { HeldKeys } from './held-keys.js';
import { Members } from './members.js';
import type { Endpoint, PodObject, ServiceObject, SliceObject } from './objects.js';
import { podChanges } from './pod-changes.js';
import { addressesOfFamily, hostnameIn, isEndpoint, isReady } from './pods.js';
import { portGroups } from './port-groups.js';
import { sliceChanges } from './slice-changes.js';
import { planSlices, type EndpointGroup } from './slice-plan.js';
import { SliceWriter, type SliceOwner } from './slice-writer.js';
import { ManagedSlices, sliceNames, type SliceNames } from './slices.js';
import { TriggerTimes } from './trigger-times.js';

/** Maximum number of endpoints of a slice. */
const MAX_ENDPOINTS = 100;

/**
 * Keeps the endpoint slices of every service with a selector: for each family of its addresses, slices of at most 100
 * endpoints. Hints for topology-aware routing are not set.
 *
 * @see release 1.31, pkg/controller/endpointslice
 */
export function endpointSliceController(host: EndpointHost): Controller {
  const { client, dialect, informers } = host;
  const services = informers.of(Service);
  const pods = informers.of(Pod);
  const nodes = informers.of(Node);
  const slices = informers.of(EndpointSlice);
  const names = sliceNames(dialect);
  const manager = `endpointslice-controller.${dialect.groupSuffix}`;
  const members = new Members(pods, services);
  const unseen = new UnseenWrites();
  const writer = new SliceWriter(client, slices, unseen);
  const held = new HeldKeys(unseen);
  const triggers = new TriggerTimes();
  const events = host.recorder.of('endpoint-slice-controller');
  const zoneLabel = `topology.${dialect.labelDomain}/zone`;
  const zoneOf = (node: string): string | undefined => nodes.get(node)?.metadata.labels?.[zoneLabel];
  const store = new ServiceSlices({
    managed: new ManagedSlices(slices, names, manager),
    writer,
    names,
    manager,
    zoneOf,
  });
  return reconciler(host, {
    name: 'endpointslice',
    queue: 'endpoint_slice',
    ...SERVICE_LIMITS,
    kind: Service,
    watches: [podChanges(members), sliceChanges({ writer, held, names, manager }), watched(Node)],
    async reconcile(service, { key }) {
      if (service.spec?.type === 'ExternalName' || service.spec?.selector === undefined) return;
      if (!held.isFree(key)) return;
      const work = new SharedWork();
      const selected = await inSlices(work, members.podsOf(service, work));
      const trigger = await inSlices(work, triggers.next(service, selected, work));
      try {
        if (!(await store.write(key, service, selected, trigger))) held.hold(key);
      } catch (error) {
        const message = `Error updating Endpoint Slices for Service ${key}: ${messageOf(error)}`;
        events.event(service, 'Warning', 'FailedToUpdateEndpointSlices', message);
        throw error;
      }
    },
    // The garbage collector removes the slices.
    gone(key) {
      triggers.forget(key);
      unseen.forget(key);
    },
  });
}

/** The parts of {@link ServiceSlices}. */
interface ServiceSlicesParts {
  readonly managed: ManagedSlices;
  readonly writer: SliceWriter;
  readonly names: SliceNames;
  readonly manager: string;
  /** Returns the zone of a node. */
  readonly zoneOf: (node: string) => string | undefined;
}

/** Writes the slices of services. */
class ServiceSlices {
  readonly #parts: ServiceSlicesParts;

  constructor(parts: ServiceSlicesParts) {
    this.#parts = parts;
  }

  /** @returns false when another client has changed a slice meanwhile */
  async write(
    key: string,
    service: ServiceObject,
    selected: readonly PodObject[],
    trigger: number | undefined,
  ): Promise<boolean> {
    const { managed, writer, names, manager, zoneOf } = this.#parts;
    const existing = managed.of(key);
    const families = service.spec?.ipFamilies ?? [];
    const owner = ownerOf(key, service);
    for (const slice of existing) if (!families.includes(slice.addressType)) await writer.remove(slice, key);
    const annotationsOf = (slice: SliceObject | undefined): Record<string, string> => {
      const { [names.trigger]: _trigger, ...others } = slice?.metadata.annotations ?? {};
      return { ...others, ...(trigger === undefined ? {} : { [names.trigger]: formatTime(trigger) }) };
    };
    const labels = labelsOf(service, names, manager);
    const work = new SharedWork();
    let isComplete = true;
    for (const addressType of families) {
      const options = {
        existing: existing.filter((slice) => slice.addressType === addressType),
        groups: await inSlices(work, groupsOf(service, selected, { family: addressType, zoneOf }, work)),
        labels,
        maxEndpoints: MAX_ENDPOINTS,
        placeholder: true,
        isReusable: (slice: SliceObject) => isControlledBy(slice, service),
      };
      const plan = await inSlices(work, planSlices(options, work));
      isComplete = (await writer.carryOut(plan, owner, { addressType, labels, annotationsOf })) && isComplete;
    }
    return isComplete;
  }
}

function ownerOf(key: string, service: ServiceObject): SliceOwner {
  const { namespace = '', name = '', deletionTimestamp } = service.metadata;
  const reference = controllerReference({ ...service, apiVersion: 'v1', kind: 'Service' });
  return { key, namespace, name, reference, isDeleted: deletionTimestamp !== undefined };
}

/** Returns the labels of the slices of a service: its own, and those that only this controller sets. */
function labelsOf({ metadata, spec }: ServiceObject, names: SliceNames, manager: string): Record<string, string> {
  const { [names.headless]: _headless, ...labels } = metadata.labels ?? {};
  const { clusterIP = '' } = spec ?? {};
  return {
    ...labels,
    ...(clusterIP === '' || clusterIP === 'None' ? { [names.headless]: '' } : {}),
    [names.service]: metadata.name ?? '',
    [names.manager]: manager,
  };
}

/** Units of work to make an endpoint. */
const ENDPOINT_UNITS = 20;

/** Returns the endpoints of a service in one family, grouped by the numbers that its ports have in the pods. */
function* groupsOf(
  service: ServiceObject,
  pods: readonly PodObject[],
  { family, zoneOf }: { readonly family: string; readonly zoneOf: (node: string) => string | undefined },
  work: Work,
): Steps<EndpointGroup[]> {
  const addresses = new Map<PodObject, readonly string[]>();
  for (const pod of pods) {
    if (work.spend(ENDPOINT_UNITS)) yield;
    const found = isEndpoint(pod, true) ? addressesOfFamily(pod, family) : [];
    if (found.length > 0) addresses.set(pod, found);
  }
  const groups: EndpointGroup[] = [];
  for (const group of yield* portGroups(service, [...addresses.keys()], work)) {
    const endpoints: Endpoint[] = [];
    for (const pod of group.pods) {
      if (work.spend(ENDPOINT_UNITS)) yield;
      endpoints.push(endpointOf(service, pod, addresses.get(pod) ?? [], zoneOf(pod.spec?.nodeName ?? '')));
    }
    groups.push({ ports: group.ports, endpoints });
  }
  return groups;
}

function endpointOf(
  service: ServiceObject,
  pod: PodObject,
  addresses: readonly string[],
  zone: string | undefined,
): Endpoint {
  const { namespace, name, uid, deletionTimestamp } = pod.metadata;
  const serving = isReady(pod);
  const terminating = deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  return {
    addresses: [...addresses],
    conditions: { ready, serving, terminating },
    ...definedOnly({ hostname: hostnameIn(pod, service) }),
    targetRef: { kind: 'Pod', ...definedOnly({ namespace, name, uid }) },
    ...definedOnly({ nodeName: pod.spec?.nodeName || undefined, zone: zone || undefined }),
  };
}
