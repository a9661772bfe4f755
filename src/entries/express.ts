export * from '../transport/express/express.js';
