export * from '../server/codec/index.js';
