/**
 * A row of the attack suite: who sends how much of what to a server with a small heap, and which answers are right.
 * Every row is judged alike beside that (`judge.ts`): the process lives, and another user is served meanwhile.
 *
 * @module
 */
import type { Request } from './client.js';
import type { Party } from './party.js';
import type { World } from './world.js';

/**
 * The rights of the attacker: nothing beyond what every user may (reviews of oneself, discovery), read objects, write
 * objects, or define kinds and webhooks. `owner` is for work that others cause, such as an index or a backup.
 */
export type Rights = 'none' | 'view' | 'edit' | 'define' | 'owner';

/** How a client takes an answer. */
export type Reading =
  /** As fast as it can. */
  | 'all'
  /** A chunk in 50 ms, for some seconds. */
  | 'slow'
  /** Not at all, for some seconds. */
  | 'unread'
  /** It disconnects once the request is sent. */
  | 'abort'
  /** As fast as it can, for some seconds: of a watch. */
  | 'stream';

/** Equal requests, some at once. */
export interface Flood {
  readonly request: Request | ((index: number) => Request);
  /** Number of requests. Default 1. */
  readonly times?: number;
  /** Number in flight. Default: all. */
  readonly atOnce?: number;
  /** Default `all`. */
  readonly reading?: Reading;
}

/** An answer, with the beginning of its body. */
export interface Answer {
  /** 0: none came, because the connection ended. */
  readonly status: number;
  readonly text: string;
  readonly bytes: number;
}

/** One attack. */
export interface Row {
  readonly name: string;
  readonly rights: Rights;
  /** Heap of the server, in MiB. Default 512. */
  readonly heapMb?: number;
  /** Flags of the server besides those of every row. */
  readonly flags?: readonly string[];
  /** Starts a server that the server under attack depends on, before that. */
  readonly party?: () => Promise<Party>;
  /** Runs before the measurement, with the owner's rights. */
  readonly prepare?: (world: World) => Promise<unknown>;
  /** Floods, one after another, or a function that attacks by itself and returns the answers. */
  readonly sends: readonly Flood[] | ((world: World, signal: AbortSignal) => Promise<readonly Answer[]>);
  /** The statuses of right answers. Default: 200, 201. 429 is right for every row with several requests at once. */
  readonly statuses?: readonly number[];
  /** Matches the text of every answer that is not 429. */
  readonly says?: RegExp;
  /** Matches failures that the server may log: those that the row is about. Default: none. */
  readonly mayLog?: RegExp;
  /** Whether controllers do most of the work. Nobody is charged for that of controllers. */
  readonly byControllers?: boolean;
  /** Growth of the heap that may stay, in MiB, besides a tenth of it: objects that the row stores. */
  readonly keepsMb?: number;
}

/** Rows of an area. */
export type Area = readonly Row[];
