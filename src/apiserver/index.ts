/**
 * The door of the API server: the composition of all parts. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export type { ExplainAccessOptions } from './access/access.js';
export type {
  AbacPolicySource,
  AuthorizationByConfiguration,
  AuthorizationByFunction,
  AuthorizationByModes,
  AuthorizationMode,
  AuthorizationOptions,
} from './access/authorization-options.js';
export { isRevokedOwnerToken, revokeOwnerToken } from './agreement/owner-token-record.js';
export {
  rotateStoredSigningKey,
  type SigningKeyRotation,
  type SigningKeyRotationOptions,
} from './agreement/rotate-key.js';
export { raiseLayout } from './agreement/store-layout.js';
export { delegateTo, type Delegation, type DelegationOptions } from './aggregation/delegate.js';
export { ApiServer } from './api-server.js';
export type { AuthenticationOptions } from './authentication/authentication.js';
export type { CertificateOptions, GivenAuthority, SigningAuthority } from './authentication/certificates.js';
export type { ServiceAccountOptions } from './authentication/service-accounts.js';
export { parseControllerList } from './controllers/controller-list.js';
export { type ControllerName, controllerNames } from './controllers/controller-names.js';
export type { ControllerOptions, ControllerSettings } from './controllers/controller-options.js';
export { controllersOffByDefault, controllersOfTests } from './controllers/controller-table.js';
export { createControllers, type BusyController, type Controllers } from './controllers/controllers.js';
export { createEncryption, type StoreEncryption, type StoreEncryptionOptions } from './encryption.js';
export { migrateStore, type DefinitionMigration, type MigrationOptions } from './custom-resources/migration.js';
export { ServerResources } from './instance/server-resources.js';
export type { AuditOptions } from './observability/audit.js';
export type { TracingOptions } from './observability/tracing.js';
export type { AdmissionOptions } from './options/admission-options.js';
export type { ApiServerOptions, ForkOptions } from './options/api-server-options.js';
export type { ConfigurationFile, ConfigurationSource } from './options/configuration-source.js';
export type { ControllersOptions } from './options/controllers-options.js';
export type { LimitOptions } from './options/limit-options.js';
export type { NetworkOptions } from './options/network-options.js';
export type { ObservabilityOptions } from './options/observability-options.js';
export { copyStore, type CopyStoreOptions } from './storage/copy-store.js';
export type { ServerSnapshot } from './storage/server-snapshot.js';
