import type { Api } from './api.js';
import { forEachAtOnce } from './at-once.js';
import { isMap } from './guards.js';
import { isRefusal } from './persist.js';
import { apiVersionOf, type PageKind } from './kinds.js';
import { jsonLinesOf } from './lines.js';

/**
 * Counts the objects of each kind, by an endpoint of the server that tells the numbers again when they change; kinds that
 * it does not tell, each by a list.
 *
 * @param told called for each kind, with its number or what failed
 * @returns `ended` when the server has ended the numbers that it told; `done` when it tells none
 * @throws ApiFailure when the server cannot be reached
 */
export async function countKinds(
  api: Api,
  kinds: readonly PageKind[],
  signal: AbortSignal,
  told: (kind: PageKind, count: unknown) => void,
): Promise<'done' | 'ended'> {
  const read = await api.read<unknown>('ui/v1/counts', 'application/json', signal).catch(unlessRefused);
  const sent = isMap(read) && Array.isArray(read['counts']) ? read['counts'] : [];
  const counted = new Set<PageKind>();
  const tell = (line: unknown): void => {
    if (!isMap(line)) return;
    const kind = kinds.find(({ group, plural }) => group === line['group'] && plural === line['resource']);
    if (kind === undefined || typeof line['total'] !== 'number') return;
    counted.add(kind);
    told(kind, line['total']);
  };
  if (signal.aborted) return 'done';
  for (const line of sent) tell(line);
  await countByLists(
    api,
    kinds.filter((kind) => !counted.has(kind)),
    signal,
    told,
  );
  if (sent.length === 0) return 'done';
  await follow(api, signal, tell);
  return 'ended';
}

/** Lets a user go on who may not use an endpoint. @throws the failure of a server that cannot be reached */
function unlessRefused(error: unknown): undefined {
  if (!isRefusal(error)) throw error;
}

async function follow(api: Api, signal: AbortSignal, tell: (line: unknown) => void): Promise<void> {
  for await (const line of jsonLinesOf(await api.request('ui/v1/counts/follow', { signal }))) tell(line);
}

/** Counts each kind by a list of one object, whose metadata says how many more there are. */
async function countByLists(
  api: Api,
  kinds: readonly PageKind[],
  signal: AbortSignal,
  told: (kind: PageKind, count: unknown) => void,
): Promise<void> {
  await forEachAtOnce(kinds, signal, async (kind) => {
    const count = await countOf(api, kind, signal).catch((error: unknown) => error);
    if (!signal.aborted) told(kind, count);
  });
}

async function countOf({ client }: Api, kind: PageKind, signal: AbortSignal): Promise<number> {
  const reader = client.resource({ apiVersion: apiVersionOf(kind), kind: kind.kind }).metadata();
  const { items, metadata } = await reader.list({ limit: 1, signal });
  return items.length + (metadata.remainingItemCount ?? 0);
}
