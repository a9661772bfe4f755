import { equalJson, goQuote, type JsonObject } from '../../foundation/index.js';
import { recordAt } from './fields.js';
import { NO_OBJECT, type Rule } from './rule.js';

/**
 * Restricts writes of a node to volume claims to capacity and conditions in the status. Kubernetes adds the difference
 * to the message, in a form that varies.
 */
export const claimRule: Rule = (nodeName, { subresource, operation, object, oldObject }) => {
  if (subresource !== 'status') return 'may only update PVC status';
  if (operation !== 'UPDATE') return `unexpected operation ${goQuote(operation)}`;
  if (object === undefined || oldObject === undefined) return NO_OBJECT;
  if (equalJson(protectedFields(recordAt(object)), protectedFields(recordAt(oldObject)))) return undefined;
  return `node ${goQuote(nodeName)} is not allowed to update fields other than status.quantity and status.conditions`;
};

function protectedFields(claim: JsonObject): JsonObject {
  const { resourceVersion: _version, managedFields: _managers, ...metadata } = recordAt(claim, 'metadata');
  const { capacity: _capacity, conditions: _conditions, ...status } = recordAt(claim, 'status');
  return { ...claim, metadata, status };
}
