export * from '../security/authz/explain/index.js';
