export { chaos, ChaosError, type ChaosOptions, type ChaosReport } from './chaos.js';
export type { DrawnFault } from './draw.js';
