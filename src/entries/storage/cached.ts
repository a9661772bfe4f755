export * from '../../storage/cached/index.js';
