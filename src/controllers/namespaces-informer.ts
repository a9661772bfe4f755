import type { Client } from '../client/index.js';
import type { Clock } from '../meta/clock.js';
import type { ObjectOf } from '../registry/definition.js';
import { Namespace } from '../resources/index.js';
import { Informer } from './informer.js';

/** The namespaces of a server, for controllers that keep something in every active one. */
export function namespacesInformer(
  client: Client,
  clock: Clock,
  changed: (name: string) => void,
  onError: (error: unknown) => void,
): Informer<ObjectOf<typeof Namespace>> {
  const informer = new Informer({ source: client.resource(Namespace), clock, onError });
  const look = ({ metadata }: ObjectOf<typeof Namespace>): void => changed(metadata.name ?? '');
  informer.subscribe({ added: look, updated: look });
  return informer;
}

/** The namespace is there and is not ending. */
export function isActive(namespaces: Informer<ObjectOf<typeof Namespace>>, name: string): boolean {
  const namespace = namespaces.get(name);
  return namespace?.status?.phase === 'Active' && namespace.metadata.deletionTimestamp === undefined;
}
