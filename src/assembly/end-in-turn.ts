import type { Clock } from '../meta/clock.js';
import { messageOf } from '../meta/error-message.js';

/** One step of a shutdown. */
export interface EndingStep {
  /** Name for the timeout error, such as `the storage`. A function is called only for that error. */
  readonly name: string | (() => string);
  /** Maximum time to stop, in milliseconds. */
  readonly limitMs: number;
  readonly end: () => unknown;
}

/**
 * Runs all steps in order, even after failures. A step that exceeds its limit is abandoned, because most steps run user
 * code, which can hang.
 *
 * @throws the error of a failed step; an AggregateError when several fail
 */
export async function endInTurn(clock: Clock, steps: readonly EndingStep[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await endInTime(clock, step);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 1) throw new AggregateError(failures, closedWith(failures));
  if (failures.length === 1) throw failures[0];
}

function closedWith(failures: readonly unknown[]): string {
  return `the server was closed, but not everything went well: ${failures.map(messageOf).join('; ')}`;
}

async function endInTime(clock: Clock, { name, limitMs, end }: EndingStep): Promise<void> {
  const ended = end();
  if (!(ended instanceof Promise)) return;
  await new Promise<void>((resolve, reject) => {
    const timer = clock.after(limitMs, () =>
      reject(
        new Error(
          `${typeof name === 'string' ? name : name()} did not end within ${limitMs / 1000} s and is left behind`,
        ),
      ),
    );
    // Keeps the process alive until the timeout is reported.
    timer.ref?.();
    ended.then(() => resolve(), reject).finally(() => timer.cancel());
  });
}
