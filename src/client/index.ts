/**
 * The door of the client. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export type { Call, CallParameters, CallVerb, ClientBackend, KindReference } from './backend.js';
export { ScopedBackend, type CallScope } from './scoped-backend.js';
export { InProcessBackend } from './in-process/in-process-backend.js';
export type { CallAuditing, ClientRequest, InProcessServices } from './in-process/services.js';
export {
  Client,
  type ClientOptions,
  type DeleteParameters,
  type GetParameters,
  type ListParameters,
  type ObjectList,
  type PartialObjectMetadata,
  type UntypedInput,
  type UntypedObject,
  type WatchEvent,
  type WatchParameters,
  type WriteParameters,
} from './client.js';
export type { FollowEvent, FollowOrigin, FollowParameters } from './follow/follow.js';
export { Follower, type FollowSource } from './follow/follower.js';
export { objectKey, type FollowedObject } from './follow/object-key.js';
export { verifyClusterInfo, type SignedClusterInfo } from './cluster-info.js';
export { checkKubeConfigOptions, IN_PROCESS_URL, kubeConfigOf, type KubeConfigOptions } from './kube-config.js';
export type {
  ApplyParameters,
  DeepPartial,
  PartialObject,
  PatchBody,
  PatchParameters,
  PatchTypeName,
} from './resources/patch-parameters.js';
export type { LogParameters } from './resources/pod-log.js';
export type { CommandOutput, ContainerSession } from './streams/container-session.js';
export type { ProxiedResponse, ProxyMethod, ProxyParameters } from './streams/proxy-parameters.js';
export type { PortStream } from './streams/port-stream.js';
export type { AttachParameters, ExecParameters, PortForwardParameters } from './streams/stream-parameters.js';
export type { HostWebSocket, WebSocketFunction } from './streams/web-socket.js';
export { isStatus, ResourceClient } from './resources/resource-client.js';
export type { CreateOrUpdateResult } from './resources/create-or-update.js';
export { pagesOf, type PagesParameters } from './resources/pages.js';
export { ResourceReader } from './resources/resource-reader.js';
export { WaitTimeoutError, type WaitCondition, type WaitParameters } from './resources/wait-for.js';
export { connect, type ConnectTarget, type KubeConfigSource, type UrlTarget } from './connect.js';
export { connect as connectOnWeb } from './connect-web.js';
export type { FetchTarget } from './wire/connect-fetch.js';
export type { ConnectOptions, RequestLimits, RetryOptions } from './wire/connect-options.js';
export { servedResources } from './wire/served-resources.js';
export type { TokenSource } from './wire/token.js';
