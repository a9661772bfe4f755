/**
 * The limits of namespaces on containers, pods and claims, and their defaults.
 *
 * @see release 1.31, plugin/pkg/admission/limitranger
 * @module
 */
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Dialect,
  type Quantity,
} from '../../../foundation/index.js';
import {
  PersistentVolumeClaim,
  Pod,
  podLimits,
  podRequests,
  readAmounts,
  type Amounts,
  type coreV1,
  type LimitRange,
} from '../../../kinds/index.js';
import {
  defineAdmissionPlugin,
  type AdmissionAttributes,
  type AdmissionPlugin,
  type Incomplete,
  type ObjectOf,
} from '../../../registry/index.js';
import { admissionRefusal } from '../../refusal.js';
import { aggregated } from '../aggregated.js';
import type { MirroredKind } from '../mirrored-kind.js';

type Range = ObjectOf<typeof LimitRange>;
type Limit = coreV1.LimitRangeItem;
type Container = Incomplete<coreV1.Container>;

const limitsOf = ({ spec }: Range): readonly Limit[] => spec?.limits ?? [];

/** Returns the ranges of a namespace in a fixed order, in which the defaults of the first win. */
const rangesOf = (ranges: MirroredKind<Range>, namespace: string): readonly Range[] =>
  [...ranges.in(namespace)].sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));

/** Applies the limits of a namespace to its pods and claims. */
export function limitRanger({ labelDomain }: Dialect, ranges: MirroredKind<Range>): AdmissionPlugin {
  const annotation = `${labelDomain}/limit-ranger`;
  const pods = defineAdmissionPlugin({
    name: 'LimitRanger',
    kinds: [Pod],
    operations: ['CREATE'],
    mutate({ object, namespace }) {
      for (const range of rangesOf(ranges, namespace)) {
        const set = setDefaults(object.spec ?? {}, limitsOf(range));
        if (set.length > 0)
          object.metadata.annotations = {
            ...object.metadata.annotations,
            [annotation]: `LimitRanger plugin set: ${set.join('; ')}`,
          };
      }
    },
    validate(attributes) {
      const { spec } = attributes.object;
      if (spec !== undefined) refuse(attributes, ranges, (limit) => podProblems(limit, spec));
    },
  });
  const claims = defineAdmissionPlugin({
    name: 'LimitRanger',
    kinds: [PersistentVolumeClaim],
    operations: ['CREATE', 'UPDATE'],
    validate(attributes) {
      if (attributes.operation === 'UPDATE' && attributes.oldObject.metadata.deletionTimestamp !== undefined) return;
      refuse(attributes, ranges, (limit) => claimProblems(limit, attributes.object.spec?.resources?.requests));
    },
  });
  return {
    name: 'LimitRanger',
    kinds: [Pod, PersistentVolumeClaim],
    operations: ['CREATE', 'UPDATE'],
    // The resources of a pod never change, so an update has nothing to check.
    mutate: (attributes, round) => (isPodCreate(attributes) ? pods.mutate?.(attributes, round) : undefined),
    validate: (attributes) => {
      if (isPodCreate(attributes)) return pods.validate?.(attributes);
      return attributes.info.definition === PersistentVolumeClaim && attributes.subresource === ''
        ? claims.validate?.(attributes)
        : undefined;
    },
  };
}

const isPodCreate = ({ info, operation, subresource }: AdmissionAttributes): boolean =>
  info.definition === Pod && operation === 'CREATE' && subresource === '';

/** Refuses a request that any range does not allow, with the problems of the first such range. */
function refuse(
  attributes: Pick<AdmissionAttributes, 'namespace'> & Parameters<typeof admissionRefusal>[0],
  ranges: MirroredKind<Range>,
  problemsOf: (limit: Limit) => readonly string[],
): void {
  for (const range of rangesOf(ranges, attributes.namespace)) {
    const problems = limitsOf(range).flatMap(problemsOf);
    if (problems.length > 0) throw admissionRefusal(attributes, aggregated(problems));
  }
}

/**
 * Sets the requests and limits that the containers of a pod do not have.
 *
 * @returns what was set, in the words of Kubernetes' annotation
 */
function setDefaults(spec: Incomplete<coreV1.PodSpec>, limits: readonly Limit[]): string[] {
  const ofContainers = limits.filter(({ type }) => type === 'Container');
  const requests = mergedAmounts(ofContainers.map(({ defaultRequest }) => defaultRequest));
  const maxima = mergedAmounts(ofContainers.map((limit) => limit.default));
  const set = (container: Container, what: string): string[] => {
    const setRequests = fill(container, 'requests', requests);
    const setLimits = fill(container, 'limits', maxima);
    const words = (names: readonly string[], field: string): string[] =>
      names.length === 0 ? [] : [`${names.join(', ')} ${field} for ${what} ${container.name ?? ''}`];
    return [...words(setRequests, 'request'), ...words(setLimits, 'limit')];
  };
  return [
    ...(spec.containers ?? []).flatMap((container) => set(container, 'container')),
    ...(spec.initContainers ?? []).flatMap((container) => set(container, 'init container')),
  ];
}

