export * from './anonymous.js';
export * from './authenticator.js';
export * from './bearer-token.js';
export * from './static-token.js';
