/**
 * Rules about simulated pods and nodes as JSON.
 *
 * @module
 */
import {
  aName,
  anObject,
  checkOptions,
  either,
  isJsonObject,
  matching,
  shown,
  type JsonObject,
  type JsonValue,
  type OptionCheck,
} from '../../foundation/index.js';
import type { ControlledSimulation } from './controlled-server.js';

/** A rule that is in force. */
interface RunningRule {
  readonly hits: number;
  stop(): void;
}

/** The parts of a test server about its simulation. They check what they are given, and throw a TypeError. */
export interface SimulationParts {
  readonly pods: {
    matching(match: object | string): {
      become(outcome: string, options?: object): RunningRule;
      log(text: string | readonly string[]): RunningRule;
      use(usage: object): RunningRule;
    };
  };
  readonly nodes: { matching(match: object | string): { become(outcome: string): RunningRule } };
}

/** Returns the simulation of a test server as the control API uses it. */
export function controlledSimulation(test: SimulationParts): ControlledSimulation {
  return {
    add(rule) {
      const running = ruleOf(test, rule);
      return {
        rule,
        get hits() {
          return running.hits;
        },
        remove: () => running.stop(),
      };
    },
  };
}

const lines = matching(
  'a list of strings',
  (value) => Array.isArray(value) && value.every((line) => typeof line === 'string'),
);
const aString = matching('a string', (value) => typeof value === 'string');

/** The actions of a rule, by the member that names each. */
const ACTIONS = ['become', 'log', 'use'] as const;
const checks: Readonly<Record<string, OptionCheck>> = {
  pods: either(anObject, aString),
  nodes: either(anObject, aName),
  become: aName,
  options: anObject,
  log: either(aString, lines),
  use: anObject,
};

/** Starts a rule. @throws TypeError for an unknown, missing or invalid member */
function ruleOf(test: SimulationParts, rule: JsonObject): RunningRule {
  checkOptions('rule', rule, checks);
  const { pods, nodes, become, options, log, use } = rule;
  const given = ACTIONS.filter((name) => Object.hasOwn(rule, name));
  if ((pods === undefined) === (nodes === undefined))
    throw new TypeError('rule: it is about "pods" or about "nodes": one of these members is required');
  if (given.length !== 1) throw new TypeError('rule: exactly one of "become", "log" and "use" is required');
  if (options !== undefined && (become === undefined || pods === undefined))
    throw new TypeError('rule: the member "options" belongs to what "pods" "become"');
  if (nodes !== undefined) {
    if (typeof become !== 'string') throw new TypeError('rule: nodes can only "become" something');
    return test.nodes.matching(matchOf(nodes)).become(become);
  }
  const matched = test.pods.matching(matchOf(pods));
  if (typeof become === 'string') return matched.become(become, isJsonObject(options) ? options : {});
  if (isJsonObject(use)) return matched.use(use);
  return matched.log(typeof log === 'string' ? log : stringsOf(log));
}

const stringsOf = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((line) => typeof line === 'string') : [];

/** Returns conditions as the kit takes them: `{ "pattern": "^db-" }` is a regular expression. */
function matchOf(match: JsonValue | undefined): object | string {
  if (!isJsonObject(match)) return typeof match === 'string' ? match : {};
  return Object.fromEntries(Object.entries(match).map(([name, value]) => [name, patternOf(name, value)]));
}

function patternOf(name: string, value: JsonValue | undefined): unknown {
  if ((name !== 'name' && name !== 'image') || !isJsonObject(value)) return value;
  const { pattern, ...others } = value;
  if (typeof pattern !== 'string' || Object.keys(others).length > 0)
    throw new TypeError(`rule: ${name} must be a string, or a regular expression as {"pattern": "^db-"}`);
  try {
    return new RegExp(pattern);
  } catch (error) {
    throw new TypeError(`rule: ${name} has an invalid pattern ${shown(pattern)}`, { cause: error });
  }
}
