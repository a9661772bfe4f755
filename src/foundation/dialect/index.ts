export { defineDialect, dialects, groupName, kubernetes, orch, systemGroup } from './dialect.js';
export type {
  Dialect,
  DialectNamespaces,
  DialectOpenApi,
  DialectOptions,
  DialectPod,
  DialectSecretTypes,
  DialectSigners,
  SystemGroup,
} from './dialect.js';
