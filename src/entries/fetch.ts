export * from '../transport/fetch/fetch.js';
