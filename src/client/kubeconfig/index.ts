/**
 * Kubeconfig files, their credentials and credential plugins, and connections based on them. For Node.
 *
 * @module
 */
export type { ExecConfig, KubeCluster, KubeConfig, KubeContext, KubeUser } from './config.js';
export { createConnection, type ConnectionOptions } from './connection.js';
export type { Credential, CredentialSource } from './credentials.js';
export { parseKubeConfig, type ParseKubeConfigOptions } from './decode.js';
export { CredentialError, KubeConfigError } from './errors.js';
export type { ExecCluster } from './exec/exec-credential.js';
export { createExecCredentials, type ExecOptions, type ExecPluginOptions } from './exec/exec-plugin.js';
export { hostCredentials, type HostCredentialOptions } from './host-credentials.js';
export type { Connection, ConnectionRequest } from './http-connection.js';
export { loadKubeConfig, mergeKubeConfigs, type Environment, type LoadKubeConfigOptions } from './load.js';
export { kubeConfigOfPod, type KubeConfigOfPodOptions } from './pod.js';
