import { messageOf, type Clock } from '../../foundation/index.js';

/** One step of a shutdown. */
export interface ClosingStep {
  /** Name for the timeout error, such as `the storage`. A function is called only for that error. */
  readonly name: string | (() => string);
  /** Maximum duration, in milliseconds. */
  readonly limitMs: number;
  readonly close: () => unknown;
}

/**
 * Runs all steps in order, even after failures. A step that exceeds its limit is abandoned, because most steps run user
 * code, which can hang.
 *
 * @throws the error of a failed step; an AggregateError when several fail
 */
export async function closeInOrder(clock: Clock, steps: readonly ClosingStep[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await closeInTime(clock, step);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 1)
    throw new AggregateError(failures, `the server was closed, with failures: ${failures.map(messageOf).join('; ')}`);
  if (failures.length === 1) throw failures[0];
}

async function closeInTime(clock: Clock, { name, limitMs, close }: ClosingStep): Promise<void> {
  const closed = close();
  if (!(closed instanceof Promise)) return;
  await new Promise<void>((resolve, reject) => {
    const timer = clock.after(limitMs, () =>
      reject(
        new Error(
          `${typeof name === 'string' ? name : name()} did not close within ${limitMs / 1000} s and was abandoned`,
        ),
      ),
    );
    // Keeps the process alive until the timeout is reported.
    timer.ref?.();
    closed.then(() => resolve(), reject).finally(() => timer.cancel());
  });
}
