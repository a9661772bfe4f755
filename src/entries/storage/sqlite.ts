export * from '../../storage/sqlite/index.js';
