/**
 * The resources whose objects relate other objects to nodes, and how they do it.
 *
 * @module
 */
import {
  isJsonObject,
  stringOrEmpty,
  systemGroup,
  type Dialect,
  type JsonObject,
  type SystemGroup,
} from '../../../foundation/index.js';
import type { ObjectKey, ObjectReference, RelatedResource, Relation } from './object-index.js';
import { podReferences } from './pod-references.js';
import { volumeSecrets } from './volume-secrets.js';

/** A resource whose objects relate other objects to nodes. */
interface Source {
  readonly group: string | SystemGroup;
  /** Returns the references of an object, or undefined when it has none (yet). */
  readonly relation: (object: JsonObject, key: ObjectKey, dialect: Dialect) => Relation<ObjectReference> | undefined;
}

const recordAt = (object: JsonObject, field: string): JsonObject => {
  const value = object[field];
  return isJsonObject(value) ? value : {};
};

/** A pod needs its references on its node, in every phase, until it is deleted. */
const podRelation: Source['relation'] = (pod, key, dialect) => {
  const node = stringOrEmpty(recordAt(pod, 'spec')['nodeName']);
  if (node === '') return undefined;
  const self: ObjectReference = { resource: 'pods', namespace: key.namespace, name: key.name };
  // A node creates mirror pods itself, so they must not grant it anything.
  if (recordAt(recordAt(pod, 'metadata'), 'annotations')[`${dialect.labelDomain}/config.mirror`] !== undefined)
    return { node, objects: [self] };
  return { node, objects: [self, ...podReferences(pod, key)] };
};

/** A volume and its secrets are needed on every node that uses the bound claim. */
const volumeRelation: Source['relation'] = (volume, { name }) => {
  const spec = recordAt(volume, 'spec');
  const claim = spec['claimRef'];
  if (!isJsonObject(claim)) return undefined;
  const namespace = stringOrEmpty(claim['namespace']);
  return {
    claim: { resource: 'persistentvolumeclaims', namespace, name: stringOrEmpty(claim['name']) },
    objects: [{ resource: 'persistentvolumes', namespace: '', name }, ...volumeSecrets(spec, namespace)],
  };
};

/** An object that names its node. */
const ofNode =
  (resource: RelatedResource): Source['relation'] =>
  (object, { name }) => {
    const node = stringOrEmpty(recordAt(object, 'spec')['nodeName']);
    return node === '' ? undefined : { node, objects: [{ resource, namespace: '', name }] };
  };

const SOURCES = {
  pods: { group: '', relation: podRelation },
  persistentvolumes: { group: '', relation: volumeRelation },
  volumeattachments: { group: systemGroup('storage'), relation: ofNode('volumeattachments') },
  resourceslices: { group: systemGroup('resource'), relation: ofNode('resourceslices') },
} as const satisfies Partial<Record<RelatedResource, Source>>;

/** Plural name of a resource whose objects relate other objects to nodes. */
export type NodeGraphSource = keyof typeof SOURCES;

/** API groups of the resources that a graph must follow, where the server has them. */
export const NODE_GRAPH_SOURCES: Readonly<Record<NodeGraphSource, string | SystemGroup>> = Object.freeze({
  pods: SOURCES.pods.group,
  persistentvolumes: SOURCES.persistentvolumes.group,
  volumeattachments: SOURCES.volumeattachments.group,
  resourceslices: SOURCES.resourceslices.group,
});

/** Returns the references of an object, or undefined when it has none. */
export function relationOf(
  source: NodeGraphSource,
  object: JsonObject,
  key: ObjectKey,
  dialect: Dialect,
): Relation<ObjectReference> | undefined {
  return SOURCES[source].relation(object, key, dialect);
}
