/**
 * Suites of test cases for parts of your own: storage engines, transports, authenticators, authorizers and admission
 * plugins. Independent of test frameworks.
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
  type SuiteOptions,
  type ValidCredential,
} from '../testing/index.js';
export {
  storageContract,
  type ContractCase,
  type ContractSkip,
  type ContractStore,
  type StorageContractOptions,
} from '../testing/index.js';
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
