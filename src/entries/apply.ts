export * from '../machinery/apply/index.js';
