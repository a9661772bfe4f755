import type { Client } from '../../client/index.js';
import type { Clock } from '../../meta/clock.js';
import type { Dialect } from '../../names/dialect.js';
import type { Controller } from '../controller.js';
import type { EventRecorder } from '../event-recorder.js';
import type { SharedInformers } from '../shared-informers.js';
import { Pod } from '../../resources/index.js';
import { copyCloudRules, createCloudRules, type CloudRules, type SimulatedCloud } from './cloud/cloud.js';
import { LoadBalancers } from './cloud/load-balancers.js';
import { Volumes } from './cloud/volumes.js';
import { Evictions } from './evictions.js';
import { Kubelet } from './kubelet.js';
import { nodePredicate, podPredicate, type NodeMatch, type PodMatch } from './match.js';
import { nodePlanOf, type NodeOutcome, type NodePlan } from './node-outcomes.js';
import { checkSimulationOptions, nodesOf, type SimulationOptions } from './node-spec.js';
import { SimulatedNodes } from './nodes.js';
import type { SimulatedNode, SimulatedPod } from './objects.js';
import { planOf, type PodOutcome, type PodOutcomes, type PodPlan } from './outcomes.js';
import { RuleBook, type SimulationRule } from './rule-book.js';
import { Scheduler, type SimulationContext } from './scheduler.js';

/** Selected pods. */
export interface MatchingPods {
  /**
   * Lets the pods become something, from now on and until the rule is stopped. Of several rules that match a pod, the
   * newest counts.
   *
   * ```
   * using rule = test.pods.matching('app=web').become('CrashLoopBackOff', { exitCode: 2 });
   * ```
   *
   * @throws TypeError for an unknown outcome or an invalid option, with the remedy
   */
  become<Outcome extends PodOutcome>(outcome: Outcome, options?: PodOutcomes[Outcome]): SimulationRule;
}

/** Selected nodes. */
export interface MatchingNodes {
  /**
   * Lets the nodes become something, from now on and until the rule is stopped.
   *
   * @throws TypeError for an unknown outcome
   */
  become(outcome: NodeOutcome): SimulationRule;
}

/** The pods of a simulation. */
export interface SimulatedPods {
  /**
   * Selects pods, present and future ones.
   *
   * @param match conditions that must all hold; or a label selector as text; `{}` selects all pods
   * @throws TypeError for an unknown or invalid condition
   */
  matching(match: PodMatch | string): MatchingPods;
}

/** The nodes of a simulation. */
export interface SimulatedNodeRules {
  /**
   * Selects nodes, present and future ones.
   *
   * @param match conditions that must all hold; or the name of a node; `{}` selects all nodes
   * @throws TypeError for an unknown or invalid condition
   */
  matching(match: NodeMatch | string): MatchingNodes;
}

/** What a server gives to its simulation. */
export interface SimulationHost {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly informers: SharedInformers;
  readonly recorder: EventRecorder;
  readonly onError: (error: unknown) => void;
}

/**
 * Simulated nodes: a scheduler that binds pods to them, and agents that run the pods, on the server's clock. They create
 * no processes; only the API objects change as in a cluster. Pass a simulation to one server, as its option
 * `simulation`.
 */
export interface Simulation {
  /** Rules about pods. Without rules, pods of Jobs complete and others run and are ready, at once. */
  readonly pods: SimulatedPods;
  /** Rules about nodes. Without rules they are ready. */
  readonly nodes: SimulatedNodeRules;
  /** Returns a simulation for a fork of the server, with the same nodes and the present rules. */
  fork(): Simulation;
  /** Rules about the fake cloud; undefined without the option `cloud`. */
  readonly cloud: SimulatedCloud | undefined;
  /** Creates the controller of the simulation; the server calls it. @throws Error for a second server */
  start(host: SimulationHost): Controller;
}

/**
 * Creates a simulation of nodes for a server.
 *
 * ```
 * const simulation = createSimulation({ nodes: 5 });
 * const server = new ApiServer({ simulation });
 * simulation.pods.matching({ image: 'broken' }).become('ImagePullBackOff');
 * ```
 *
 * @throws TypeError for an invalid option
 */
export function createSimulation(options: SimulationOptions = {}): Simulation {
  checkSimulationOptions(options);
  const { cloud = false } = options;
  return simulationWith(options, {
    podRules: new RuleBook(({ metadata }) => metadata.uid ?? ''),
    nodeRules: new RuleBook(({ metadata }) => metadata.uid ?? ''),
    cloud: cloud === false ? undefined : createCloudRules(cloud === true ? {} : cloud),
  });
}

function simulationWith(options: SimulationOptions, rules: SimulationRules): Simulation {
  const { podRules, nodeRules, cloud } = rules;
  let started = false;
  return {
    pods: {
      matching(match) {
        const matches = podPredicate(match);
        const first = typeof match === 'string' ? undefined : match.first;
        return {
          become: (outcome, outcomeOptions = {}) => podRules.add(matches, planOf(outcome, outcomeOptions), first),
        };
      },
    },
    nodes: {
      matching(match) {
        const matches = nodePredicate(match);
        return { become: (outcome) => nodeRules.add(matches, nodePlanOf(outcome)) };
      },
    },
    cloud: cloud?.cloud,
    fork: () => simulationWith(options, copyOfRules(rules)),
    start(host) {
      if (started) throw new Error('a simulation belongs to one server; create one for each');
      started = true;
      return simulationController(host, options, rules);
    },
  };
}

/** The rules of a simulation. */
interface SimulationRules {
  readonly podRules: RuleBook<SimulatedPod, PodPlan>;
  readonly nodeRules: RuleBook<SimulatedNode, NodePlan>;
  readonly cloud: CloudRules | undefined;
}

const copyOfRules = ({ podRules, nodeRules, cloud }: SimulationRules): SimulationRules => ({
  podRules: podRules.copy(),
  nodeRules: nodeRules.copy(),
  cloud: cloud && copyCloudRules(cloud),
});

function simulationController(
  host: SimulationHost,
  options: SimulationOptions,
  { podRules, nodeRules, cloud }: SimulationRules,
): Controller {
  const specs = nodesOf(options);
  const nodes = new SimulatedNodes({ ...host, specs, heartbeats: options.heartbeats === true, rules: nodeRules });
  const pods = host.informers.of(Pod);
  const running = cloud === undefined ? undefined : runCloud(host, options, cloud);
  const context: SimulationContext = {
    ...host,
    volumeGate: running?.gate,
    pods,
    podRules,
    nodesReady: nodes.ready,
    ruled: (node) => nodes.ruled(node),
  };
  const scheduler = new Scheduler(context);
  nodes.subscribe({
    changed: (node) => scheduler.setNode(node),
    removed: (node) => scheduler.removeNode(node),
  });
  const kubelet = new Kubelet(context, nodes);
  const evictions = new Evictions(context, nodes);
  return {
    name: 'simulation',
    informers: () => [pods, nodes.informer, ...(running?.informers ?? [])],
    queues: [...nodes.queues, ...(running?.queues ?? []), scheduler.queue, kubelet.queue, evictions.queue],
  };
}

/** Creates the parts of a fake cloud. */
function runCloud(host: SimulationHost, { cloud }: SimulationOptions, rules: CloudRules) {
  const options = typeof cloud === 'object' ? cloud : {};
  const balancers = new LoadBalancers({ ...host, options, rules: rules.balancers });
  const volumes = new Volumes({ ...host, options, rules: rules.volumes });
  return {
    gate: volumes.gate,
    informers: [balancers.informer, ...volumes.informers],
    queues: [balancers.queue, ...volumes.queues],
  };
}
