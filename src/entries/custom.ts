export * from '../kinds/custom/sources/index.js';
