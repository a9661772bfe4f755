export * from '../../testing/record/index.js';
