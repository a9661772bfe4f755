/**
 * The in-process client and the kubeconfig of a server.
 *
 * @module
 */
export type { ClientBackend, ClientRequest } from './backend.js';
export {
  Client,
  type ClientOptions,
  type DeleteParameters,
  type GetParameters,
  type ListParameters,
  type ObjectList,
  type UntypedInput,
  type UntypedObject,
  type WatchEvent,
  type WatchParameters,
  type WriteParameters,
} from './client.js';
export { verifyClusterInfo, type SignedClusterInfo } from './cluster-info.js';
export { IN_PROCESS_URL, kubeConfigOf, type KubeConfigOptions } from './kube-config.js';
export type { ApplyParameters, PartialObject, PatchBody, PatchParameters, PatchTypeName } from './patch-parameters.js';
export type { LogParameters } from './pod-log.js';
export type { PartialObjectMetadata } from './object-form.js';
export { isStatus, ResourceClient } from './resource-client.js';
export type { ResourceReader } from './resource-reader.js';
export type { UnreadableObject } from '../registry/list-options.js';
