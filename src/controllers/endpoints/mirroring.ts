import {
  appendAll,
  definedOnly,
  equalJson,
  inSlices,
  messageOf,
  SharedWork,
  type Dialect,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { Endpoints, EndpointSlice, familyOfOctets, ipOctets, Service } from '../../kinds/index.js';
import { controllerReference, isControlledBy } from '../runtime/controller-ref.js';
import type { Controller } from '../runtime/controller.js';
import type { EventSink } from '../runtime/event-recorder.js';
import { objectKey } from '../runtime/informer-cache.js';
import { keyedReconciler } from '../runtime/keyed-reconciler.js';
import { UnseenWrites } from '../runtime/unseen-writes.js';
import { watched } from '../runtime/watch.js';
import { HeldKeys } from './held-keys.js';
import { SERVICE_LIMITS, type EndpointHost } from './host.js';
import type { Endpoint, EndpointPort, EndpointsObject, ServiceObject, SliceObject } from './objects.js';
import { sliceChanges } from './slice-changes.js';
import { planSlices, portsKey, type EndpointGroup } from './slice-plan.js';
import { SliceWriter, type SliceOwner } from './slice-writer.js';
import { ManagedSlices, sliceNames, type SliceNames } from './slices.js';

/** Maximum number of addresses of a subset that are mirrored, all of them in one slice. */
const MAX_ADDRESSES = 1000;
const FAMILIES = ['IPv4', 'IPv6'];

type Subset = NonNullable<EndpointsObject['subsets']>[number];

/**
 * Copies the Endpoints of services without a selector, which people write by hand, to endpoint slices.
 *
 * @see release 1.31, pkg/controller/endpointslicemirroring
 */
export function endpointSliceMirroringController(host: EndpointHost): Controller {
  const { client, dialect, informers } = host;
  const endpoints = informers.of(Endpoints);
  const services = informers.of(Service);
  const slices = informers.of(EndpointSlice);
  const names = sliceNames(dialect);
  const manager = `endpointslicemirroring-controller.${dialect.groupSuffix}`;
  const managed = new ManagedSlices(slices, names, manager);
  const unseen = new UnseenWrites();
  const writer = new SliceWriter(client, slices, unseen);
  const held = new HeldKeys(unseen);
  const events = host.recorder.of('endpoint-slice-mirroring-controller');
  const mirror = new Mirror({ writer, events, names, manager, dialect });
  const keyOf = (object: EndpointsObject | ServiceObject): string[] => [objectKey(object)];
  return keyedReconciler(host, {
    name: 'endpointslicemirroring',
    queue: 'endpoint_slice_mirroring',
    ...SERVICE_LIMITS,
    watches: [
      watched(Endpoints, { map: keyOf }),
      watched(Service, {
        changes: {
          added: keyOf,
          updated: (service, old) => (equalJson(service.spec?.selector, old.spec?.selector) ? [] : keyOf(service)),
          deleted: keyOf,
        },
      }),
      sliceChanges({ writer, held, names, manager }),
    ],
    async reconcile(key) {
      const object = endpoints.get(key);
      const service = services.get(key);
      const existing = managed.of(key);
      const hasSelector = Object.keys(service?.spec?.selector ?? {}).length > 0;
      if (object === undefined || service === undefined || hasSelector || !isMirrored(object, names)) {
        for (const slice of existing) await writer.remove(slice, key);
        return;
      }
      if (held.isFree(key) && !(await mirror.write(key, object, existing))) held.hold(key);
    },
  });
}

/** The parts of {@link Mirror}. */
interface MirrorParts {
  readonly writer: SliceWriter;
  readonly events: EventSink;
  readonly names: SliceNames;
  readonly manager: string;
  readonly dialect: Dialect;
}

/** Copies Endpoints to slices. */
class Mirror {
  readonly #parts: MirrorParts;

  constructor(parts: MirrorParts) {
    this.#parts = parts;
  }

  /** @returns false when another client has changed a slice meanwhile */
  async write(key: string, object: EndpointsObject, existing: readonly SliceObject[]): Promise<boolean> {
    try {
      return await this.#mirror(key, object, existing);
    } catch (error) {
      const message = `Error updating Endpoint Slices for Endpoints ${key}: ${messageOf(error)}`;
      this.#parts.events.event(object, 'Warning', 'FailedToUpdateEndpointSlices', message);
      throw error;
    }
  }

  async #mirror(key: string, object: EndpointsObject, existing: readonly SliceObject[]): Promise<boolean> {
    const { writer, events, names, manager } = this.#parts;
    const owner = ownerOf(key, object);
    const annotations = this.#annotationsOf(object);
    const labels = { ...object.metadata.labels, [names.service]: owner.name, [names.manager]: manager };
    const work = new SharedWork();
    let isComplete = true;
    for (const addressType of FAMILIES) {
      const options = {
        existing: existing.filter((slice) => slice.addressType === addressType),
        groups: await inSlices(work, groupsOf(object.subsets ?? [], addressType, work)),
        labels,
        maxEndpoints: MAX_ADDRESSES,
        isOutdated: ({ metadata }: SliceObject) => !equalJson(metadata.annotations ?? {}, annotations),
        placeholder: false,
        isReusable: (slice: SliceObject) => isControlledBy(slice, object),
      };
      const plan = await inSlices(work, planSlices(options, work));
      const form = { addressType, labels, annotationsOf: () => annotations };
      isComplete = (await writer.carryOut(plan, owner, form)) && isComplete;
    }
    const skipped = skippedOf(object.subsets ?? []);
    if (skipped > 0)
      events.event(
        object,
        'Warning',
        'TooManyAddressesToMirror',
        `A max of ${MAX_ADDRESSES} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
      );
    return isComplete;
  }

  /** Returns the annotations that slices take over. */
  #annotationsOf({ metadata }: EndpointsObject): Record<string, string> {
    const { names, dialect } = this.#parts;
    const {
      [names.trigger]: _trigger,
      [dialect.clientSideApply.annotation]: _applied,
      ...others
    } = metadata.annotations ?? {};
    return others;
  }
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

/** Units of work to look at an address, and at a subset. */
const ADDRESS_UNITS = 20;
const SUBSET_UNITS = 20;

/** Returns the endpoints of one family, grouped by their ports. */
function* groupsOf(subsets: readonly Subset[], family: string, work: Work): Steps<EndpointGroup[]> {
  const groups = new Map<string, { readonly ports: readonly EndpointPort[]; readonly endpoints: Endpoint[] }>();
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    if (work.spend(SUBSET_UNITS + ports.length)) yield;
    const mirrored = ports.map(({ name = '', port, protocol, appProtocol }) => ({
      ...{ name, port },
      ...definedOnly({ protocol, appProtocol }),
    }));
    const ready = addresses.slice(0, MAX_ADDRESSES);
    const notReady = notReadyAddresses.slice(0, MAX_ADDRESSES - ready.length);
    const found: Endpoint[] = [];
    for (const [index, address] of [...ready, ...notReady].entries()) {
      if (work.spend(ADDRESS_UNITS)) yield;
      const octets = ipOctets(address.ip);
      if (octets !== undefined && familyOfOctets(octets) === family)
        found.push(endpointOf(address, index < ready.length));
    }
    if (found.length === 0) continue;
    const key = yield* portsKey(mirrored, work);
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
