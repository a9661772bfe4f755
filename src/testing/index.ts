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
export type { SeededServerOptions } from './seeded-server.js';
export { seededEntropy } from './seeded-entropy.js';
export * from './chaos/index.js';
export * from './faults/index.js';
export type { AccessQuestion, InstrumentMembers, RecordedLimits } from './instruments.js';
export type * from './past/index.js';
export * from './requests/index.js';
export {
  storageContract,
  type ContractCase,
  type ContractSkip,
  type ContractStore,
  type StorageContractOptions,
} from './storage-contract/index.js';
export { fakeTimersClock, type SteppedFakeTimers, type TickedFakeTimers } from './fake-timers-clock.js';
export type { TestForkOptions, TestForks } from './forks.js';
export type { TestSimulation } from './simulated.js';
export type { TestServerOptions, TestUser } from './test-options.js';
export { startTestServer, type TestServer } from './test-server.js';
export type { RunCondition, RunUntilOptions } from './run-until.js';
export type { TestTime } from './time.js';
export type { CatchingUp, DeclaredInformer, TrackedCollection, Versioned } from './tracked.js';
export type { TestUsers } from './users.js';
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
export { useTestServer, type TestHooks } from './use-test-server.js';
