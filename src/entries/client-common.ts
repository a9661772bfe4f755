/**
 * The names that the entry `client` has on every platform.
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
export type {
  AttachParameters,
  CommandOutput,
  ContainerSession,
  ExecParameters,
  HostWebSocket,
  PortForwardParameters,
  PortStream,
  ProxiedResponse,
  ProxyMethod,
  ProxyParameters,
  WebSocketFunction,
} from '../client/index.js';
export type { FollowedObject, FollowEvent, FollowOrigin, FollowParameters, LogParameters } from '../client/index.js';
export { WaitTimeoutError, type WaitCondition, type WaitParameters } from '../client/index.js';
export type { CreateOrUpdateResult, PagesParameters } from '../client/index.js';
export type { PartialObjectMetadata } from '../client/index.js';
export { isStatus, ResourceClient } from '../client/index.js';
export type { ResourceReader } from '../client/index.js';
export type { UnreadableObject } from '../registry/index.js';
export { jsonText, jsonValue } from '../foundation/index.js';
export { ApiError, type Status, type StatusDetails } from '../foundation/index.js';
export { ConnectionLostError } from '../server/index.js';
export {
  Informer,
  type IndexFunction,
  type InformedObject,
  type InformerHandler,
  type InformerOptions,
  type InformerSource,
} from '../controllers/index.js';
export type {
  ConnectOptions,
  ConnectTarget,
  FetchTarget,
  KubeConfigSource,
  RequestLimits,
  RetryOptions,
  TokenSource,
  UrlTarget,
} from '../client/index.js';
