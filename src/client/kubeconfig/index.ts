/**
 * Kubeconfig files, their credentials and credential plugins, and connections based on them. For Node.
 *
 * @module
 */
export type {
  AuthProviderConfig,
  ExecConfig,
  KubeCluster,
  KubeConfig,
  KubeContext,
  KubeUser,
  UserSource,
} from './config.js';
export { createConnection, type ConnectionOptions } from './connection.js';
export { parseKubeConfig, type ParseKubeConfigOptions } from './decode.js';
export { KubeConfigError } from './errors.js';
export type { ExecCluster } from './exec/exec-credential.js';
export { createExecCredentials, type ExecOptions, type ExecPluginOptions } from './exec/exec-plugin.js';
export { hostCredentials, type HostCredentialOptions } from './host-credentials.js';
export { loadKubeConfig, mergeKubeConfigs, type Environment, type LoadKubeConfigOptions } from './load.js';
export { kubeConfigOfPod, type KubeConfigOfPodOptions } from './pod.js';
export { CredentialError, type Credential, type CredentialSource } from '../wire/credential.js';
export type {
  Connection,
  ConnectionRequest,
  ConnectionStreamRequest,
  StreamingConnection,
} from '../wire/http-connection.js';
