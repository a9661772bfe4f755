export * from './attributes.js';
export * from './authorizer.js';
export * from './forbidden.js';
export * from './rules.js';
export * from './rbac/index.js';
