/**
 * The parts of this wing that load on first use.
 *
 * @module
 */
export const importCelRules = () => import('./cel-rules/index.js');
export const importExpressionBudget = () => import('./cel/cost/expression-budget.js');
export const importEnvironment = () => import('./cel/environment.js');
export const importCel = () => import('./cel/index.js');
export type ImportOfCel = typeof import('./cel/index.js');
export const importPatch = () => import('./patch/index.js');
export const importPatchDifferences = () => import('./patch/differences.js');
export type ImportOfPatch = typeof import('./patch/index.js');
