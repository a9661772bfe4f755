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
} from '../testing/index.js';
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
} from '../testing/index.js';
export { createManualClock, type ManualClock } from '../testing/index.js';
export type { SeededServerOptions } from '../testing/index.js';
export { seededEntropy } from '../testing/index.js';
export * from '../testing/chaos/index.js';
export * from '../testing/faults/index.js';
export type { AccessQuestion, InstrumentMembers, RecordedLimits } from '../testing/index.js';
export type * from '../testing/past/index.js';
export * from '../testing/requests/index.js';
export {
  storageContract,
  type ContractCase,
  type ContractSkip,
  type ContractStore,
  type StorageContractOptions,
} from '../testing/index.js';
export { fakeTimersClock, type SteppedFakeTimers, type TickedFakeTimers } from '../testing/index.js';
export type { TestForkOptions, TestForks } from '../testing/index.js';
export type { TestSimulation } from '../testing/index.js';
export type { TestServerOptions, TestUser } from '../testing/index.js';
export { startTestServer, type TestServer } from '../testing/index.js';
export type { RunCondition, RunUntilOptions } from '../testing/index.js';
export type { TestTime } from '../testing/index.js';
export type { CatchingUp, DeclaredInformer, TrackedCollection, Versioned } from '../testing/index.js';
export type { TestUsers } from '../testing/index.js';
export {
  echoHandler,
  transportCases,
  type CaseFetch,
  type EchoHandler,
  type TransportCase,
  type TransportCaseContext,
  type TransportCaseName,
  type TransportExpectations,
} from '../testing/index.js';
export { useTestServer, type TestHooks } from '../testing/index.js';
