import { equalJson, errors, goQuote } from '../../foundation/index.js';
import type { AdmissionOperation } from '../../registry/index.js';
import { listAt, recordAt, textAt } from './fields.js';
import { changedKeys } from './node-labels.js';
import { NO_OBJECT, type Found, type FoundObject, type Rule } from './rule.js';

/** Looks up the current pod. */
export type PodLookup = (namespace: string, name: string) => Found | Promise<Found>;

/** In errors of cache lookups, Kubernetes names the kind instead of the resource. */
const POD = { group: '', resource: 'pod' };

/** Returns the node name of a pod; empty when it is not scheduled. */
export const nodeOfPod = (pod: FoundObject): string => textAt(recordAt(pod, 'spec'), 'nodeName');

/**
 * Returns an existing pod.
 *
 * @throws ApiError `NotFound`
 */
export async function existingPod(findPod: PodLookup, namespace: string, name: string): Promise<FoundObject> {
  const pod = await findPod(namespace, name);
  if (pod === undefined) throw errors.notFound(POD, name);
  return pod;
}

/** Restricts a node to creating mirror pods, deleting and evicting pods on itself, and writing their status. */
export function podRule(findPod: PodLookup, mirrorPod: Rule): Rule {
  const rules: ReadonlyMap<string, Rule> = new Map([
    ['', podItself(findPod, mirrorPod)],
    ['status', podStatus],
    ['eviction', eviction(findPod)],
  ]);
  return (nodeName, attributes) => {
    const { subresource } = attributes;
    const rule = rules.get(subresource);
    return rule === undefined
      ? `unexpected pod subresource ${goQuote(subresource)}, only 'status' and 'eviction' are allowed`
      : rule(nodeName, attributes);
  };
}

function podItself(findPod: PodLookup, mirrorPod: Rule): Rule {
  const rules: Partial<Record<AdmissionOperation, Rule>> = {
    CREATE: mirrorPod,
    async DELETE(nodeName, { namespace, name, oldObject }) {
      const pod = oldObject ?? (await existingPod(findPod, namespace, name));
      return nodeOfPod(pod) === nodeName
        ? undefined
        : `node ${goQuote(nodeName)} can only delete pods with spec.nodeName set to itself`;
    },
  };
  return (nodeName, attributes) => {
    const { operation } = attributes;
    const rule = rules[operation];
    return rule === undefined
      ? `unexpected operation ${goQuote(operation)}, node ${goQuote(nodeName)} can only create and delete mirror pods`
      : rule(nodeName, attributes);
  };
}

const podStatus: Rule = (nodeName, { operation, object, oldObject }) => {
  if (operation !== 'UPDATE') return `unexpected operation ${goQuote(operation)}`;
  if (object === undefined || oldObject === undefined) return NO_OBJECT;
  const node = `node ${goQuote(nodeName)}`;
  if (nodeOfPod(oldObject) !== nodeName)
    return `${node} can only update pod status for pods with spec.nodeName set to itself`;
  if (changedKeys(object.metadata.labels, oldObject.metadata.labels).length > 0)
    return `${node} cannot update labels through pod status`;
  const claims = (pod: unknown) => listAt(recordAt(pod, 'status'), 'resourceClaimStatuses');
  // The spelling is that of Kubernetes.
  return equalJson(claims(object), claims(oldObject)) ? undefined : `${node} cannot update resource claim statues`;
};

const eviction =
  (findPod: PodLookup): Rule =>
  async (nodeName, { operation, namespace, name, object }) => {
    if (operation !== 'CREATE') return `unexpected operation ${operation}`;
    if (object === undefined) return NO_OBJECT;
    const podName = name === '' ? (object.metadata.name ?? '') : name;
    if (podName === '') return 'could not determine pod from request data';
    const pod = await existingPod(findPod, namespace, podName);
    return nodeOfPod(pod) === nodeName
      ? undefined
      : `node ${nodeName} can only evict pods with spec.nodeName set to itself`;
  };
