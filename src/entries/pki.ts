export * from '../security/pki/index.js';
