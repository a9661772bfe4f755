/**
 * The in-process client and the kubeconfig of a server.
 *
 * @module
 */
export type { ClientBackend, ClientRequest } from '../client/calls/backend.js';
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
} from '../client/client.js';
export { verifyClusterInfo, type SignedClusterInfo } from '../client/cluster-info.js';
export { IN_PROCESS_URL, kubeConfigOf, type KubeConfigOptions } from '../client/kube-config.js';
export type { ApplyParameters, PartialObject, PatchBody, PatchParameters, PatchTypeName } from '../client/resources/patch-parameters.js';
export type { LogParameters } from '../client/resources/pod-log.js';
export type { PartialObjectMetadata } from '../client/resources/object-form.js';
export { isStatus, ResourceClient } from '../client/resources/resource-client.js';
export type { ResourceReader } from '../client/resources/resource-reader.js';
export type { UnreadableObject } from '../registry/verbs/list-options.js';
