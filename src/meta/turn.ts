/**
 * Fair use of the event loop. Work on data in memory awaits only settled promises, which never yields to the loop:
 * connections, timers and other requests are blocked until the work is done. Long work therefore calls
 * {@link shareTurn} before each step.
 *
 * @module
 */

/**
 * Maximum duration of the work in one turn, in milliseconds. A request that asks another process waits for two or three
 * turns: before it is read, before its question is sent, and before the answer is.
 */
const SHARE_MS = 3;
/**
 * Number of steps that a turn takes whatever their time, so that short work takes the same number of turns on slow and
 * fast machines. Also the maximum number of jobs that continue at the start of a turn: each takes a step before it asks
 * for the next one, and those of hundreds would make a long turn.
 */
const FEW_STEPS = 32;

/** The state of the current turn. */
interface Turn {
  /** Start of its work, in milliseconds. */
  readonly since: number;
  /** Let the jobs continue that wait for another turn, the one that has waited longest first. */
  readonly waiting: (() => void)[];
  steps: number;
}

let current: Turn | undefined;

/** Read at load time, so that a test that replaces the timers of the host does not stop the work. */
const immediate: unknown = Reflect.get(globalThis, 'setImmediate');

/** Resolves in another turn of the event loop, after connections and timers have run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof immediate === 'function') {
      Reflect.apply(immediate, undefined, [resolve]);
      return;
    }
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

/**
 * Decides whether long work may continue in this turn of the event loop.
 *
 * All work of the process shares the turn. The measured time affects only when work is done, never its result.
 *
 * @param steps number of steps that the caller does next; more than one when each takes almost no time
 * @returns undefined while time remains; otherwise a promise that resolves in another turn, when those that have waited
 *   longer have had their turn
 */
export function shareTurn(steps = 1): Promise<void> | undefined {
  const turn = (current ??= beginTurn([]));
  turn.steps += steps;
  if (turn.steps <= FEW_STEPS || performance.now() - turn.since < SHARE_MS) return undefined;
  return new Promise((resolve) => turn.waiting.push(resolve));
}

function beginTurn(waiting: (() => void)[]): Turn {
  void nextTurn().then(() => {
    current = undefined;
    if (waiting.length === 0) return;
    const next = waiting.splice(0, FEW_STEPS);
    current = beginTurn(waiting);
    current.steps = next.length;
    for (const proceed of next) proceed();
  });
  return { since: performance.now(), waiting, steps: 0 };
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

/** Number of steps that {@link repeatInTurns} does at once, and between two looks at the time. */
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
    const turn = shareTurn(STEPS_AT_ONCE);
    if (turn !== undefined) await turn;
  }
}

/** Does some steps. Returns whether there may be more. */
function repeat(step: () => boolean): boolean {
  for (let done = 0; done < STEPS_AT_ONCE; done += 1) if (!step()) return false;
  return true;
}