/** Returns the amounts of several lists; the last list with a resource counts. */
function mergedAmounts(lists: readonly (Readonly<Record<string, string>> | undefined)[]): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const amounts of lists) for (const [name, amount] of Object.entries(amounts ?? {})) merged[name] = amount;
  return merged;
}

/** Adds the missing amounts of a container, and returns their names in order. */
function fill(
  container: Container,
  field: 'requests' | 'limits',
  defaults: Readonly<Record<string, string>>,
): readonly string[] {
  const given = container.resources?.[field] ?? {};
  const missing = Object.keys(defaults)
    .filter((name) => given[name] === undefined)
    .sort();
  if (missing.length === 0) return missing;
  const added = Object.fromEntries(missing.map((name) => [name, defaults[name] ?? '']));
  container.resources = { ...container.resources, [field]: { ...given, ...added } };
  return missing;
}

function podProblems(limit: Limit, spec: coreV1.PodSpec): string[] {
  if (limit.type === 'Container')
    return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
      boundProblems(limit, readAmounts(resources?.requests), readAmounts(resources?.limits)),
    );
  if (limit.type !== 'Pod') return [];
  // Overhead belongs to the runtime, and is not limited.
  const { overhead: _, ...own } = spec;
  return boundProblems(limit, podRequests(own), podLimits(own));
}

function claimProblems({ type, min, max }: Limit, requests: coreV1.ResourceRequirements['requests']): string[] {
  if (type !== 'PersistentVolumeClaim') return [];
  const requested = readAmounts(requests);
  return [
    ...each(min, (name, least) => belowMinimum(type, name, least, requested, new Map())),
    ...each(max, (name, most) => {
      const request = requested.get(name);
      const start = `maximum ${name} usage per ${type} is ${formatQuantity(most)}`;
      if (request === undefined) return `${start}.  No request is specified`;
      return isMore(request, most) ? `${start}, but request is ${formatQuantity(request)}` : undefined;
    }),
  ];
}

function boundProblems({ type, min, max, maxLimitRequestRatio }: Limit, requests: Amounts, limits: Amounts): string[] {
  return [
    ...each(min, (name, least) => belowMinimum(type, name, least, requests, limits)),
    ...each(max, (name, most) => aboveMaximum(type, name, most, requests, limits)),
    ...each(maxLimitRequestRatio, (name, ratio) => aboveRatio(type, name, ratio, requests, limits)),
  ];
}

/** Calls a check for every amount, by name. */
function each(
  amounts: Readonly<Record<string, string>> | undefined,
  check: (name: string, amount: Quantity) => string | undefined,
): string[] {
  return Object.entries(amounts ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, text]) => {
      const amount = parseQuantity(text);
      return (amount === undefined ? undefined : check(name, amount)) ?? [];
    });
}

const isMore = (a: Quantity, b: Quantity): boolean => compareQuantities(a, b) > 0;

function belowMinimum(
  type: string,
  name: string,
  least: Quantity,
  requests: Amounts,
  limits: Amounts,
): string | undefined {
  const [request, limit] = [requests.get(name), limits.get(name)];
  const start = `minimum ${name} usage per ${type} is ${formatQuantity(least)}`;
  if (request === undefined) return `${start}.  No request is specified`;
  if (isMore(least, request)) return `${start}, but request is ${formatQuantity(request)}`;
  if (limit !== undefined && isMore(least, limit)) return `${start}, but limit is ${formatQuantity(limit)}`;
  return undefined;
}

function aboveMaximum(
  type: string,
  name: string,
  most: Quantity,
  requests: Amounts,
  limits: Amounts,
): string | undefined {
  const [request, limit] = [requests.get(name), limits.get(name)];
  const start = `maximum ${name} usage per ${type} is ${formatQuantity(most)}`;
  if (limit === undefined) return `${start}.  No limit is specified`;
  if (isMore(limit, most)) return `${start}, but limit is ${formatQuantity(limit)}`;
  if (request !== undefined && isMore(request, most)) return `${start}, but request is ${formatQuantity(request)}`;
  return undefined;
}

function aboveRatio(
  type: string,
  name: string,
  ratio: Quantity,
  requests: Amounts,
  limits: Amounts,
): string | undefined {
  const [request, limit] = [requests.get(name), limits.get(name)];
  const start = `${name} max limit to request ratio per ${type} is ${formatQuantity(ratio)}, but`;
  if (request === undefined || request.unscaled === 0n) return `${start} no request is specified or request is 0`;
  if (limit === undefined || limit.unscaled === 0n) return `${start} no limit is specified or limit is 0`;
  const allowed: Quantity = {
    ...request,
    unscaled: request.unscaled * ratio.unscaled,
    scale: request.scale + ratio.scale,
  };
  if (!isMore(limit, allowed)) return undefined;
  const provided = Number(`${limit.unscaled}e${limit.scale}`) / Number(`${request.unscaled}e${request.scale}`);
  return `${start} provided ratio is ${provided.toFixed(6)}`;
}
