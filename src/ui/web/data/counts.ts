import type { Api } from './api.js';
import { apiVersionOf, type PageKind } from './kinds.js';

/** Requests at a time; a browser has six connections for a server over HTTP/1.1. */
const AT_ONCE = 3;

/**
 * Counts the objects of each kind: a list of one, whose metadata says how many more there are.
 *
 * @param told called for each kind, with its number or what failed
 */
export async function countKinds(
  api: Api,
  kinds: readonly PageKind[],
  signal: AbortSignal,
  told: (kind: PageKind, count: unknown) => void,
): Promise<void> {
  const waiting = kinds.values();
  const work = async (): Promise<void> => {
    for (const kind of waiting) {
      const count = await countOf(api, kind, signal).catch((error: unknown) => error);
      if (signal.aborted) return;
      told(kind, count);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function countOf({ client }: Api, kind: PageKind, signal: AbortSignal): Promise<number> {
  const reader = client.resource({ apiVersion: apiVersionOf(kind), kind: kind.kind }).metadata();
  const { items, metadata } = await reader.list({ limit: 1, signal });
  return items.length + (metadata.remainingItemCount ?? 0);
}
