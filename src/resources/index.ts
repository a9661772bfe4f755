/**
 * The platform's own kinds. Importing them builds no schema: each is made when it is first asked for.
 *
 * @module
 */
import type { ResourceDefinition } from '../registry/definition.js';
import { Lease } from './coordination/lease.js';
import { ConfigMap } from './core/config-map.js';
import { Event } from './core/event/event.js';
import { Namespace } from './core/namespace.js';
import { Node } from './core/node/node.js';
import { Pod } from './core/pod/pod.js';
import { Secret } from './core/secret.js';
import { ServiceAccount } from './core/service-account.js';
import { EventsEvent } from './events/event.js';

export { beginNamespaceDeletion, isNamespaceFinalized } from './core/namespace.js';
export { ConfigMap, Event, EventsEvent, Lease, Namespace, Node, Pod, Secret, ServiceAccount };

/** Every kind of the ground floor, hubs before the kinds that are stored as theirs. */
export const builtinResources: readonly ResourceDefinition[] = [ConfigMap, Event, Namespace, Node, Pod, Secret, ServiceAccount, Lease, EventsEvent];
