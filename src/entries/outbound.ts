export * from '../foundation/outbound/index.js';
