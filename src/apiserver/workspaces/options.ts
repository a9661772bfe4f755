import {
  aClock,
  aCount,
  aNumber,
  anObject,
  aPositiveDuration,
  checkOptions,
  matching,
  nested,
  withMethods,
  type Clock,
  type Duration,
  type Entropy,
  type OptionChecks,
} from '../../foundation/index.js';
import { BODY_COPIES, defaultLimits, type ServerLimits } from '../../server/index.js';
import type { Storage } from '../../storage/index.js';
import type { ApiServerOptions } from '../options/api-server-options.js';
import { limitsOf, type LimitOptions } from '../options/limit-options.js';
import { aStorage } from '../options/server-options.js';

/** The limits of a workspace. */
export interface WorkspaceQuota {
  /** Objects that it stores. Default objects that nobody has changed do not count. Default 10,000. */
  readonly objects?: number | undefined;
  /** Total length of the keys and texts that it stores, in bytes. Default 64 MiB. */
  readonly bytes?: number | undefined;
  /** Custom resource definitions. Default 100. */
  readonly kinds?: number | undefined;
  /** Requests in flight, with those that wait for their turn; further ones are refused with 429. Default 100. */
  readonly requests?: number | undefined;
  /**
   * Open watches; further ones are refused with 429. A change applies when the workspace is next loaded. Default 1,000.
   */
  readonly watches?: number | undefined;
}

/** The options of the servers of all workspaces. */
export type WorkspaceServerOptions = Omit<
  ApiServerOptions,
  'storage' | 'replaceAgreement' | 'simulation' | 'interceptor' | 'clock' | 'entropy' | 'certificates'
>;

/** Options of `createWorkspaces`. */
export interface WorkspacesOptions {
  /** Store of all workspaces; default in memory. The workspaces close it. */
  readonly storage?: Storage | undefined;
  /** Options of the server of each workspace. Those of authentication apply to all of them. */
  readonly server?: WorkspaceServerOptions | undefined;
  /** Quota of workspaces that have none of their own. */
  readonly quota?: WorkspaceQuota | undefined;
  /** Time without a request, an open watch or work of controllers after which a workspace is unloaded. Default `5m`. */
  readonly unloadAfter?: Duration | undefined;
  /**
   * Workspaces in memory. Another one takes the place of the one that nobody has used for the longest time; while all are
   * in use, its requests are refused with 429. Default 500.
   */
  readonly maxLoaded?: number | undefined;
  /**
   * Maximum memory of all workspaces together, in bytes: the objects and the history of a store in memory, and the requests,
   * the watches and the caches of the loaded servers. Default three quarters of the heap limit.
   */
  readonly memoryBytes?: number | undefined;
  /** Requests of all workspaces that execute at the same time. Others wait, and workspaces take turns. Default 400. */
  readonly maxInFlight?: number | undefined;
  /**
   * URL at which clients reach the workspaces, without `/clusters`, for kubeconfigs and the issuers of tokens. Default: that
   * of the first listener, and issuers that do not lead to this service.
   */
  readonly url?: string | undefined;
  /** Clock of all servers; default the host's. */
  readonly clock?: Clock | undefined;
  /** Randomness of all servers; default the host's. */
  readonly entropy?: Entropy | undefined;
}

const quotaChecks: OptionChecks<WorkspaceQuota> = {
  objects: aCount('objects', 1),
  bytes: aCount('bytes', 1),
  kinds: aCount('definitions'),
  requests: aCount('requests', 1),
  watches: aCount('watches', 1),
};

const checks: OptionChecks<WorkspacesOptions> = {
  storage: aStorage,
  server: anObject,
  quota: nested(quotaChecks),
  unloadAfter: aPositiveDuration,
  maxLoaded: aCount('workspaces', 1),
  memoryBytes: aNumber('bytes', 1),
  maxInFlight: aCount('requests', 1),
  url: matching(
    'a URL: https://… or http://…, without a slash at the end',
    (value) => typeof value === 'string' && /^https?:\/\/.*[^/]$/.test(value),
  ),
  clock: aClock,
  entropy: withMethods('a source of randomness', 'uuid', 'bytes'),
};

/** Options that the server of a workspace cannot have, with the reason. */
const REFUSED: readonly (readonly [path: readonly string[], reason: string])[] = [
  [['storage'], 'give it to createWorkspaces'],
  [['clock'], 'give it to createWorkspaces'],
  [['entropy'], 'give it to createWorkspaces'],
  [['simulation'], 'workspaces have no simulated nodes'],
  [['interceptor'], 'workspaces have none'],
  [['replaceAgreement'], 'workspaces have none'],
  [['certificates'], 'each workspace has an authority of its own'],
  [['authentication', 'ownerToken'], 'each workspace has an owner of its own'],
  [['authentication', 'apiAudiences'], 'each workspace has an audience of its own'],
  [['authentication', 'serviceAccounts', 'issuers'], 'each workspace has an issuer of its own'],
  [['authentication', 'serviceAccounts', 'signingKey'], 'each workspace has a key of its own'],
  [['authentication', 'serviceAccounts', 'verificationKeys'], 'each workspace has a key of its own'],
  [['authentication', 'serviceAccounts', 'jwksUri'], 'each workspace has keys of its own'],
];

/** Checks the options. @throws TypeError that names the option */
export function checkWorkspacesOptions(options: WorkspacesOptions): void {
  checkOptions('createWorkspaces', options, checks);
  for (const [path, reason] of REFUSED)
    if (valueAt(options.server, path) !== undefined)
      throw new TypeError(`createWorkspaces: the option server cannot have ${path.join('.')}: ${reason}`);
  const { memoryBytes, server } = options;
  const { bodyBytes = defaultLimits.bodyBytes } = server?.limits ?? {};
  const least = BODY_COPIES * bodyBytes;
  if (memoryBytes !== undefined && memoryBytes < least)
    throw new TypeError(
      `createWorkspaces: the option memoryBytes is ${memoryBytes}, but a request with a body of server.limits.bodyBytes (${bodyBytes}) needs ${least}: raise the former or lower the latter`,
    );
}

/** Returns the limits of the store, and of all workspaces together. @throws TypeError for contradictory options */
export const storeLimits = ({ server, memoryBytes }: WorkspacesOptions): ServerLimits =>
  limitsOf({ ...server?.limits, memoryBytes });

function valueAt(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = Reflect.get(found, name);
  }
  return found;
}

/** Checks a quota. @throws TypeError that names the limit */
export function checkQuota(subject: string, quota: WorkspaceQuota): void {
  checkOptions(subject, quota, quotaChecks);
}

/** Memory of the server of a workspace for requests, and for history and caches, in bytes. */
const MEMORY = { memoryBytes: 128 * 1024 * 1024, historyBytes: 16 * 1024 * 1024 } as const;

/** Returns the limits of the server of each workspace. */
export const workspaceLimits = (limits: LimitOptions | undefined): LimitOptions => ({ ...MEMORY, ...limits });

/** A quota with all limits. */
export type CompleteQuota = { readonly [Limit in keyof Required<WorkspaceQuota>]: number };

/** The default quota. */
export const defaultQuota: CompleteQuota = {
  objects: 10_000,
  bytes: 64 * 1024 * 1024,
  kinds: 100,
  requests: 100,
  watches: 1_000,
};
