import type { SimulatedCloud, SimulatedNodeRules, SimulatedPods, Simulation } from '../../simulation/index.js';
import type { TestCore } from './core.js';

/** The simulated nodes of a test server. */
export interface TestSimulation {
  /** The pods of the simulated nodes. Requires the option `simulate`. */
  readonly pods: SimulatedPods;
  /** The simulated nodes. Requires the option `simulate`. */
  readonly nodes: SimulatedNodeRules;
  /** The fake cloud of the simulation. Requires the option `simulate: { cloud: true }`. */
  readonly cloud: SimulatedCloud;
}

/** Returns the members about simulated nodes. They follow the simulation of the server through resets. */
export function simulationPart(core: TestCore): TestSimulation {
  const present = (what: 'pods' | 'nodes'): Simulation => {
    if (core.simulation !== undefined) return core.simulation;
    throw new Error(`test.${what} needs simulated nodes: start the server with startTestServer({ simulate: true })`);
  };
  const cloud = (): SimulatedCloud => {
    if (core.simulation?.cloud !== undefined) return core.simulation.cloud;
    throw new Error(
      'test.cloud needs a fake cloud: start the server with startTestServer({ simulate: { cloud: true } })',
    );
  };
  return {
    cloud: {
      loadBalancers: { matching: (match) => cloud().loadBalancers.matching(match) },
      volumes: { matching: (match) => cloud().volumes.matching(match) },
    },
    pods: { matching: (match) => present('pods').pods.matching(match) },
    nodes: { matching: (match) => present('nodes').nodes.matching(match) },
  };
}
