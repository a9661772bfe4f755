/**
 * The plan for the endpoint slices of one service and one type of addresses: which slices to create, to change and to
 * remove, so that few of them change. Pure functions of values.
 *
 * @module
 * @see release 1.31, `reconcileByPortMapping` and `finalize` of the module endpointslice
 */
import {
  appendAll,
  appendTo,
  equalJson,
  equalSteps,
  sortedSteps,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import type { Endpoint, EndpointPort, SliceObject } from './objects.js';

/** Endpoints that offer the same ports. */
export interface EndpointGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** Options of {@link planSlices}. */
export interface SlicePlanOptions {
  /** The existing slices of the service, all of one type of addresses. */
  readonly existing: readonly SliceObject[];
  readonly groups: readonly EndpointGroup[];
  /** The labels of every slice. */
  readonly labels: Readonly<Record<string, string>>;
  /** Maximum number of endpoints of a slice. */
  readonly maxEndpoints: number;
  /** Returns whether a slice needs a change for another reason than its endpoints and labels. */
  readonly isOutdated?: ((slice: SliceObject) => boolean) | undefined;
  /** Whether a service without endpoints has an empty slice. */
  readonly placeholder: boolean;
  /** Returns whether a slice may be used again for other ports: it belongs to this service, not to an earlier one. */
  readonly isReusable: (slice: SliceObject) => boolean;
}

/** A slice to write: a new one, or a changed one. */
export interface PlannedSlice {
  /** The existing slice; undefined for a new one. */
  readonly slice: SliceObject | undefined;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** The slices to create, to update and to remove. */
export interface SlicePlan {
  readonly create: readonly PlannedSlice[];
  readonly update: readonly PlannedSlice[];
  readonly remove: readonly SliceObject[];
}

/** An existing slice with its new endpoints. */
interface Draft {
  readonly slice: SliceObject;
  endpoints: Endpoint[];
  isChanged: boolean;
}

/** Units of work to encode a port, and to compare an endpoint. */
const PORT_UNITS = 12;
const ENDPOINT_UNITS = 30;

/** Key of a list of ports, without regard to their order. */
export function* portsKey(ports: readonly EndpointPort[] | null | undefined, work: Work): Steps<string> {
  const keys: string[] = [];
  for (const { name = '', protocol = '', port, appProtocol } of ports ?? []) {
    if (work.spend(PORT_UNITS)) yield;
    keys.push(JSON.stringify([name, protocol, port ?? null, appProtocol ?? null]));
  }
  return (yield* sortedSteps(keys, compareUnits, work)).join(' ');
}

const compareUnits = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Key of an endpoint: one with this key replaces another one. */
const endpointKey = ({ addresses, hostname, targetRef }: Endpoint): string =>
  JSON.stringify([addresses, hostname ?? '', targetRef?.namespace ?? '', targetRef?.name ?? '', targetRef?.uid ?? '']);

/** Plans the slices, in steps: a service may have thousands of endpoints, ports and slices. */
export function* planSlices(options: SlicePlanOptions, work: Work): Steps<SlicePlan> {
  const { existing, groups, placeholder } = options;
  const byPorts = new Map<string, SliceObject[]>();
  for (const slice of existing) appendTo(byPorts, yield* portsKey(slice.ports, work), slice);
  const create: PlannedSlice[] = [];
  const update: PlannedSlice[] = [];
  let remove: SliceObject[] = [];
  for (const group of groups) {
    const key = yield* portsKey(group.ports, work);
    const plan = yield* planGroup(options, group, byPorts.get(key) ?? [], work);
    byPorts.delete(key);
    appendAll(create, plan.create);
    appendAll(update, plan.update);
    appendAll(remove, plan.remove);
  }
  for (const unwanted of byPorts.values()) appendAll(remove, unwanted);
  if (placeholder && existing.length === remove.length && create.length === 0) {
    const [only] = remove;
    if (only !== undefined && remove.length === 1 && isPlaceholder(options, only)) remove = [];
    else create.push({ slice: undefined, ports: [], endpoints: [] });
  }
  return reuse(options, { create, update, remove });
}

const isPlaceholder = ({ labels }: SlicePlanOptions, slice: SliceObject): boolean =>
  (slice.ports ?? []).length === 0 &&
  (slice.endpoints ?? []).length === 0 &&
  equalJson(slice.metadata.labels ?? {}, labels);

/** Fills the slices of one list of ports. */
function* planGroup(
  options: SlicePlanOptions,
  group: EndpointGroup,
  slices: readonly SliceObject[],
  work: Work,
): Steps<SlicePlan> {
  const { maxEndpoints } = options;
  const left = new Map<string, Endpoint>();
  for (const endpoint of group.endpoints) {
    if (work.spend(ENDPOINT_UNITS)) yield;
    left.set(endpointKey(endpoint), endpoint);
  }
  const kept: Draft[] = [];
  const emptied: SliceObject[] = [];
  for (const slice of slices) {
    const draft = yield* draftOf(slice, left, options, work);
    if (draft.endpoints.length === 0 && (slice.endpoints ?? []).length > 0) emptied.push(slice);
    else kept.push(draft);
  }
  const rest = new Rest([...left.values()]);
  // Slices that change anyway are filled first, the fullest one before the others.
  for (const draft of kept.filter(({ isChanged }) => isChanged).sort(byFullness)) fill(draft, rest, maxEndpoints);
  const create: PlannedSlice[] = [];
  while (rest.length > 0) {
    const target = rest.length < maxEndpoints ? roomiest(kept, rest.length, maxEndpoints) : undefined;
    if (target !== undefined) fill(target, rest, maxEndpoints);
    else create.push({ slice: undefined, ports: group.ports, endpoints: rest.take(maxEndpoints) });
  }
  const update = kept
    .filter(({ isChanged }) => isChanged)
    .map(({ slice, endpoints }) => ({ slice, ports: slice.ports ?? [], endpoints }));
  return { create, update, remove: emptied };
}

/** The endpoints that have no slice yet. */
class Rest {
  readonly #endpoints: readonly Endpoint[];
  #from = 0;

  constructor(endpoints: readonly Endpoint[]) {
    this.#endpoints = endpoints;
  }

  get length(): number {
    return this.#endpoints.length - this.#from;
  }

  take(most: number): readonly Endpoint[] {
    const taken = this.#endpoints.slice(this.#from, this.#from + most);
    this.#from += taken.length;
    return taken;
  }
}

/** Keeps the endpoints of a slice that are still wanted, in their new state, and takes them from `left`. */
function* draftOf(
  slice: SliceObject,
  left: Map<string, Endpoint>,
  { labels, isOutdated }: SlicePlanOptions,
  work: Work,
): Steps<Draft> {
  const before = slice.endpoints ?? [];
  const endpoints: Endpoint[] = [];
  for (const endpoint of before) {
    if (work.spend(ENDPOINT_UNITS)) yield;
    const key = endpointKey(endpoint);
    const wanted = left.get(key);
    if (wanted === undefined) continue;
    endpoints.push(wanted);
    left.delete(key);
  }
  const isSame = yield* equalSteps(work, endpoints, before);
  const isChanged = !isSame || !equalJson(labels, slice.metadata.labels ?? {}) || isOutdated?.(slice) === true;
  return { slice, endpoints, isChanged };
}

const byFullness = (one: Draft, other: Draft): number => other.endpoints.length - one.endpoints.length;

function fill(draft: Draft, rest: Rest, maxEndpoints: number): void {
  const added = rest.take(Math.max(0, maxEndpoints - draft.endpoints.length));
  if (added.length === 0) return;
  draft.endpoints = [...draft.endpoints, ...added];
  draft.isChanged = true;
}

/** Returns the fullest unchanged slice that has room for all of the rest. */
function roomiest(drafts: readonly Draft[], count: number, maxEndpoints: number): Draft | undefined {
  return drafts
    .filter(({ isChanged, endpoints }) => !isChanged && endpoints.length + count <= maxEndpoints)
    .sort(byFullness)[0];
}

/** Changes slices that would be removed instead of creating others. */
function reuse({ isReusable }: SlicePlanOptions, { create, update, remove }: SlicePlan): SlicePlan {
  const spare = remove.filter(isReusable);
  const reused = new Set(spare.slice(0, create.length));
  const pairs = [...reused].map((slice, index) => ({ slice, planned: create[index] }));
  return {
    create: create.slice(pairs.length),
    update: [
      ...update,
      ...pairs.flatMap(({ slice, planned }) => (planned === undefined ? [] : [{ ...planned, slice }])),
    ],
    remove: remove.filter((slice) => !reused.has(slice)),
  };
}
