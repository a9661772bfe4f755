import { joined, type Controller, type RecordingHost } from '../controllers/index.js';
import type { ApiObject } from '../foundation/index.js';
import { Node, Pod } from '../kinds/index.js';
import type { ResourceDefinition } from '../registry/index.js';
import type { PodHandlers } from '../server/index.js';
import { copyCloudRules, createCloudRules, type CloudRules, type SimulatedCloud } from './cloud/cloud.js';
import { LoadBalancers } from './cloud/load-balancers.js';
import { Volumes } from './cloud/volumes.js';
import { checkUsage, metricsOf, NodeMetrics, PodMetrics, type UsageOptions } from './metrics.js';
import { Kubelet } from './nodes/kubelet.js';
import { nodePlanOf, type NodeOutcome, type NodePlan } from './nodes/node-outcomes.js';
import { checkSimulationOptions, nodesOf, type SimulationOptions } from './nodes/node-spec.js';
import { SimulatedNodes } from './nodes/nodes.js';
import type { SimulatedNode, SimulatedPod } from './objects.js';
import { Evictions } from './pods/evictions.js';
import { planOf, type PodOutcome, type PodOutcomes, type PodPlan } from './pods/outcomes.js';
import {
  attachHandler,
  execHandler,
  portForwardHandler,
  type AttachAnswer,
  type ExecAnswer,
  type PortForwardAnswer,
} from './pods/pod-answers.js';
import { copyOfAnswers, followed, handlersOf, newAnswers, type AnswerRules } from './pods/pod-handlers.js';
import { checkLogText, type LogText } from './pods/pod-logs.js';
import { nodePredicate, podPredicate, type NodeMatch, type PodMatch } from './scheduling/match.js';
import { RuleBook, type SimulationRule } from './scheduling/rule-book.js';
import { Scheduler, type SimulationContext } from './scheduling/scheduler.js';

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
  /**
   * Gives the containers of the pods a log, from now on and until the rule is stopped. Without a rule the log is empty.
   *
   * @param text a string, or its lines
   * @throws TypeError for another value
   */
  log(text: LogText): SimulationRule;
  /**
   * Answers the commands that clients run in the containers of the pods, such as `kubectl exec` and `kubectl cp`, from now
   * on and until the rule is stopped. Without a rule they fail with 501.
   *
   * ```
   * using rule = test.pods.matching('app=web').exec({ 'cat /etc/version': '1.2.3', reload: { exitCode: 1 } });
   * ```
   *
   * @throws TypeError for another value
   */
  exec(answer: ExecAnswer): SimulationRule;
  /**
   * Answers the clients that attach to the containers of the pods, from now on and until the rule is stopped. Without a
   * rule they fail with 501.
   *
   * @throws TypeError for another value
   */
  attach(answer: AttachAnswer): SimulationRule;
  /**
   * Answers the connections to ports of the pods, from now on and until the rule is stopped. Without a rule they fail.
   *
   * @throws TypeError for another value
   */
  portForward(answer: PortForwardAnswer): SimulationRule;
  /**
   * Lets the containers of the pods use processor time and memory, as the metrics API shows it, from now on and until the
   * rule is stopped. Without a rule they use nothing.
   *
   * ```
   * using load = test.pods.matching('app=web').use({ cpu: '400m', memory: '128Mi' });
   * ```
   *
   * @throws TypeError for an unknown or invalid option
   */
  use(usage: UsageOptions): SimulationRule;
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
   * Selects pods, existing and future ones.
   *
   * @param match conditions that must all hold; or a label selector as a string; `{}` selects all pods
   * @throws TypeError for an unknown or invalid condition
   */
  matching(match: PodMatch | string): MatchingPods;
}

