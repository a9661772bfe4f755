import { errors } from '../../foundation/index.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/index.js';
import type { NamespaceLookup } from '../namespace-lifecycle.js';

const NAMESPACES = { group: '', resource: 'namespaces' };

const isInNamespace = ({ namespace, info }: AdmissionAttributes): boolean =>
  namespace !== '' && !(info.group === '' && info.resource === 'namespaces');

/** Refuses requests in namespaces that do not exist. NamespaceLifecycle does this for creates. */
export function namespaceExists(lookup: NamespaceLookup): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    async validate(attributes) {
      if (!isInNamespace(attributes)) return;
      if ((await lookup(attributes.namespace)) === undefined) throw errors.notFound(NAMESPACES, attributes.namespace);
    },
  };
}

/**
 * Creates the namespace of a new object, if it does not exist. A dry run creates nothing.
 *
 * @param create creates a namespace; does nothing when another request has created it meanwhile
 */
export function namespaceAutoProvision(
  lookup: NamespaceLookup,
  create: (name: string) => Promise<void>,
): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    operations: ['CREATE'],
    async mutate(attributes) {
      if (attributes.dryRun || !isInNamespace(attributes)) return;
      if ((await lookup(attributes.namespace)) === undefined) await create(attributes.namespace);
    },
  };
}
