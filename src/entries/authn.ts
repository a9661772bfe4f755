export * from '../security/authn/index.js';
