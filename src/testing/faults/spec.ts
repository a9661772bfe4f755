/**
 * The rules as plain JSON.
 *
 * @module
 */
import {
  aBoolean,
  aCount,
  aDuration,
  aName,
  checkOptions,
  either,
  listOf,
  matching,
  nested,
  oneOf,
  ownMember,
  shown,
  suggestion,
  type Duration,
  type OptionCheck,
} from '../../foundation/index.js';
import type { LastWrite } from './crash-switch.js';
import { matchChecks, type FaultMatch } from './match.js';

/** A Status with which a request fails. */
export interface FaultStatus {
  /** HTTP status code of a failure: 400 to 599. */
  readonly code: number;
  /** Default the reason that Kubernetes gives with the code. */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** When the client may try again; sent as `details.retryAfterSeconds` and `Retry-After`, rounded up to whole seconds. */
  readonly retryAfter?: Duration | undefined;
}

/** A rule as plain JSON. docs/guides/faults.md describes what each fault does. */
export type FaultSpec =
  | { readonly fault: 'fail'; readonly match?: FaultMatch | undefined; readonly status: number | FaultStatus }
  | { readonly fault: 'delay'; readonly match?: FaultMatch | undefined; readonly duration: Duration }
  | { readonly fault: 'dropConnection'; readonly match?: FaultMatch | undefined; readonly when: DropMoment }
  | { readonly fault: 'dropWatches'; readonly match?: FaultMatch | undefined; readonly cleanly?: boolean | undefined }
  | { readonly fault: 'expireHistory'; readonly match?: FaultMatch | undefined }
  | { readonly fault: 'staleReads'; readonly match?: FaultMatch | undefined; readonly versions: number }
  | { readonly fault: 'slowConsumer'; readonly match?: FaultMatch | undefined }
  | {
      readonly fault: 'partition';
      readonly user: string | readonly string[];
      readonly watches?: PartitionedWatches | undefined;
    }
  | { readonly fault: 'conflictOnce'; readonly match?: FaultMatch | undefined }
  | { readonly fault: 'crash'; readonly afterWrites?: number | undefined; readonly lastWrite?: LastWrite | undefined };

/** When a connection is dropped: before the server handles the request, or after its write has happened. */
export type DropMoment = 'before commit' | 'after commit';

/** The fate of the open watches of a partitioned user: they are cut, or they stay open and silent. */
export type PartitionedWatches = 'cut' | 'silent';

/** Name of a fault. */
export type FaultName = FaultSpec['fault'];

const failureCode = matching(
  'the code of a failure, 400 to 599',
  (value) => typeof value === 'number' && Number.isInteger(value) && value >= 400 && value <= 599,
);

const aStatus: OptionCheck = (value, path) =>
  typeof value === 'object' && value !== null
    ? nested({ code: failureCode, reason: aName, message: aName, retryAfter: aDuration }, ['code'])(value, path)
    : failureCode(value, path);

const match = nested(matchChecks);

/** Members of each rule besides `fault`, with their checks. */
const members: Readonly<Record<FaultName, Readonly<Record<string, OptionCheck>>>> = {
  fail: { match, status: aStatus },
  delay: { match, duration: aDuration },
  dropConnection: { match, when: oneOf('before commit', 'after commit') },
  dropWatches: { match, cleanly: aBoolean },
  expireHistory: { match },
  staleReads: { match, versions: aCount('versions', 1) },
  slowConsumer: { match },
  partition: { user: either(listOf(aName), aName), watches: oneOf('cut', 'silent') },
  conflictOnce: { match },
  crash: { afterWrites: aCount('writes'), lastWrite: oneOf('kept', 'lost') },
};

const required: Partial<Record<FaultName, readonly string[]>> = {
  fail: ['status'],
  delay: ['duration'],
  dropConnection: ['when'],
  staleReads: ['versions'],
  partition: ['user'],
};

/** Names of all faults. */
export const faultNames = Object.keys(members) as readonly FaultName[];

/** Verbs that a fault cannot strike, by the fault that is limited to others. */
const onlyVerbs: Partial<Record<FaultName, readonly string[]>> = {
  conflictOnce: ['update', 'patch', 'apply'],
  staleReads: ['get', 'list', 'read'],
  dropWatches: ['watch'],
  slowConsumer: ['watch'],
};

/**
 * Checks a rule in plain JSON.
 *
 * @param subject start of the errors
 * @throws TypeError that names the member and what it must be
 */
export function checkSpec(subject: string, spec: unknown): asserts spec is FaultSpec {
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec))
    throw new TypeError(
      `${subject}: a rule must be an object, such as { fault: 'fail', status: 503 }, got ${shown(spec)}`,
    );
  const name = faultNames.find((known) => 'fault' in spec && spec.fault === known);
  if (name === undefined) {
    const given: unknown = 'fault' in spec ? spec.fault : undefined;
    const hint = typeof given === 'string' ? suggestion(given, faultNames) : '';
    throw new TypeError(`${subject}: fault must be one of ${faultNames.join(', ')}, got ${shown(given)}${hint}`);
  }
  checkOptions(subject, spec, { fault: aName, ...ownMember(members, name) }, required[name]);
  const verbs = 'match' in spec ? verbsOf(spec.match) : [];
  const allowed = onlyVerbs[name];
  const wrong = allowed === undefined ? undefined : verbs.find((verb) => !allowed.includes(verb));
  if (wrong !== undefined)
    throw new TypeError(
      `${subject}: the option verb: ${name} concerns only ${allowed?.join(', ') ?? ''}, so the rule would never strike a ${wrong}; leave the verb out`,
    );
}

function verbsOf(given: unknown): readonly string[] {
  const verb: unknown = typeof given === 'object' && given !== null && 'verb' in given ? given.verb : undefined;
  return typeof verb === 'string' ? [verb] : Array.isArray(verb) ? verb.filter((one) => typeof one === 'string') : [];
}
