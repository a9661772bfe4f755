export * from '../kinds/types/index.js';
