export * from '../machinery/patch/index.js';
