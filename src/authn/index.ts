export * from './anonymous.js';
export * from './audiences.js';
export * from './authenticator.js';
export * from './bearer-token.js';
export * from './service-account-names.js';
export * from './service-account/index.js';
export * from './static-token.js';
