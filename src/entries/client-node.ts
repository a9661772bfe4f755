export * from '../client/client-node/client-node.js';
