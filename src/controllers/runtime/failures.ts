import { ApiError, shareTurn } from '../../foundation/index.js';
import type { WorkResult } from './work-queue.js';

/** The failure of a run ends it for good: the object runs again when it changes, not after a pause. */
export class FinalError extends Error {
  override readonly name: string = 'FinalError';
}

/** Returns true for an {@link ApiError} with the given reason. */
export function hasReason(error: unknown, reason: string): boolean {
  return error instanceof ApiError && error.reason === reason;
}

/** Returns what a request answers; undefined when it fails for one of these reasons. @throws its other errors */
export async function ignoring<Item>(request: Promise<Item>, ...reasons: readonly string[]): Promise<Item | undefined> {
  try {
    return await request;
  } catch (error) {
    if (reasons.some((reason) => hasReason(error, reason))) return undefined;
    throw error;
  }
}

/** Returns what a request answers; undefined when it is not found. */
export const orAbsent = <Item>(request: Promise<Item>): Promise<Item | undefined> => ignoring(request, 'NotFound');

/** Returns true for an error that says that an object does not exist. */
export const isNotFound = (error: unknown): boolean => hasReason(error, 'NotFound');

/**
 * Returns the result of a run that writes what it has read: `retry` after a conflict, since the event of the change that
 * it conflicts with runs the key again.
 *
 * @param isOver returns true for an error that ends the run without another attempt
 * @throws its other errors
 */
export async function retryingConflicts(
  run: Promise<WorkResult>,
  isOver: (error: unknown) => boolean,
): Promise<WorkResult> {
  try {
    return await run;
  } catch (error) {
    if (hasReason(error, 'Conflict')) return 'retry';
    if (!isOver(error)) throw error;
  }
}

/** Returns true when a create failed because its namespace is missing or terminating. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.reason === 'NotFound') return true;
  return error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true;
}

const MAX_ATTEMPTS = 16;

/**
 * Repeats a read-modify-write while it fails with a conflict, at most 16 times.
 *
 * @throws ApiError 409 when the last attempt conflicts; any other error of an attempt
 */
export async function retryOnConflict<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!hasReason(error, 'Conflict') || tries === MAX_ATTEMPTS) throw error;
    }
  }
}

/**
 * Runs a task for every item, at most `limit` at a time.
 *
 * @throws the first failure, after all tasks have ended
 */
export async function forEachBounded<Item>(
  items: readonly Item[],
  limit: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const item = items[next] as Item;
      next += 1;
      const turn = shareTurn();
      if (turn !== undefined) await turn;
      try {
        await task(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
}
