export * from '../machinery/selectors/index.js';
