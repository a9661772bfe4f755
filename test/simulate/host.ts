/**
 * The host of a simulated world: the turns of the event loop, the measured time and the timers that code gets from the
 * host instead of an injected clock. While a world runs, its scheduler owns the turns, and the measured time is a counter.
 *
 * Import this module before any of the source, which reads the host's `setImmediate` when it is loaded.
 *
 * @module
 */

import { signingKey } from './signing-keys.js';

/** The part of a world that replaces its host. */
export interface WorldHost {
  /** Calls back in another turn, after the turns that were asked for before. */
  turn(callback: () => void): void;
  /** Returns the measured time in milliseconds. Each look at it lets some pass. */
  measuredMs(): number;
  /** Returns how many signing keys were made before. */
  nextKey(): number;
}

/** Calls back in another turn of the real event loop. */
export const realTurn: (callback: () => void) => void = setImmediate;
/** Returns the real time in milliseconds. */
export const realMs: () => number = performance.now.bind(performance);

let world: WorldHost | undefined;

/** Lets a world replace the host until the returned function is called. @throws Error while another one does */
export function enterWorld(host: WorldHost): () => void {
  if (world !== undefined) throw new Error('another world is running');
  world = host;
  return () => (world = undefined);
}

/** Replaces a function of the host while a world runs. */
function replace(owner: object, name: string, inWorld: (host: WorldHost, ...given: unknown[]) => unknown): void {
  const real = Reflect.get(owner, name) as unknown;
  if (typeof real !== 'function') return;
  const replaced = (...given: unknown[]): unknown =>
    world === undefined ? (Reflect.apply(real, owner, given) as unknown) : inWorld(world, ...given);
  Object.defineProperty(owner, name, { value: replaced, configurable: true, writable: true });
}

/** The cryptography of the host's threads that a world waits for. */
let threads: Promise<unknown> | undefined;

/** Returns the work of the host's threads that a world must wait for, before anything else happens; undefined for none. */
export const threadsReady = (): Promise<unknown> | undefined => threads;

/** Makes the work of the host's threads end in the order in which it begins, while a world runs. */
function inOrder(owner: object, name: string): void {
  const real = Reflect.get(owner, name) as (...given: unknown[]) => Promise<unknown>;
  replace(owner, name, (_host, ...given) => {
    const work: Promise<unknown> = (threads ?? Promise.resolve()).then(() => Reflect.apply(real, owner, given));
    const ended: Promise<unknown> = work
      .catch(() => undefined)
      .then(() => {
        if (threads === ended) threads = undefined;
      });
    threads = ended;
    return work;
  });
}

/** Refuses what would let the machine decide what happens in a world. */
const refuse = (name: string, instead: string) => (): never => {
  throw new Error(`the code of a simulated world calls ${name}: it must use ${instead}`);
};

replace(globalThis, 'setImmediate', (host, callback) => host.turn(callback as () => void));
replace(performance, 'now', (host) => host.measuredMs());
for (const name of ['cpuUsage', 'threadCpuUsage'])
  replace(process, name, (host) => ({ user: host.measuredMs() * 1000, system: 0 }));
for (const name of ['setTimeout', 'setInterval']) replace(globalThis, name, refuse(name, 'the injected clock'));
replace(Date, 'now', refuse('Date.now', 'the injected clock'));
replace(Math, 'random', refuse('Math.random', 'the injected entropy'));
replace(crypto, 'getRandomValues', refuse('crypto.getRandomValues', 'the injected entropy'));
replace(crypto.subtle, 'generateKey', (host) => signingKey(host.nextKey()));
for (const name of ['sign', 'verify', 'encrypt', 'decrypt', 'digest', 'importKey', 'exportKey'])
  inOrder(crypto.subtle, name);
