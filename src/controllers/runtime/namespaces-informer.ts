import type { Client } from '../../client/index.js';
import type { Clock } from '../../foundation/index.js';
import { Namespace } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import { Informer } from './informer.js';

/** Returns an informer of namespaces, for controllers that maintain an object in every active namespace. */
export function namespacesInformer(
  client: Client,
  clock: Clock,
  changed: (name: string) => void,
  onError: (error: unknown) => void,
): Informer<ObjectOf<typeof Namespace>> {
  const informer = new Informer({ source: client.resource(Namespace), clock, onError });
  const enqueue = ({ metadata }: ObjectOf<typeof Namespace>): void => changed(metadata.name ?? '');
  informer.subscribe({ added: enqueue, updated: enqueue });
  return informer;
}

/** Returns true when the namespace exists and is not terminating. */
export function isActive(namespaces: Informer<ObjectOf<typeof Namespace>>, name: string): boolean {
  const namespace = namespaces.get(name);
  return namespace?.status?.phase === 'Active' && namespace.metadata.deletionTimestamp === undefined;
}
