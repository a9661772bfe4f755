import type { Client } from '../../client/index.js';
import type { Clock } from '../../foundation/index.js';
import { ServiceAccount } from '../../kinds/index.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason, isNamespaceTerminating } from '../runtime/failures.js';
import { Informer } from '../runtime/informer.js';
import { isActive, namespacesInformer } from '../runtime/namespaces-informer.js';
import { WorkQueue } from '../runtime/work-queue.js';

/** Name of the service account that every active namespace has. */
const DEFAULT = 'default';

/** Options of {@link serviceAccountController}. */
export interface ServiceAccountControllerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Maintains the service account `default` in every active namespace. */
export function serviceAccountController({ client, clock, onError }: ServiceAccountControllerOptions): Controller {
  const accounts = new Informer({
    source: client.resource(ServiceAccount),
    clock,
    fieldSelector: `metadata.name=${DEFAULT}`,
    onError,
  });
  const queue = new WorkQueue<string>({
    name: 'serviceaccount',
    clock,
    process: ensure,
    onError: (_name, error) => onError(error),
  });
  const namespaces = namespacesInformer(client, clock, (name) => void queue.add(name), onError);
  accounts.subscribe({ deleted: ({ metadata }) => void queue.add(metadata.namespace ?? '') });

  async function ensure(namespace: string): Promise<void> {
    if (!isActive(namespaces, namespace) || accounts.get(`${namespace}/${DEFAULT}`) !== undefined) return;
    try {
      await client
        .resource(ServiceAccount)
        .namespace(namespace)
        .create({ metadata: { name: DEFAULT, namespace } });
    } catch (error) {
      if (!isNamespaceTerminating(error) && !hasReason(error, 'AlreadyExists')) throw error;
    }
  }

  return { name: 'serviceaccount', informers: () => [namespaces, accounts], queues: [queue] };
}
