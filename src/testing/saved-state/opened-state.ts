import { z } from 'zod';
import { ApiServer, type ApiServerOptions, type ServerSnapshot } from '../../apiserver/index.js';
import {
  ApiError,
  definedOnly,
  dialects,
  jsonText,
  shareTurn,
  type Clock,
  type HttpClient,
  type Logger,
} from '../../foundation/index.js';
import { defineResource, type ResourceDefinition } from '../../registry/index.js';
import { releases, type ApiResponse } from '../../server/index.js';
import { createReplayedStorage, type ReplayedStorage } from '../../storage/index.js';
import type { TestCommands } from '../../ui/index.js';
import type { SavedState, StateHead, StateKind, StateWrite } from './format.js';

/** A server with a state that was saved. */
export interface OpenedState {
  readonly server: ApiServer;
  /** Answers the commands of the page that only read: the time, the requests, and the test that failed. */
  readonly commands: TestCommands;
  close(): Promise<void>;
}

/** The time of a state: it stands. */
class StandingClock implements Clock {
  constructor(public nowMs: number) {}

  now(): number {
    return this.nowMs;
  }

  after(): { cancel(): void } {
    return { cancel: () => undefined };
  }
}

/**
 * The client of a server that is only looked at: the webhooks and extension servers that its objects name would get its
 * Secrets, and need not be those of the test any more.
 */
const noRequests: HttpClient = ({ url }) =>
  Promise.reject(new Error(`a saved state sends no requests, so ${new URL(url).host} was not asked`));

/** Longer than any test. */
const HISTORY = '876000h';

/**
 * Starts a server with a state. It has the objects with their versions and their past, and its time stands. No controller
 * runs before the first write, and nothing but a write of a client changes an object. It sends no requests to other servers.
 *
 * @throws Error when the state has a dialect or release that the program does not know, or does not fit together
 */
export async function openState(state: SavedState, logger: Logger): Promise<OpenedState> {
  const { head, writes, records } = state;
  const options = optionsOf(head, logger);
  const clock = new StandingClock(writes[0]?.time ?? head.now);
  const store = (): Promise<ReplayedStorage> =>
    createReplayedStorage({ clock, history: HISTORY }, { revision: head.base, records });
  const kinds = await kindsOf({ ...options, clock }, await store(), state);
  const storage = await store();
  const server = new ApiServer({ ...options, clock }, { ...kinds, storage, isOwnStorage: true, wokenControllers: [] });
  try {
    // The page records the writes as they are repeated, each at its time.
    await server.target.page?.serve(true);
    await replay(storage, writes, (time) => (clock.nowMs = time));
    clock.nowMs = head.now;
    await server.ready();
  } catch (error) {
    await server.close();
    throw error;
  }
  return { server, commands: commandsOf(state), close: () => server.close() };
}

function optionsOf({ dialect: name, featureGates, runtimeConfig, release: given }: StateHead, logger: Logger) {
  const dialect = dialects.get(name);
  if (dialect === undefined) throw new Error(`it has the dialect ${name}, which this program does not know`);
  const release = releases.find((known) => known === given);
  if (given !== '' && release === undefined) throw new Error(`it has the release ${given}, which is not known`);
  const chosen = { featureGates: featureGates || undefined, runtimeConfig: runtimeConfig || undefined, release };
  const network = { httpClient: noRequests };
  return { dialect, observability: { logger }, network, ...definedOnly(chosen) } satisfies ApiServerOptions;
}

async function replay(storage: ReplayedStorage, writes: readonly StateWrite[], at: (time: number) => void) {
  for (const { time, ...write } of writes) {
    at(time);
    storage.replay(write, time);
    await shareTurn();
  }
}

/**
 * Returns what a server knows of the kinds of a state, without its objects. A server that starts reads the definitions of
 * custom resources; the kinds that the program of the test declares are not in the state, so they accept any fields.
 */
async function kindsOf(
  options: ApiServerOptions,
  storage: ReplayedStorage,
  { head, writes }: SavedState,
): Promise<Omit<ServerSnapshot, 'storage'>> {
  await replay(storage, writes, () => undefined);
  await using reader = new ApiServer({ ...options, storage });
  await reader.ready();
  const missing = head.kinds.filter(
    ({ group, version, kind }) =>
      reader.resources.find({ apiVersion: group === '' ? version : `${group}/${version}`, kind }) === undefined,
  );
  const declared = new Map<string, ResourceDefinition[]>();
  for (const kind of missing) {
    const name = `${kind.resource}.${kind.group}`;
    declared.set(name, [...(declared.get(name) ?? []), openKind(kind)]);
  }
  for (const versions of declared.values()) reader.resources.add(versions);
  const { storage: _storage, ...kinds } = await reader.snapshot();
  return { ...kinds, hasDefaultPolicy: true };
}

const openKind = ({ group, version, kind, resource, singular, namespaced }: StateKind): ResourceDefinition =>
  defineResource({
    ...{ group, version, kind, plural: resource, names: { singular } },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    schema: () => z.looseObject({}),
  });

/** Returns the commands that read. The owner of the file asks for them: they show everything. */
function commandsOf({ head, requests }: SavedState): TestCommands {
  const { test, savedAt, leftOut, now } = head;
  const answers: ReadonlyMap<string, object> = new Map<string, object>([
    ['/clock', { now: new Date(now).toISOString(), time: 'manual', saved: { test, savedAt, leftOut } }],
    ['/requests', { items: requests }],
  ]);
  return (request, path) => {
    const found = request.method === 'GET' ? answers.get(path) : undefined;
    return Promise.resolve(found === undefined ? NOT_SAVED : jsonAnswer(200, found));
  };
}

const jsonAnswer = (status: number, body: object): ApiResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: `${jsonText(body)}\n`,
});

const { code, status } = new ApiError({
  ...{ message: 'a saved state has no such command', reason: 'NotFound', code: 404 },
});
const NOT_SAVED = jsonAnswer(code, status);
