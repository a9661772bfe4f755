/**
 * The objects that relate others to nodes, and how each does.
 *
 * @module
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../meta/json.js';
import { systemGroup, type Dialect, type SystemGroup } from '../../names/dialect.js';
import type { ObjectKey, ObjectReference, RelatedResource, Relation } from './object-index.js';
import { podReferences } from './pod-references.js';
import { volumeSecrets } from './volume-secrets.js';

/** A resource that relates others to nodes. */
interface Source {
  readonly group: string | SystemGroup;
  /** What an object says; undefined when it says nothing (yet). */
  readonly relation: (object: JsonObject, key: ObjectKey, dialect: Dialect) => Relation<ObjectReference> | undefined;
}

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
const recordAt = (object: JsonObject, field: string): JsonObject => {
  const value = object[field];
  return isJsonObject(value) ? value : {};
};

/** A pod that is on a node needs there what it refers to, whatever its phase, until it is deleted. */
const podRelation: Source['relation'] = (pod, key, dialect) => {
  const node = text(recordAt(pod, 'spec')['nodeName']);
  if (node === '') return undefined;
  const self: ObjectReference = { resource: 'pods', namespace: key.namespace, name: key.name };
  // A node makes mirror pods itself: they must not give it anything.
  if (recordAt(recordAt(pod, 'metadata'), 'annotations')[`${dialect.labelDomain}/config.mirror`] !== undefined)
    return { node, objects: [self] };
  return { node, objects: [self, ...podReferences(pod, key)] };
};

/** A volume and its secrets are needed where the claim is used to which it is bound. */
const volumeRelation: Source['relation'] = (volume, { name }) => {
  const spec = recordAt(volume, 'spec');
  const claim = spec['claimRef'];
  if (!isJsonObject(claim)) return undefined;
  const namespace = text(claim['namespace']);
  return {
    claim: { resource: 'persistentvolumeclaims', namespace, name: text(claim['name']) },
    objects: [{ resource: 'persistentvolumes', namespace: '', name }, ...volumeSecrets(spec, namespace)],
  };
};

/** An object that itself says for which node it is. */
const ofNode =
  (resource: RelatedResource): Source['relation'] =>
  (object, { name }) => {
    const node = text(recordAt(object, 'spec')['nodeName']);
    return node === '' ? undefined : { node, objects: [{ resource, namespace: '', name }] };
  };

const SOURCES = {
  pods: { group: '', relation: podRelation },
  persistentvolumes: { group: '', relation: volumeRelation },
  volumeattachments: { group: systemGroup('storage'), relation: ofNode('volumeattachments') },
  resourceslices: { group: systemGroup('resource'), relation: ofNode('resourceslices') },
} as const satisfies Partial<Record<RelatedResource, Source>>;

/** Plural name of a resource that relates others to nodes. */
export type NodeGraphSource = keyof typeof SOURCES;

/** The API groups of the resources that a graph is to be told about, if the server has them. */
export const NODE_GRAPH_SOURCES: Readonly<Record<NodeGraphSource, string | SystemGroup>> = Object.freeze({
  pods: SOURCES.pods.group,
  persistentvolumes: SOURCES.persistentvolumes.group,
  volumeattachments: SOURCES.volumeattachments.group,
  resourceslices: SOURCES.resourceslices.group,
});

/** What an object of a source says; undefined for one that says nothing. */
export function relationOf(
  source: NodeGraphSource,
  object: JsonObject,
  key: ObjectKey,
  dialect: Dialect,
): Relation<ObjectReference> | undefined {
  return SOURCES[source].relation(object, key, dialect);
}
