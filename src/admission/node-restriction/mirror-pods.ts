import { errors } from '../../meta/api-error.js';
import { goQuote } from '../../meta/go-text.js';
import type { ApiObject, OwnerReference } from '../../meta/object.js';
import type { Dialect } from '../../names/dialect.js';
import { recordAt, textAt } from './fields.js';
import { referredTo } from './pod-references.js';
import { NO_OBJECT, type Found, type Rule, type Why } from './rule.js';

/** What production's caches call what they do not find: by the kind, not the resource. */
const NODE = { group: '', resource: 'node' };

/**
 * The pods that a node may make: mirrors, on itself, of the pods that it runs by its own configuration. They are owned by the node
 * and refer to nothing, so that none of them widens what the node may read.
 */
export function mirrorPodRule(dialect: Dialect, findNode: (name: string) => Found | Promise<Found>): Rule {
  const annotation = `${dialect.labelDomain}/config.mirror`;
  return async (nodeName, { object }) => {
    if (object === undefined) return NO_OBJECT;
    const spec = recordAt(object, 'spec');
    const why =
      notAMirror(object, annotation, nodeName) ??
      notHere(textAt(spec, 'nodeName'), nodeName) ??
      notOwned(object.metadata.ownerReferences ?? [], nodeName);
    if (why !== undefined) return why;
    const node = await findNode(nodeName);
    if (node === undefined) throw errors.notFound(NODE, nodeName);
    const uid = object.metadata.ownerReferences?.[0]?.uid ?? '';
    if (uid !== node.metadata.uid)
      return `node ${nodeName} UID mismatch: expected ${uid} got ${node.metadata.uid ?? ''}`;
    const what = referredTo(spec);
    return what === undefined ? undefined : `node ${goQuote(nodeName)} can not create pods that reference ${what}`;
  };
}

function notAMirror({ metadata }: ApiObject, annotation: string, nodeName: string): Why {
  if (Object.hasOwn(metadata.annotations ?? {}, annotation)) return undefined;
  return `pod does not have ${goQuote(annotation)} annotation, node ${goQuote(nodeName)} can only create mirror pods`;
}

function notHere(podNode: string, nodeName: string): Why {
  return podNode === nodeName
    ? undefined
    : `node ${goQuote(nodeName)} can only create pods with spec.nodeName set to itself`;
}

function notOwned(owners: readonly OwnerReference[], nodeName: string): Why {
  const [owner] = owners;
  const node = `node ${goQuote(nodeName)}`;
  if (owners.length > 1) return `${node} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== nodeName)
    return `${node} can only create pods with an owner reference set to itself`;
  if (owner.controller !== true) return `${node} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true) return `${node} must not set blockOwnerDeletion on an owner reference`;
  return undefined;
}