/** The nodes of a simulation. */
export interface SimulatedNodeRules {
  /**
   * Selects nodes, existing and future ones.
   *
   * @param match conditions that must all hold; or the name of a node; `{}` selects all nodes
   * @throws TypeError for an unknown or invalid condition
   */
  matching(match: NodeMatch | string): MatchingNodes;
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
  /** Returns a simulation for a fork of the server, with the same nodes and the current rules. */
  fork(): Simulation;
  /**
   * The kinds of the metrics API, whose objects are computed.
   *
   * @internal
   */
  readonly metricsKinds: readonly ResourceDefinition[];
  /**
   * Returns the current objects of one of these kinds, by their keys in the storage.
   *
   * @internal
   */
  metrics(definition: ResourceDefinition): ReadonlyMap<string, ApiObject>;
  /**
   * The handlers that answer for its pods.
   *
   * @internal
   */
  readonly handlers: PodHandlers;
  /** Rules about the fake cloud; undefined without the option `cloud`. */
  readonly cloud: SimulatedCloud | undefined;
  /**
   * Creates the controller of the simulation; the server calls it. @throws Error for a second server
   *
   * @internal
   */
  start(host: RecordingHost): Controller;
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
    answers: newAnswers(),
    usageRules: new RuleBook(({ metadata }) => metadata.uid ?? ''),
    cloud: cloud === false ? undefined : createCloudRules(cloud === true ? {} : cloud),
  });
}

function simulationWith(options: SimulationOptions, rules: SimulationRules): Simulation {
  const { podRules, nodeRules, answers, usageRules, cloud } = rules;
  let running: RecordingHost | undefined;
  return {
    pods: {
      matching(match) {
        const matches = podPredicate(match);
        const first = typeof match === 'string' ? undefined : match.first;
        return {
          become: (outcome, outcomeOptions = {}) => podRules.add(matches, planOf(outcome, outcomeOptions), first),
          log(text) {
            checkLogText(text);
            return answers.log.add(matches, text, first);
          },
          exec: (answer) => answers.exec.add(matches, execHandler(answer), first),
          attach: (answer) => answers.attach.add(matches, attachHandler(answer), first),
          portForward: (answer) => answers.portForward.add(matches, portForwardHandler(answer), first),
          use(usage) {
            checkUsage(usage);
            return usageRules.add(matches, usage, first);
          },
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
    metricsKinds: [NodeMetrics, PodMetrics],
    metrics(definition) {
      if (running === undefined) return new Map();
      const { informers, dialect, clock } = running;
      const [pods, nodes] = [informers.of(Pod).values(), informers.of(Node).values()];
      const usageOf = (pod: SimulatedPod): UsageOptions | undefined => followed(usageRules, pod);
      return metricsOf(definition, { dialect, nowMs: clock.now(), pods, nodes, usageOf });
    },
    handlers: handlersOf(answers, (key) => running?.informers.of(Pod).get(key)),
    fork: () => simulationWith(options, copyOfRules(rules)),
    start(host) {
      if (running !== undefined) throw new Error('a simulation belongs to one server; create one for each');
      running = host;
      return simulationController(host, options, rules);
    },
  };
}

/** The rules of a simulation. */
interface SimulationRules {
  readonly podRules: RuleBook<SimulatedPod, PodPlan>;
  readonly nodeRules: RuleBook<SimulatedNode, NodePlan>;
  readonly answers: AnswerRules;
  readonly usageRules: RuleBook<SimulatedPod, UsageOptions>;
  readonly cloud: CloudRules | undefined;
}

const copyOfRules = ({ podRules, nodeRules, answers, usageRules, cloud }: SimulationRules): SimulationRules => ({
  podRules: podRules.copy(),
  nodeRules: nodeRules.copy(),
  answers: copyOfAnswers(answers),
  usageRules: usageRules.copy(),
  cloud: cloud && copyCloudRules(cloud),
});

function simulationController(
  host: RecordingHost,
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
  const agents = [scheduler.controller, kubelet.controller, evictions.controller];
  return joined('simulation', ...nodes.controllers, ...(running?.controllers ?? []), ...agents);
}

/** Creates the parts of a fake cloud. */
function runCloud(host: RecordingHost, { cloud }: SimulationOptions, rules: CloudRules) {
  const options = typeof cloud === 'object' ? cloud : {};
  const balancers = new LoadBalancers({ ...host, options, rules: rules.balancers });
  const volumes = new Volumes({ ...host, options, rules: rules.volumes });
  return {
    gate: volumes.gate,
    controllers: [balancers.controller, ...volumes.controllers],
  };
}
