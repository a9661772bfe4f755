export * from '../../testing/fast-check.js';
