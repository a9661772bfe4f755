import { equalJson, goQuote, type ApiObject, type Dialect, type StoredObject } from '../../foundation/index.js';
import { listAt, recordAt } from './fields.js';
import { changedKeys, forbiddenNodeLabels } from './node-labels.js';
import { NO_OBJECT, type Rule, type Refusal } from './rule.js';

/**
 * Restricts a node to its own Node object, without the fields that control its workload (taints, platform labels) and
 * its deletion (owners).
 */
export function nodeRule(dialect: Dialect): Rule {
  const isForbidden = forbiddenNodeLabels(dialect);
  return (nodeName, { operation, name, object, oldObject }) => {
    if (name !== nodeName) return `node ${goQuote(nodeName)} is not allowed to modify node ${goQuote(name)}`;
    if (operation === 'DELETE') return undefined;
    if (object === undefined) return NO_OBJECT;
    if (operation === 'CREATE') return creation(nodeName, object, isForbidden);
    return oldObject === undefined ? NO_OBJECT : update(nodeName, object, oldObject, isForbidden);
  };
}

function creation(nodeName: string, object: ApiObject, isForbidden: (key: string) => boolean): Refusal {
  const node = `node ${goQuote(nodeName)}`;
  // Kubernetes writes "pods" here.
  if (recordAt(object, 'spec')['configSource'] !== undefined)
    return `${node} is not allowed to create pods with a non-nil configSource`;
  const labels = changedKeys(object.metadata.labels, undefined).filter(isForbidden);
  return labels.length === 0 ? undefined : `${node} is not allowed to set the following labels: ${labels.join(', ')}`;
}

function update(
  nodeName: string,
  object: ApiObject,
  oldObject: StoredObject,
  isForbidden: (key: string) => boolean,
): Refusal {
  const node = `node ${goQuote(nodeName)}`;
  const [spec, oldSpec] = [recordAt(object, 'spec'), recordAt(oldObject, 'spec')];
  const [metadata, oldMetadata] = [recordAt(object, 'metadata'), recordAt(oldObject, 'metadata')];
  // An old agent can drop the field because it does not know it.
  const source = spec['configSource'];
  if (source !== undefined && !equalJson(source, oldSpec['configSource']))
    return `${node} is not allowed to update configSource to a new non-nil configSource`;
  if (!equalJson(listAt(spec, 'taints'), listAt(oldSpec, 'taints'))) return `${node} is not allowed to modify taints`;
  if (!equalJson(listAt(metadata, 'ownerReferences'), listAt(oldMetadata, 'ownerReferences')))
    return `${node} is not allowed to modify ownerReferences`;
  const labels = changedKeys(object.metadata.labels, oldObject.metadata.labels).filter(isForbidden);
  // Kubernetes does not name the node here.
  return labels.length === 0 ? undefined : `is not allowed to modify labels: ${labels.join(', ')}`;
}
