/**
 * The in-process client and the kubeconfig of a server.
 *
 * @module
 */
export type { DeepPartial, KindReference } from '../client/index.js';
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
} from '../client/index.js';
export { verifyClusterInfo, type SignedClusterInfo } from '../client/index.js';
export { IN_PROCESS_URL, kubeConfigOf, type KubeConfigOptions } from '../client/index.js';
export type { ApplyParameters, PartialObject, PatchBody, PatchParameters, PatchTypeName } from '../client/index.js';
export type { LogParameters } from '../client/index.js';
export type { PartialObjectMetadata } from '../client/index.js';
export { isStatus, ResourceClient } from '../client/index.js';
export type { ResourceReader } from '../client/index.js';
export type { UnreadableObject } from '../registry/index.js';
export { jsonText, jsonValue } from '../foundation/index.js';
