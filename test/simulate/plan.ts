import { Chance } from '../history/driver/chance.js';
import { DEEDS, type Deed } from './deeds.js';
import type { NetworkTrouble } from './network.js';
import type { StoreTrouble } from './server-storage.js';

/** A step of a client. It starts at its time, or when the step before has ended. */
export interface Step {
  /** Milliseconds from the start. */
  readonly at: number;
  readonly client: number;
  /** The server that is asked. */
  readonly server: number;
  readonly action: Action;
}

/** The actions of a client on one of few objects. */
export type Action =
  | { readonly do: 'write' | 'delete' | 'get' | 'list' | 'pages' | 'rewatch'; readonly key: number }
  | { readonly do: 'token' | 'rotate'; readonly key: number; readonly amount: number }
  | { readonly do: Deed; readonly key: number; readonly amount: number };

/** Something that goes wrong, for some time. */
export type Fault = {
  readonly at: number;
  readonly server: number;
  readonly forMs: number;
} & (
  | { readonly fault: 'network'; readonly trouble: NetworkTrouble }
  | { readonly fault: 'store'; readonly trouble: StoreTrouble }
  | { readonly fault: 'cut watches' | 'cut store watches' | 'compaction' }
  /** The process dies; its successor has a clock that is ahead by that many milliseconds. */
  | { readonly fault: 'crash'; readonly offsetMs: number }
);

/** All that a seed decides, except the order of tasks that are due together. */
export interface Plan {
  readonly seed: number;
  readonly servers: number;
  readonly clients: number;
  readonly steps: readonly Step[];
  readonly faults: readonly Fault[];
}

/** Time in which clients make steps, in milliseconds. */
const STORY_MS = 6 * 60_000;
const KEYS = 5;

const TROUBLES = ['cut', 'requests lost', 'answers lost', 'slow'] as const;
const STORE_TROUBLES = ['unreachable', 'answers lost', 'slow', 'watches late'] as const;

/** Draws a plan. */
export function planOf(seed: number): Plan {
  const chance = new Chance(seed * 2_654_435_761);
  const servers = chance.pick([1, 2, 2, 3]);
  const clients = 2 + chance.below(3);
  const steps = Array.from({ length: 30 + chance.below(90) }, () => ({
    at: chance.below(STORY_MS),
    client: chance.below(clients),
    server: chance.below(servers),
    action: drawAction(chance),
  }));
  // Some clients hurry: their steps come close together.
  const hurried = steps.map((step) =>
    chance.oneOf(3) ? { ...step, at: Math.floor(step.at / 60_000) * 60_000 } : step,
  );
  // Drawn apart, so that the other steps of a seed stay what they are.
  const ofKeys = new Chance(seed * 7_368_787);
  for (let count = 4 + ofKeys.below(8); count > 0; count -= 1)
    hurried.push({
      ...{ at: ofKeys.below(STORY_MS), client: ofKeys.below(clients), server: ofKeys.below(servers) },
      action: { do: ofKeys.oneOf(5) ? 'rotate' : 'token', key: 0, amount: ofKeys.below(5) },
    });
  const faults = Array.from({ length: chance.below(7) }, () => drawFault(chance, servers));
  return { seed, servers, clients, steps: inOrder(hurried), faults: inOrder(faults) };
}

/** The actions of clients with values, each as often as it is here. */
const WITH_VALUES = ['write', 'write', 'write', 'write', 'delete', 'get', 'list', 'pages', 'rewatch'] as const;

function drawAction(chance: Chance): Action {
  const key = chance.below(KEYS);
  if (chance.oneOf(2)) return { do: chance.pick(WITH_VALUES), key };
  return { do: chance.pick(DEEDS), key, amount: chance.below(5) };
}

function drawFault(chance: Chance, servers: number): Fault {
  const common = { at: chance.below(STORY_MS), server: chance.below(servers), forMs: 1 + chance.below(90_000) };
  const drawn = chance.below(8);
  if (drawn < 2) return { ...common, fault: 'network', trouble: chance.pick(TROUBLES) };
  if (drawn < 4) return { ...common, fault: 'store', trouble: chance.pick(STORE_TROUBLES) };
  if (drawn < 6) return { ...common, fault: 'crash', offsetMs: chance.pick([0, 0, 60_000, -60_000]) };
  return { ...common, fault: chance.pick(['cut watches', 'cut store watches', 'compaction'] as const) };
}

const inOrder = <Timed extends { readonly at: number }>(timed: readonly Timed[]): readonly Timed[] =>
  [...timed].sort((left, right) => left.at - right.at);
