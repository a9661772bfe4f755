import { ApiError } from '../meta/api-error.js';
import { shareTurn } from '../meta/turn.js';

/** True for an {@link ApiError} with the reason. */
export function hasReason(error: unknown, reason: string): boolean {
  return error instanceof ApiError && error.reason === reason;
}

/** True when a create was refused because its namespace is gone, or ending. */
export function isNamespaceEnding(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.reason === 'NotFound') return true;
  return error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true;
}

const MAX_ATTEMPTS = 16;

/**
 * Runs a read-change-write again as long as other writers come between, up to 16 times in all.
 *
 * @throws ApiError 409 when every attempt lost, and whatever else the attempt throws
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

/** Runs a task for every item, at most `limit` at a time. @throws the first failure, after all have ended */
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
