import type { PodHandlers } from '../../server/index.js';
import type { SimulatedPod } from '../objects.js';
import { RuleBook } from '../scheduling/rule-book.js';
import {
  requireRunning,
  requireRunningPod,
  withoutRule,
  type AttachHandler,
  type ExecHandler,
  type PortForwardHandler,
} from './pod-answers.js';
import { podLog, type LogText } from './pod-logs.js';

/** The rules about what pods answer. */
export interface AnswerRules {
  readonly log: RuleBook<SimulatedPod, LogText>;
  readonly exec: RuleBook<SimulatedPod, ExecHandler>;
  readonly attach: RuleBook<SimulatedPod, AttachHandler>;
  readonly portForward: RuleBook<SimulatedPod, PortForwardHandler>;
}

const newBook = <Plan>(): RuleBook<SimulatedPod, Plan> => new RuleBook(({ metadata }) => metadata.uid ?? '');

/** Returns empty rules. */
export const newAnswers = (): AnswerRules => ({
  log: newBook(),
  exec: newBook(),
  attach: newBook(),
  portForward: newBook(),
});

/** Returns a copy of the rules, for a fork. */
export const copyOfAnswers = ({ log, exec, attach, portForward }: AnswerRules): AnswerRules => ({
  log: log.copy(),
  exec: exec.copy(),
  attach: attach.copy(),
  portForward: portForward.copy(),
});

/** Returns the plan of the newest rule about a pod, which counts as followed. */
export function followed<Plan>(rules: RuleBook<SimulatedPod, Plan>, pod: SimulatedPod): Plan | undefined {
  const rule = rules.isEmpty ? undefined : rules.find(pod);
  rule?.hit(pod.metadata.uid ?? '');
  return rule?.plan;
}

/**
 * Returns the handlers that follow the rules.
 *
 * @param find returns the pod with a key, as the simulation knows it
 */
export function handlersOf(
  rules: AnswerRules,
  find: (key: string) => SimulatedPod | undefined,
): Required<Pick<PodHandlers, keyof AnswerRules>> {
  return {
    log(pod, options) {
      const { namespace = '', name = '' } = pod.metadata;
      const known = find(`${namespace}/${name}`);
      return podLog(pod, options, (known && followed(rules.log, known)) ?? '');
    },
    exec(pod, session) {
      requireRunning(pod, session.container);
      const handler = followed(rules.exec, pod);
      if (handler === undefined) throw withoutRule('pods/exec', 'exec');
      return handler(pod, session);
    },
    attach(pod, session) {
      requireRunning(pod, session.container);
      const handler = followed(rules.attach, pod);
      if (handler === undefined) throw withoutRule('pods/attach', 'attach');
      return handler(pod, session);
    },
    portForward(pod, connection) {
      requireRunningPod(pod);
      const handler = followed(rules.portForward, pod);
      if (handler === undefined) throw withoutRule('pods/portforward', 'portForward');
      return handler(pod, connection);
    },
  };
}
