/**
 * Draws fault rules at random, from what the code under test asks.
 *
 * @module
 */
import type { Entropy } from '../../foundation/index.js';
import type { FaultMatch, FaultVerb } from '../faults/match.js';
import type { FaultName, FaultSpec } from '../faults/spec.js';
import type { LoggedRequest } from '../requests/logged-request.js';

/** Faults that can be drawn. The others need someone who ends them. */
export const drawnFaults = [
  'fail',
  'delay',
  'dropConnection',
  'dropWatches',
  'expireHistory',
  'staleReads',
  'conflictOnce',
  'crash',
] as const satisfies readonly FaultName[];

/** A fault that can be drawn. */
export type DrawnFault =
  'fail' | 'delay' | 'dropConnection' | 'dropWatches' | 'expireHistory' | 'staleReads' | 'conflictOnce' | 'crash';

/** A kind of request that the code under test makes, and how often it made it without faults. */
export interface AskedRequest {
  readonly verb: FaultVerb;
  /** Resource with its group and subresource; undefined for a path that names none. */
  readonly resource: string | undefined;
  readonly count: number;
}

/** Returns the kinds of requests in a log. */
export function askedRequests(requests: Iterable<LoggedRequest>): AskedRequest[] {
  const asked = new Map<string, AskedRequest>();
  for (const { verb, group, resource, subresource } of requests) {
    const name = `${group === '' ? resource : `${resource}.${group}`}${subresource === '' ? '' : `/${subresource}`}`;
    const key = `${verb} ${name}`;
    const known = asked.get(key);
    asked.set(key, {
      verb: verb as FaultVerb,
      resource: resource === '' ? undefined : name,
      count: (known?.count ?? 0) + 1,
    });
  }
  return [...asked.values()].filter(({ resource }) => resource !== undefined);
}

/** Chance of a draw. */
export class Draw {
  readonly #entropy: Entropy;

  constructor(entropy: Entropy) {
    this.#entropy = entropy;
  }

  /** Returns a whole number from 0 to below a limit of at most 65,536. */
  below(limit: number): number {
    const [high = 0, low = 0] = this.#entropy.bytes(2);
    return Math.floor(((high * 256 + low) / 65_536) * limit);
  }

  /** Returns one of several values. */
  one<Value>(values: readonly [Value, ...Value[]] | readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }
}

const READS: ReadonlySet<string> = new Set(['get', 'list']);
const READ_FAILURES = [500, 503, 504, 429];
const WRITE_FAILURES = [...READ_FAILURES, 409];
const DELAYS = ['100ms', '1s', '5s', '30s'];

/** Options of {@link drawRules}. */
export interface DrawOptions {
  readonly faults: readonly DrawnFault[];
  /** Maximum number of rules; at least one is drawn. */
  readonly maxRules: number;
  /** Members of every match. */
  readonly match: Pick<FaultMatch, 'user' | 'namespace'>;
}

/** Draws rules that concern requests of the code under test; empty when no fault concerns any of them. */
export function drawRules(draw: Draw, asked: readonly AskedRequest[], options: DrawOptions): FaultSpec[] {
  const count = 1 + draw.below(options.maxRules);
  return Array.from({ length: count }, () => drawRule(draw, asked, options)).filter((rule) => rule !== undefined);
}

function drawRule(draw: Draw, asked: readonly AskedRequest[], { faults, match }: DrawOptions): FaultSpec | undefined {
  const fault = draw.one(faults);
  if (fault === 'crash') {
    const writes = asked
      .filter(({ verb }) => !READS.has(verb) && verb !== 'watch')
      .reduce((sum, { count }) => sum + count, 0);
    return { fault, afterWrites: draw.below(Math.max(1, writes)), lastWrite: draw.one(['kept', 'lost'] as const) };
  }
  const concerned = asked.filter(({ verb }) => concerns(fault, verb));
  if (concerned.length === 0) return undefined;
  const request = draw.one(concerned);
  const counted = { after: draw.below(request.count), times: 1 + draw.below(3) };
  const matched: FaultMatch = { ...match, verb: request.verb, resource: request.resource };
  switch (fault) {
    case 'fail': {
      const codes = READS.has(request.verb) || request.verb === 'watch' ? READ_FAILURES : WRITE_FAILURES;
      return { fault, match: { ...matched, ...counted }, status: draw.one(codes) };
    }
    case 'delay':
      return { fault, match: { ...matched, ...counted }, duration: draw.one(DELAYS) };
    case 'dropConnection':
      return { fault, match: { ...matched, ...counted }, when: draw.one(['before commit', 'after commit'] as const) };
    case 'dropWatches':
      return { fault, match: { ...matched, after: draw.below(5), times: counted.times }, cleanly: draw.below(2) === 0 };
    case 'expireHistory':
      return { fault, match: matched };
    case 'staleReads':
      return { fault, match: { ...matched, ...counted }, versions: 1 + draw.below(2) };
    case 'conflictOnce':
      return { fault, match: { ...matched, ...counted } };
  }
}

/** Returns whether a fault can strike requests with a verb. */
function concerns(fault: Exclude<DrawnFault, 'crash'>, verb: string): boolean {
  if (fault === 'dropWatches' || fault === 'expireHistory') return verb === 'watch';
  if (fault === 'staleReads') return READS.has(verb);
  if (fault === 'conflictOnce') return verb === 'update' || verb === 'patch';
  return true;
}
