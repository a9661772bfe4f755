import type { Simulation } from '../../simulation/index.js';
import { importPodRules } from '../../simulation/late.js';
import { orUsageError } from './files.js';
import { readYamlFile } from './yaml-file.js';

/** The problem of rules about pods on a server that runs none. */
export const RULES_WITHOUT_NODES = '--simulate-pods: pods run on simulated nodes: use --simulate-nodes, too';

/**
 * Adds the rules of the flag `--simulate-pods` to a simulation.
 *
 * @param path empty for none
 * @throws UsageError that names the flag, and the rule
 */
export async function addRulesOfFile(simulation: Pick<Simulation, 'pods'>, path: string): Promise<void> {
  if (path === '') return;
  await orUsageError('simulate-pods', async () => {
    const { addPodRules } = await importPodRules();
    addPodRules(simulation.pods, await readYamlFile(path));
  });
}
