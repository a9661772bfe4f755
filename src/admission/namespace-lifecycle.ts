import { errors, type Dialect, type StoredObject } from '../foundation/index.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../registry/index.js';
import { admissionRefusal } from './refusal.js';

/** Looks up a namespace. */
export type NamespaceLookup = (name: string) => Promise<StoredObject | undefined>;

const NAMESPACES = { group: '', resource: 'namespaces' };

/** Refuses creation in missing or terminating namespaces, and deletion of the server's own namespaces. */
export function namespaceLifecycle(dialect: Dialect, lookup: NamespaceLookup): AdmissionPlugin {
  const { namespaces } = dialect;
  const undeletable: ReadonlySet<string> = new Set([namespaces.default, namespaces.system, namespaces.public]);
  return {
    name: 'NamespaceLifecycle',
    operations: ['CREATE', 'DELETE'],
    mutate(attributes) {
      const { operation, info, namespace, name } = attributes;
      if (operation === 'DELETE') {
        if (info.group === '' && info.resource === 'namespaces' && undeletable.has(name)) {
          throw errors.forbidden(NAMESPACES, name, 'this namespace may not be deleted');
        }
        return undefined;
      }
      return namespace === '' ? undefined : lookup(namespace).then((found) => admitCreate(attributes, found));
    },
  };
}

/** @throws ApiError 404 for a missing namespace, 403 for one that is being terminated */
function admitCreate(attributes: AdmissionAttributes, found: StoredObject | undefined): void {
  const { namespace } = attributes;
  if (found === undefined) throw errors.notFound(NAMESPACES, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  throw admissionRefusal(
    attributes,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  );
}
