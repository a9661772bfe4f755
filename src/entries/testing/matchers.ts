export * from '../../testing/matchers/index.js';
