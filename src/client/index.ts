/**
 * The door of the client. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export type { CallAuditing, ClientBackend, ClientRequest, KindReference } from './calls/backend.js';
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
export { checkKubeConfigOptions, IN_PROCESS_URL, kubeConfigOf, type KubeConfigOptions } from './kube-config.js';
export type { PartialObjectMetadata } from './resources/object-form.js';
export type {
  ApplyParameters,
  DeepPartial,
  PartialObject,
  PatchBody,
  PatchParameters,
  PatchTypeName,
} from './resources/patch-parameters.js';
export type { LogParameters } from './resources/pod-log.js';
export { isStatus, ResourceClient } from './resources/resource-client.js';
export { ResourceReader } from './resources/resource-reader.js';
