export * from './api-error.js';
export * from './clock.js';
export * from './field-error.js';
export * from './field-path.js';
export * from './json.js';
export * from './object.js';
export * from './system-runtime.js';
