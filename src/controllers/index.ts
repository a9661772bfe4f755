/**
 * The controllers of a server, and what they are made of: informers and work queues.
 *
 * @module
 */
export { parseControllerList, type ControllerSelection } from './controller-list.js';
export { controllerNames, controllersOffByDefault, createControllers, type ControllerName, type ControllerOptions, type Controllers } from './controllers.js';
export { Informer, type InformerHandler, type InformerOptions, type InformerSource } from './informer.js';
export { byNamespace, byOwner, byUid, objectKey, type IndexFunction, type InformedObject } from './informer-cache.js';
export { WorkQueue, type WorkQueueOptions, type WorkResult } from './work-queue.js';
