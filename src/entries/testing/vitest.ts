export * from '../../testing/vitest.js';
