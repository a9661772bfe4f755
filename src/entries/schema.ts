export * from '../machinery/schema/index.js';
