export * from '../../storage/memory/index.js';
