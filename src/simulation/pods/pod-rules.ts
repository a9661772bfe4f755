import { anObject, checkedElsewhere, checkOptions, shown, type OptionChecks } from '../../foundation/index.js';
import type { UsageOptions } from '../metrics.js';
import type { PodMatch } from '../scheduling/match.js';
import type { SimulatedPods } from '../simulation.js';
import type { PodOutcome } from './outcomes.js';
import type { AttachAnswer, ExecAnswer, PortForwardAnswer } from './pod-answers.js';
import type { LogText } from './pod-logs.js';

/** A rule about pods as data: what they become, and what they answer. */
export interface PodRule {
  /** The pods; default all. */
  readonly match?: PodMatch | string | undefined;
  readonly become?: PodOutcome | undefined;
  /** Options of the outcome. */
  readonly options?: object | undefined;
  readonly log?: LogText | undefined;
  readonly use?: UsageOptions | undefined;
  readonly exec?: ExecAnswer | undefined;
  readonly attach?: AttachAnswer | undefined;
  readonly portForward?: PortForwardAnswer | undefined;
}

// The methods of the selected pods check the values.
const checks: OptionChecks<PodRule> = {
  match: checkedElsewhere,
  become: checkedElsewhere,
  options: anObject,
  log: checkedElsewhere,
  use: anObject,
  exec: checkedElsewhere,
  attach: checkedElsewhere,
  portForward: checkedElsewhere,
};

/**
 * Adds rules about pods, the first of which count most.
 *
 * @param rules the content of a file: a list
 * @throws TypeError that names the rule and what is wrong
 */
export function addPodRules(pods: SimulatedPods, rules: unknown): void {
  if (!Array.isArray(rules)) throw new TypeError(`rules about pods must be a list, got ${shown(rules)}`);
  // Of several rules that match, the newest counts.
  for (const [index, rule] of [...rules.entries()].reverse()) addPodRule(pods, rule as PodRule, `rules[${index}]`);
}

function addPodRule(pods: SimulatedPods, rule: PodRule, path: string): void {
  try {
    checkOptions('a rule about pods', rule, checks);
    const { match = {}, become, options = {}, log, use, exec, attach, portForward } = rule;
    const selected = pods.matching(match);
    if (become !== undefined) selected.become(become, options);
    if (log !== undefined) selected.log(log);
    if (use !== undefined) selected.use(use);
    if (exec !== undefined) selected.exec(exec);
    if (attach !== undefined) selected.attach(attach);
    if (portForward !== undefined) selected.portForward(portForward);
  } catch (error) {
    throw error instanceof TypeError ? new TypeError(`${path}: ${error.message}`, { cause: error }) : error;
  }
}
