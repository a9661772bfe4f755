import type { Client } from '../../client/index.js';
import { Namespace, ServiceAccount } from '../../kinds/index.js';
import { isActive } from '../runtime/active-namespaces.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason, isNamespaceTerminating } from '../runtime/failures.js';
import type { ReconcilerHost } from '../runtime/keyed-reconciler.js';
import { reconciler } from '../runtime/reconciler.js';
import { view } from '../runtime/sources.js';
import { watched } from '../runtime/watch.js';

/** Name of the service account that every active namespace has. */
const DEFAULT = 'default';

/** Options of {@link serviceAccountController}. */
export interface ServiceAccountControllerOptions extends ReconcilerHost {
  readonly client: Client;
}

/** Maintains the service account `default` in every active namespace. */
export function serviceAccountController(options: ServiceAccountControllerOptions): Controller {
  const { client, informers } = options;
  const defaults = view(ServiceAccount, { fieldSelector: `metadata.name=${DEFAULT}` });
  const accounts = informers.of(defaults);
  return reconciler(options, {
    name: 'serviceaccount',
    queue: 'serviceaccount',
    kind: Namespace,
    watches: [watched(defaults, { changes: { deleted: ({ metadata }) => [metadata.namespace ?? ''] } })],
    async reconcile(namespace, { key }) {
      if (isActive(namespace) && accounts.get(`${key}/${DEFAULT}`) === undefined) await createDefault(client, key);
    },
  });
}

async function createDefault(client: Client, namespace: string): Promise<void> {
  try {
    await client
      .resource(ServiceAccount)
      .namespace(namespace)
      .create({ metadata: { name: DEFAULT, namespace } });
  } catch (error) {
    if (!isNamespaceTerminating(error) && !hasReason(error, 'AlreadyExists')) throw error;
  }
}
