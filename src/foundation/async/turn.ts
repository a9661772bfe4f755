/**
 * Fair use of the event loop. Work on data in memory awaits only settled promises, which never yields to the loop:
 * connections, timers and other requests are blocked until the work is done. Long work of the server itself therefore
 * calls {@link shareTurn} before each step; that of a request takes slices ({@link ./work.ts}).
 *
 * @module
 */

/**
 * Maximum duration of the shared work in one turn, in milliseconds. A request that asks another process waits for two or
 * three turns: before it is read, before its question is sent, and before the answer is.
 */
const SHARE_MS = 3;
/** Maximum number of jobs that continue in one turn, so that asking them costs little of it. */
const MAX_CONTINUED = 32;

/** Jobs that wait for another turn, the one that has waited longest first. */
const waiting: (() => void)[] = [];
/** Number of calls that are scheduled to let a job continue. */
let scheduled = 0;
/** Start of the shared work in the current turn, in milliseconds; undefined before its first step. */
let since: number | undefined;
/** Number of times that something was put off until another turn. */
let putOff = 0;

/** Read at load time, so that a test that replaces the timers of the host does not stop the work. */
const immediate: unknown = Reflect.get(globalThis, 'setImmediate');

/** Calls back in another turn of the event loop. Callbacks of one turn run in their order, each with its own promises. */
export function inNextTurn(callback: () => void): void {
  putOff += 1;
  if (typeof immediate === 'function') return void Reflect.apply(immediate, undefined, [callback]);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(undefined);
}

/**
 * Returns how often work of this process was put off until another turn of the event loop. While the number grows, something
 * goes on, on a busy host in more turns than on an idle one.
 */
export const turnsPutOff = (): number => putOff;

/** Resolves in another turn of the event loop, after connections and timers have run. */
export function nextTurn(): Promise<void> {
  return new Promise(inNextTurn);
}

/**
 * Decides whether long work may continue in this turn of the event loop. Called before each step; a step should take
 * less than a millisecond.
 *
 * All work of the process shares the turn. The measured time affects only when work is done, never its result.
 *
 * @returns undefined while time remains; otherwise a promise that resolves in another turn, when those that have waited
 *   longer have had their turn
 */
export function shareTurn(): Promise<void> | undefined {
  if (hasTime()) return undefined;
  return new Promise((resolve) => {
    waiting.push(resolve);
    schedule();
  });
}

/** Runs a step now, or in a later turn when the share of the current one is used up. @param step must not throw */
export function inSharedTurn(step: () => void): void {
  const turn = shareTurn();
  if (turn === undefined) step();
  else void turn.then(step);
}

/** Returns whether the share of the current turn is not used up. */
function hasTime(): boolean {
  if (since !== undefined) return performance.now() - since < SHARE_MS;
  since = performance.now();
  inNextTurn(() => (since = undefined));
  return true;
}

/** Lets a job continue in the next turn, unless enough do already. */
function schedule(): void {
  if (scheduled >= MAX_CONTINUED) return;
  scheduled += 1;
  inNextTurn(continueOne);
}

/** Lets the job that has waited longest continue, if time remains after the step of the one before it. */
function continueOne(): void {
  scheduled -= 1;
  if (hasTime()) waiting.shift()?.();
  if (waiting.length > scheduled) schedule();
}

/** Calls `visit` with each item, in several turns of the event loop when that takes long. */
export async function visitInTurns<Item>(
  items: Iterable<Item>,
  visit: (item: Item, index: number) => void,
): Promise<void> {
  let index = 0;
  for (const item of items) {
    const turn = shareTurn();
    if (turn !== undefined) await turn;
    visit(item, index);
    index += 1;
  }
}

/** Number of steps that {@link repeatInTurns} does in a row, and between two looks at the time. */
const STEPS_AT_ONCE = 256;

/**
 * Repeats a short step until it returns false. A few steps are done at once, many in the shares of several turns.
 *
 * @param step does one step; returns whether there may be more. It must not throw
 * @returns undefined when all is done; otherwise a promise that resolves when it is
 */
export function repeatInTurns(step: () => boolean): Promise<void> | undefined {
  return repeat(step) ? continueInTurns(step) : undefined;
}

async function continueInTurns(step: () => boolean): Promise<void> {
  for (let more = true; more; more = repeat(step)) {
    const turn = shareTurn();
    if (turn !== undefined) await turn;
  }
}

/** Does some steps. Returns whether there may be more. */
function repeat(step: () => boolean): boolean {
  for (let done = 0; done < STEPS_AT_ONCE; done += 1) if (!step()) return false;
  return true;
}
