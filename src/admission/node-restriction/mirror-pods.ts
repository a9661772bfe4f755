import { errors, goQuote, type ApiObject, type Dialect, type OwnerReference } from '../../foundation/index.js';
import { recordAt, textAt } from './fields.js';
import { referredTo } from './pod-references.js';
import { NO_OBJECT, type Found, type Rule, type Refusal } from './rule.js';

/** In errors of cache lookups, Kubernetes names the kind instead of the resource. */
const NODE = { group: '', resource: 'node' };

/**
 * Restricts pods that a node creates to mirrors, on itself, of pods from its own configuration. The node owns them and
 * they refer to nothing, so they do not extend the node's read access.
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

function notAMirror({ metadata }: ApiObject, annotation: string, nodeName: string): Refusal {
  if (Object.hasOwn(metadata.annotations ?? {}, annotation)) return undefined;
  return `pod does not have ${goQuote(annotation)} annotation, node ${goQuote(nodeName)} can only create mirror pods`;
}

function notHere(podNode: string, nodeName: string): Refusal {
  return podNode === nodeName
    ? undefined
    : `node ${goQuote(nodeName)} can only create pods with spec.nodeName set to itself`;
}

function notOwned(owners: readonly OwnerReference[], nodeName: string): Refusal {
  const [owner] = owners;
  const node = `node ${goQuote(nodeName)}`;
  if (owners.length > 1) return `${node} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== nodeName)
    return `${node} can only create pods with an owner reference set to itself`;
  if (owner.controller !== true) return `${node} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true) return `${node} must not set blockOwnerDeletion on an owner reference`;
  return undefined;
}
