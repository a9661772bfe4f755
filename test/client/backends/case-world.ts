import { expect } from 'vitest';
import type { Client } from '../../../src/entries/client.js';
import { ApiError, ConfigMap, type WatchEvent } from '../../../src/entries/index.js';
import type { DialectName, Reached } from './places.js';

/** The server and the clients of a case. */
export interface CaseWorld extends Reached {
  readonly dialect: DialectName;
  readonly isInProcess: boolean;
  /** Whether streams can be opened, and whether as another user. */
  readonly hasSockets: boolean;
  readonly hasHeaders: boolean;
  /** A namespace of the case alone. */
  readonly namespace: string;
}

/** A behaviour that is the same on every way to a server. */
export interface ClientCase {
  readonly name: string;
  run(world: CaseWorld): Promise<void>;
}

/** The ApiError of a promise that must reject with one. */
export async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const outcome = await promise.then(
    (value) => new Error(`did not fail, but gave ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!isApiError(outcome)) throw outcome;
  return outcome;
}

/** Returns whether an error is an ApiError: of this program, or of a bundle, which has a class of its own. */
const isApiError = (error: unknown): error is ApiError =>
  error instanceof ApiError || (error instanceof Error && error.name === 'ApiError' && 'status' in error);

/** A user with all rights. */
export const masterOf = (username: string) => ({ username, groups: ['system:masters'] });

/** The ConfigMaps of the namespace of a case. */
export const mapsOf = (client: Client, { namespace }: CaseWorld) => client.resource(ConfigMap).namespace(namespace);

/** Collects events until a condition holds. */
export async function eventsUntil<Item>(
  events: AsyncIterable<WatchEvent<Item>>,
  ended: (events: readonly WatchEvent<Item>[]) => boolean,
): Promise<WatchEvent<Item>[]> {
  const seen: WatchEvent<Item>[] = [];
  for await (const event of events) {
    // The object of an event in the process is copied when it is read.
    seen.push({ type: event.type, object: event.object } as WatchEvent<Item>);
    if (ended(seen)) break;
  }
  return seen;
}

/** Waits for a condition, turn by turn. */
export async function eventually(holds: () => boolean): Promise<void> {
  await expect.poll(holds).toBe(true);
}
