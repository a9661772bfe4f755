export * from '../machinery/cel/index.js';
