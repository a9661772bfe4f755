export * from '../foundation/dialect/index.js';
