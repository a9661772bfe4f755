import type { Clock } from '../meta/clock.js';

/** A part to stop. */
export interface EndingStep {
  /** What it is, for the error that says that it hangs: `the storage`. A function is asked when it does. */
  readonly name: string | (() => string);
  /** Maximum time to stop, in milliseconds. */
  readonly limitMs: number;
  readonly end: () => unknown;
}

/**
 * Takes every step, one after the other, whether or not those before it failed. One that does not come to its end in time is left
 * behind: most of them run code of the program's user, which may hang.
 *
 * @throws what failed; an AggregateError when it was more than one
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
  const reasons = failures.map((failure) => (failure instanceof Error ? failure.message : String(failure)));
  return `the server was closed, but not everything went well: ${reasons.join('; ')}`;
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
    // The process must not end before somebody was told.
    timer.ref?.();
    ended.then(() => resolve(), reject).finally(() => timer.cancel());
  });
}
