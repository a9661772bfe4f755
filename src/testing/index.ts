/**
 * Test support: a server whose clock and randomness the test controls, and suites that test any storage engine or
 * transport. Independent of test frameworks.
 *
 * @module
 */
export {
  accessAttributes,
  admissionAttributes,
  admissionPluginCases,
  authenticatorCases,
  authorizerCases,
  authRequest,
  type AccessRequest,
  type AdmissionExample,
  type AdmissionPluginCasesOptions,
  type AllowedRequest,
  type AttributeName,
  type AuthenticatorCasesOptions,
  type AuthorizerCasesOptions,
  type CredentialRequest,
  type InvalidCredential,
  type ValidCredential,
} from './access-cases/index.js';
export {
  fake,
  loadObjects,
  normalize,
  snapshotSerializer,
  type FakeOf,
  type FakeOptions,
  type LoadOptions,
  type NormalizeOptions,
  type ObjectSource,
  type SnapshotSerializer,
} from './data/index.js';
export { createManualClock, type ManualClock } from './manual-clock.js';
export { seededEntropy } from './seeded-entropy.js';
export {
  storageContract,
  type ContractCase,
  type ContractSkip,
  type ContractStore,
  type StorageContractOptions,
} from './storage-contract/index.js';
export { startTestServer, type TestServer, type TestServerOptions } from './test-server.js';
export {
  echoHandler,
  transportCases,
  type CaseFetch,
  type EchoHandler,
  type TransportCase,
  type TransportCaseContext,
  type TransportCaseName,
  type TransportExpectations,
} from './transport-cases/index.js';
