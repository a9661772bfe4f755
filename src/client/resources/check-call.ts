/**
 * Checks the arguments of the client's verbs, for programs without static types.
 *
 * @module
 */
import {
  aBoolean,
  aCount,
  aDuration,
  aFunction,
  aName,
  aSignal,
  aText,
  checkOptions,
  matching,
  nested,
  oneOf,
  shown,
  type OptionCheck,
  type OptionChecks,
} from '../../foundation/index.js';
import type { DeleteParameters, GetParameters, ListParameters, WatchParameters, WriteParameters } from '../client.js';
import type { FollowParameters } from '../follow/follow.js';
import { NO_PARAMETERS } from './outgoing-call.js';
import type { PagesParameters } from './pages.js';
import type { ApplyParameters, PatchParameters } from './patch-parameters.js';
import type { LogParameters } from './pod-log.js';
import type { WaitParameters } from './wait-for.js';

const aVersion = matching(
  'a resourceVersion: a string, as in metadata.resourceVersion',
  (value) => typeof value === 'string',
);

/** A number; the server says which ones it takes. */
const anAmount = (unit: string): OptionCheck => matching(`a number of ${unit}`, (value) => typeof value === 'number');

/** A time (RFC 3339 section 5.6). */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)$/;

const aTime = matching(
  'a time, such as "2026-01-31T12:00:00Z"',
  (value) => typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value)),
);

const get: OptionChecks<GetParameters> = {
  resourceVersion: aVersion,
  signal: aSignal,
};
const list: OptionChecks<ListParameters> = {
  ...get,
  labelSelector: aText,
  fieldSelector: aText,
  limit: aCount('objects'),
  continue: aText,
  resourceVersionMatch: oneOf('Exact', 'NotOlderThan', ''),
  onUnreadable: aFunction,
};
const write: OptionChecks<WriteParameters> = {
  dryRun: aBoolean,
  fieldManager: aText,
  fieldValidation: oneOf('Ignore', 'Warn', 'Strict'),
  signal: get.signal,
};
const deletion: OptionChecks<DeleteParameters> = {
  gracePeriodSeconds: anAmount('seconds'),
  propagationPolicy: aText,
  preconditions: nested({ uid: aText, resourceVersion: aVersion }),
  dryRun: aBoolean,
  signal: get.signal,
};
const watch: OptionChecks<WatchParameters> = {
  ...list,
  allowWatchBookmarks: aBoolean,
  sendInitialEvents: aBoolean,
  timeoutSeconds: anAmount('seconds'),
  keepAlive: aBoolean,
};
const patch: OptionChecks<PatchParameters> = {
  ...write,
  type: oneOf('json', 'merge', 'strategic'),
  subresource: aText,
};
const apply: OptionChecks<ApplyParameters> = { ...write, fieldManager: aName, force: aBoolean, subresource: aText };

const logs: OptionChecks<LogParameters> = {
  container: aText,
  follow: aBoolean,
  previous: aBoolean,
  timestamps: aBoolean,
  sinceSeconds: aCount('seconds'),
  sinceTime: aTime,
  tailLines: anAmount('lines'),
  limitBytes: anAmount('bytes'),
  signal: get.signal,
};

const { continue: _continue, ...ofPages } = list;
const pages: OptionChecks<PagesParameters> = { ...ofPages, expired: oneOf('restart', 'continue') };

const follow: OptionChecks<FollowParameters> = {
  labelSelector: aText,
  fieldSelector: aText,
  limit: aCount('objects', 1),
  signal: get.signal,
  onError: aFunction,
  keepAlive: aBoolean,
};

const wait: OptionChecks<WaitParameters> = { timeout: aDuration, signal: get.signal };

/** Option checks, by verb. */
const parameters = {
  get,
  list,
  watch,
  pages,
  follow,
  waitFor: wait,
  createOrUpdate: write,
  scale: write,
  create: write,
  perform: write,
  update: write,
  patch,
  apply,
  delete: deletion,
  evict: deletion,
  bind: write,
  logs,
  deleteCollection: { ...list, ...deletion },
} satisfies Readonly<Record<string, Readonly<Record<string, OptionCheck>>>>;

/** A verb of a client. */
export type ClientVerb = keyof typeof parameters;

/** Checks the parameters of a call. @throws TypeError that names an invalid parameter */
export function checkParameters(verb: ClientVerb, given: object | undefined): void {
  if (given !== undefined && given !== NO_PARAMETERS) checkOptions(verb, given, parameters[verb]);
}

/** Checks the object name of a call. @throws TypeError for anything except a non-empty string */
export function checkName(verb: string, name: unknown): void {
  if (typeof name !== 'string' || name === '')
    throw new TypeError(`${verb}: the first argument must be the name of an object, got ${shown(name)}`);
}

/**
 * Checks that the argument of a call is an object; the server validates its content.
 *
 * @throws TypeError for anything else
 */
export function checkObject(verb: ClientVerb, object: unknown): void {
  if (typeof object !== 'object' || object === null || Array.isArray(object))
    throw new TypeError(
      `${verb}: the object must be an object, such as { metadata: { name: … }, … }, got ${shown(object)}`,
    );
}

/** Returns the name of an object, for verbs on existing objects. @throws TypeError for an object without a name */
export function nameWithin(verb: ClientVerb, object: unknown): string {
  checkObject(verb, object);
  const { metadata } = object as { readonly metadata?: unknown };
  const name: unknown =
    typeof metadata === 'object' && metadata !== null && 'name' in metadata ? metadata.name : undefined;
  if (typeof name !== 'string' || name === '')
    throw new TypeError(`${verb}: the object must have metadata.name, got ${shown(name)}`);
  return name;
}
