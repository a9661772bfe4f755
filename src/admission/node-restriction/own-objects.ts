/**
 * Objects that belong to one node, by their name or by a field that names the node.
 *
 * @module
 */
import { goQuote, type Dialect } from '../../foundation/index.js';
import { recordAt, textAt } from './fields.js';
import { NO_OBJECT, type Rule } from './rule.js';

/** Restricts a node to the lease with its name. */
export const leaseRule =
  ({ namespaces }: Dialect): Rule =>
  (nodeName, { namespace, name }) => {
    if (namespace !== namespaces.nodeLease)
      return `can only access leases in the ${goQuote(namespaces.nodeLease)} system namespace`;
    return name === nodeName ? undefined : 'can only access node lease with the same name as the requesting node';
  };

/** Restricts a node to the CSINode with its name. */
export const csiNodeRule: Rule = (nodeName, { name }) =>
  name === nodeName ? undefined : 'can only access CSINode with the same name as the requesting node';

/**
 * Restricts a node to creating and deleting its own resource slices. The Node authorizer decides about other requests,
 * because it knows the existing slices; it sees neither created slices nor each slice of a deleted collection.
 */
export const resourceSliceRule: Rule = (nodeName, { operation, object, oldObject }) => {
  if (operation !== 'CREATE' && operation !== 'DELETE') return undefined;
  const slice = operation === 'CREATE' ? object : oldObject;
  if (slice === undefined) return NO_OBJECT;
  if (textAt(recordAt(slice, 'spec'), 'nodeName') === nodeName) return undefined;
  return `can only ${operation === 'CREATE' ? 'create' : 'delete'} ResourceSlice with the same NodeName as the requesting node`;
};
