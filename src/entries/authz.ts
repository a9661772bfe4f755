export * from '../security/authz/index.js';
