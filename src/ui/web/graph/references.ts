import { useEffect, useState } from 'preact/hooks';
import type { UntypedObject } from '../../../entries/client-web.js';
import { namedIn } from '../../references.js';
import type { Api } from '../data/api.js';
import type { GraphNode } from '../data/graph.js';
import { isApiObject, isMap, listOf } from '../data/guards.js';
import { pathOf, type PageKind } from '../data/kinds.js';
import { kindOf } from '../data/references.js';
import { readRelated } from '../data/related.js';
import { api, kinds } from '../state.js';

/** The objects that an object names or selects, and those that name or select it. */
export interface References {
  readonly refersTo: readonly GraphNode[];
  readonly referredBy: readonly GraphNode[];
}

export const NO_REFERENCES: References = { refersTo: [], referredBy: [] };

/** The most nodes of each direction. */
const MOST = 10;
/** The most services that are looked at for a pod. */
const SERVICES = 500;
const NO_BRANCH = { members: [], hidden: 0, complete: true };

/**
 * Reads the references of an object.
 *
 * @param turn another one reads them again
 * @param failed called with what is thrown
 */
export function useReferences(
  kind: PageKind,
  object: UntypedObject,
  turn: number,
  failed: (error: unknown) => void,
): References {
  const [found, setFound] = useState(NO_REFERENCES);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    if (api.value !== undefined)
      referencesOf(api.value, kind, object, signal).then(
        (read) => signal.aborted || setFound(read),
        (error: unknown) => signal.aborted || failed(error),
      );
    return () => leaving.abort();
  }, [object.metadata.uid, turn]);
  return found;
}

async function referencesOf(
  opened: Api,
  kind: PageKind,
  object: UntypedObject,
  signal: AbortSignal,
): Promise<References> {
  const { uid = '', name = '', namespace = '' } = object.metadata;
  const [{ referredBy, otherReferrers }, selected, selecting] = await Promise.all([
    readRelated(opened, uid, signal, { group: kind.group, kind: kind.kind, namespace, name }),
    kind.group === '' && kind.kind === 'Service' ? selectedPods(opened, object, signal) : [],
    kind.group === '' && kind.kind === 'Pod' ? selectingServices(opened, object, signal) : [],
  ]);
  const referrers = referredBy.map(({ field, ...from }) => nodeOf(`from ${from.uid}`, from, field, 'in'));
  return {
    refersTo: bounded('to', [...namedNodes(object, opened.suffix), ...selected], 0),
    referredBy: bounded('from', [...selecting, ...referrers], otherReferrers),
  };
}

/** Returns at most some nodes, and a remark that says how many more there are. */
function bounded(id: string, nodes: readonly GraphNode[], others: number): GraphNode[] {
  const more = Math.max(0, nodes.length - MOST) + others;
  const remark = { title: `${more} more`, detail: 'references', object: undefined, opens: false, children: [] };
  return [...nodes.slice(0, MOST), ...(more > 0 ? [{ ...remark, id: `${id} more`, isReference: true }] : [])];
}

type Place = Pick<PageKind, 'group' | 'version' | 'kind'> & {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
};

const nodeOf = (id: string, place: Place, field: string, how: string): GraphNode => ({
  ...{ id, title: place.name, detail: `${place.kind} ${how} ${shortened(field)}`, field, isReference: true },
  object: { ...place, uid: id, below: NO_BRANCH },
  ...{ opens: false, children: [] },
});

/** Returns the end of the path of a field: the beginning is the same for most. */
const shortened = (field: string): string => field.split('.').slice(-2).join('.');

/** Returns the objects that an object names, each once. */
function namedNodes(object: UntypedObject, suffix: string): GraphNode[] {
  const nodes = new Map<string, GraphNode>();
  for (const { field, ...reference } of namedIn(object)) {
    const known = kindOf(reference, kinds.value, suffix);
    if (known === undefined) continue;
    const { group, version, kind, plural: resource, namespaced } = known;
    const namespace = namespaced ? (reference.namespace ?? object.metadata.namespace ?? '') : '';
    const id = `to ${group} ${kind} ${namespace} ${reference.name}`;
    const place = { group, version, kind, resource, namespace, name: reference.name };
    if (!nodes.has(id)) nodes.set(id, nodeOf(id, place, field, 'in'));
  }
  return [...nodes.values()];
}

/** The selector of a service; undefined for one that selects nothing. */
function selectorOf(service: unknown): readonly [string, string][] | undefined {
  const spec = isMap(service) && isMap(service['spec']) ? service['spec'] : {};
  const selector = isMap(spec['selector']) ? Object.entries(spec['selector']) : [];
  return selector.length === 0 ? undefined : selector.map(([key, value]) => [key, String(value)]);
}

async function listed(
  opened: Api,
  plural: string,
  query: Readonly<Record<string, string>>,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<UntypedObject[]> {
  const known = kinds.value.find((each) => each.group === '' && each.plural === plural);
  if (known === undefined) return [];
  const path = `${pathOf(known, namespace)}?${new URLSearchParams(query)}`;
  const sent = await opened.read<unknown>(path, 'application/json', signal).catch(() => undefined);
  // Items of a list have no kind of their own.
  return listOf(isMap(sent) ? sent['items'] : [])
    .map((item) => (isMap(item) ? { ...item, apiVersion: known.version, kind: known.kind } : item))
    .filter(isApiObject);
}

const placeOf = ({ kind = '', metadata }: UntypedObject, resource: string): Place => ({
  ...{ group: '', version: 'v1', kind, resource, namespace: metadata.namespace ?? '', name: metadata.name ?? '' },
});

async function selectedPods(opened: Api, service: UntypedObject, signal: AbortSignal): Promise<GraphNode[]> {
  const selector = selectorOf(service);
  if (selector === undefined) return [];
  const labelSelector = selector.map(([key, value]) => `${key}=${value}`).join(',');
  const query = { labelSelector, limit: String(SERVICES) };
  const pods = await listed(opened, 'pods', query, service.metadata.namespace, signal);
  return pods.map((pod) => nodeOf(`to ${pod.metadata.uid}`, placeOf(pod, 'pods'), 'spec.selector', 'by'));
}

async function selectingServices(opened: Api, pod: UntypedObject, signal: AbortSignal): Promise<GraphNode[]> {
  const labels = pod.metadata.labels ?? {};
  const services = await listed(opened, 'services', { limit: String(SERVICES) }, pod.metadata.namespace, signal);
  return services
    .filter((service) => selectorOf(service)?.every(([key, value]) => labels[key] === value))
    .map((each) => nodeOf(`from ${each.metadata.uid}`, placeOf(each, 'services'), 'spec.selector', 'by'));
}
