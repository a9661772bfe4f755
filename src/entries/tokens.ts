export * from '../security/tokens/index.js';
