/**
 * For tests: a server whose time and chance belong to the test, and the suites by which a storage engine or a transport of
 * anybody's proves itself. Nothing here depends on a test framework.
 *
 * @module
 */
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
