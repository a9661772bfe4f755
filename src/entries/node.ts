export * from '../transport/node/index.js';
