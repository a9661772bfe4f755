/**
 * Fair use of the event loop. Work on data in memory waits for nothing but promises that are settled already, and such waits do
 * not let the loop turn: connections, timers and other requests stand still until all of the work is done. Long work therefore
 * asks {@link shareTurn} before each of its steps.
 *
 * @module
 */

/** How long the work of one turn may last before the loop is let on. */
const SHARE_MS = 8;
/** So many steps are always done in one turn: short work takes as many turns on a slow machine as on a fast one. */
const FEW_STEPS = 32;

/** What {@link shareTurn} knows of the present turn. */
interface Turn {
  /** When its work began. */
  readonly since: number;
  /** Resolves when the loop has turned. */
  readonly over: Promise<void>;
  steps: number;
}

let present: Turn | undefined;

/** Taken when the module is loaded, so that a test which replaces the timers of the host does not stop the work. */
const immediate: unknown = Reflect.get(globalThis, 'setImmediate');

/** Resolves in another turn of the event loop, after connections and timers have had theirs. */
function nextTurn(): Promise<void> {
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
 * Says whether a piece of long work may go on in this turn of the event loop.
 *
 * All work of the process shares the turn, as it shares the loop. No decision rests on the time that is measured here: it
 * changes when something is done, and never what.
 *
 * @returns undefined when there is time left; else a promise that resolves when the loop has turned
 */
export function shareTurn(): Promise<void> | undefined {
  if (present === undefined) {
    const over = nextTurn().then(() => {
      present = undefined;
    });
    present = { since: performance.now(), over, steps: 1 };
    return undefined;
  }
  present.steps += 1;
  if (present.steps <= FEW_STEPS || performance.now() - present.since < SHARE_MS) return undefined;
  return present.over;
}
