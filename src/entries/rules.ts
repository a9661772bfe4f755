export * from '../machinery/cel-rules/index.js';
