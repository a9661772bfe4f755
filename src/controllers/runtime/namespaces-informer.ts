import type { Client } from '../../client/index.js';
import { Namespace } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import { Informer } from './informer.js';
import type { ReconcilerHost } from './keyed-reconciler.js';

type NamespaceObject = ObjectOf<typeof Namespace>;

/** Returns an informer of namespaces, for controllers that maintain an object in every active namespace. */
export const namespacesInformer = (client: Client, { clock, onError }: ReconcilerHost): Informer<NamespaceObject> =>
  new Informer<NamespaceObject>({ source: client.resource(Namespace), clock, onError });

/** Returns true when a namespace is not terminating. */
export const isActive = ({ metadata, status }: NamespaceObject): boolean =>
  status?.phase === 'Active' && metadata.deletionTimestamp === undefined;
