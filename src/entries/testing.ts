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
} from '../testing/access-cases/index.js';
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
} from '../testing/data/index.js';
export { createManualClock, type ManualClock } from '../testing/time/manual-clock.js';
export type { SeededServerOptions } from '../testing/server/seeded-server.js';
export { seededEntropy } from '../testing/time/seeded-entropy.js';
export * from '../testing/chaos/index.js';
export * from '../testing/faults/index.js';
export type { AccessQuestion, InstrumentMembers, RecordedLimits } from '../testing/server/instruments.js';
export type * from '../testing/past/index.js';
export * from '../testing/requests/index.js';
export {
  storageContract,
  type ContractCase,
  type ContractSkip,
  type ContractStore,
  type StorageContractOptions,
} from '../testing/storage-contract/index.js';
export { fakeTimersClock, type SteppedFakeTimers, type TickedFakeTimers } from '../testing/time/fake-timers-clock.js';
export type { TestForkOptions, TestForks } from '../testing/server/forks.js';
export type { TestSimulation } from '../testing/server/simulated.js';
export type { TestServerOptions, TestUser } from '../testing/server/test-options.js';
export { startTestServer, type TestServer } from '../testing/server/test-server.js';
export type { RunCondition, RunUntilOptions } from '../testing/time/run-until.js';
export type { TestTime } from '../testing/time/time.js';
export type { CatchingUp, DeclaredInformer, TrackedCollection, Versioned } from '../testing/server/tracked.js';
export type { TestUsers } from '../testing/server/users.js';
export {
  echoHandler,
  transportCases,
  type CaseFetch,
  type EchoHandler,
  type TransportCase,
  type TransportCaseContext,
  type TransportCaseName,
  type TransportExpectations,
} from '../testing/transport-cases/index.js';
export { useTestServer, type TestHooks } from '../testing/server/use-test-server.js';
