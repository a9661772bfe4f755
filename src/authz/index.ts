export * from './abac/index.js';
export * from './attributes.js';
export * from './authorizer.js';
export * from './forbidden.js';
export * from './rules.js';
export * from './node/index.js';
export * from './rbac/index.js';
