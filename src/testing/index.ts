/**
 * The door of the testing kit. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export {
  admissionAttributes,
  admissionPluginCases,
  type AdmissionExample,
  type AdmissionPluginCasesOptions,
} from './access-cases/admission-cases.js';
export {
  authenticatorCases,
  authRequest,
  type AuthenticatorCasesOptions,
  type CredentialRequest,
  type InvalidCredential,
  type ValidCredential,
} from './access-cases/authenticator-cases.js';
export {
  accessAttributes,
  authorizerCases,
  type AccessRequest,
  type AllowedRequest,
  type AttributeName,
  type AuthorizerCasesOptions,
} from './access-cases/authorizer-cases.js';
export type { SuiteOptions } from './access-cases/suite.js';
export { commandHandler, controlHandler } from './control/control-api.js';
export type { ControlledServer } from './control/controlled-server.js';
export { controlledTestServer } from './control/controlled-test-server.js';
export { pageCommands } from './control/page-commands.js';
export { ControlledServers, described, type ServedPort } from './control/served-servers.js';
export { fake, type FakeOf, type FakeOptions } from './data/fake.js';
export { loadObjects, type LoadOptions } from './data/load.js';
export { normalize, snapshotSerializer, type NormalizeOptions, type SnapshotSerializer } from './data/normalize.js';
export type { ObjectSource } from './data/sources.js';
export type { ControllerError, RunningControllers, TestControllers, TestRunOptions } from './server/controller-runs.js';
export type { TestForkOptions, TestForks } from './server/forks.js';
export type { AccessQuestion, InstrumentMembers, RecordedLimits } from './server/instruments.js';
export type { TestPage } from './server/page.js';
export { openState, type OpenedState } from './saved-state/opened-state.js';
export { readState } from './saved-state/state-file.js';
export type { NodeTest, RunningTest, VitestTest } from './saved-state/running-test.js';
export type { SavedSnapshot, SnapshotOptions, TestSnapshots } from './server/snapshots.js';
export type { SeededServerOptions } from './server/seeded-server.js';
export type { TestSimulation } from './server/simulated.js';
export type { TestServerOptions, TestUser } from './server/test-options.js';
export { startTestServer, type TestServer } from './server/test-server.js';
export type { CatchingUp, DeclaredInformer, TrackedCollection, Versioned } from './server/tracked.js';
export { useTestServer, type TestHooks } from './server/use-test-server.js';
export type { TestUsers } from './server/users.js';
export type { ContractStore } from './storage-contract/fixture.js';
export {
  storageContract,
  type ContractCase,
  type ContractSkip,
  type StorageContractOptions,
} from './storage-contract/index.js';
export { fakeTimersClock, type SteppedFakeTimers, type TickedFakeTimers } from './time/fake-timers-clock.js';
export { createManualClock, type ManualClock } from './time/manual-clock.js';
export type { RunCondition, RunUntilOptions } from './time/run-until.js';
export { createRunningClock } from './time/running-clock.js';
export { seededEntropy } from './time/seeded-entropy.js';
export type { TestTime } from './time/time.js';
export { echoHandler, type EchoHandler } from './transport-cases/echo-handler.js';
export { transportCases, type TransportCaseName, type TransportExpectations } from './transport-cases/index.js';
export type { CaseFetch, TransportCase, TransportCaseContext } from './transport-cases/transport-case.js';
