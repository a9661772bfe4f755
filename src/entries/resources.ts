export * from '../kinds/builtin/index.js';
