import { recordAt, textAt } from './fields.js';
import { existingPod, nodeOfPod, type PodLookup } from './pods.js';
import { NO_OBJECT, type Rule } from './rule.js';

/**
 * Restricts token requests of a node to tokens bound to one pod on the node, by name and uid. The token issuer checks
 * the pod's account.
 */
export function tokenRule(findPod: PodLookup): Rule {
  const rule = tokenRequest(findPod);
  // Authorization decides about other writes of accounts.
  return (nodeName, attributes) =>
    attributes.operation === 'CREATE' && attributes.subresource === 'token' ? rule(nodeName, attributes) : undefined;
}

const tokenRequest =
  (findPod: PodLookup): Rule =>
  async (nodeName, { namespace, object }) => {
    if (object === undefined) return NO_OBJECT;
    const bound = recordAt(object, 'spec', 'boundObjectRef');
    const [name, uid] = [textAt(bound, 'name'), textAt(bound, 'uid')];
    if (bound['apiVersion'] !== 'v1' || bound['kind'] !== 'Pod' || name === '')
      return 'node requested token not bound to a pod';
    if (uid === '') return 'node requested token with a pod binding without a uid';
    const pod = await existingPod(findPod, namespace, name);
    if (uid !== pod.metadata.uid) {
      return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    }
    return nodeOfPod(pod) === nodeName
      ? undefined
      : 'node requested token bound to a pod scheduled on a different node';
  };
