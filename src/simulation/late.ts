/**
 * The parts of this wing that load on first use.
 *
 * @module
 */
export const importSimulation = () => import('./simulation.js');
export const importPodRules = () => import('./pods/pod-rules.js');
