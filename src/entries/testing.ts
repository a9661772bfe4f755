/**
 * Test support: a server whose clock and randomness the test controls, its recorded requests and their matchers, faults,
 * and test data. Independent of test frameworks.
 *
 * @module
 */
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
export {
  matchers,
  type ApiMatchers,
  type MatcherResult,
  type Occurrences,
  type Requested,
} from '../testing/matchers/index.js';
export type { AccessQuestion, InstrumentMembers, RecordedLimits } from '../testing/index.js';
export type * from '../testing/past/index.js';
export * from '../testing/requests/index.js';
export { fakeTimersClock, type SteppedFakeTimers, type TickedFakeTimers } from '../testing/index.js';
export type { TestForkOptions, TestForks } from '../testing/index.js';
export type { TestPage } from '../testing/index.js';
export type { TestSimulation } from '../testing/index.js';
export type {
  NodeTest,
  RunningTest,
  SavedSnapshot,
  SnapshotOptions,
  TestSnapshots,
  VitestTest,
} from '../testing/index.js';
export type { TestServerOptions, TestUser } from '../testing/index.js';
export { startTestServer, type TestServer } from '../testing/index.js';
export type { RunCondition, RunUntilOptions } from '../testing/index.js';
export type { TestTime } from '../testing/index.js';
export type { CatchingUp, DeclaredInformer, TrackedCollection, Versioned } from '../testing/index.js';
export type { TestUsers } from '../testing/index.js';
export { useTestServer, type TestHooks } from '../testing/index.js';
export type { ControllerError, RunningControllers, TestControllers, TestRunOptions } from '../testing/index.js';
