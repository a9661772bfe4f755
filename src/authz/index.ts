export * from './attributes.js';
export * from './authorizer.js';
export * from './discovery.js';
export * from './forbidden.js';
export * from './rules.js';
