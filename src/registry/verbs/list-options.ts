/**
 * The options of list and watch, and the meaning of each combination: the tables of the conventions document
 * ("resourceVersion semantics").
 *
 * @module
 */
import { errors, FieldErrorList, forbidden, notSupported, type FieldError } from '../../foundation/index.js';
import type { FieldSelector, LabelSelector } from '../../machinery/index.js';
import type { Revision } from '../../storage/index.js';
import { parseResourceVersion, resourceVersionProblem } from './resource-version.js';

/** Options as a client sends them. An absent option equals an empty one. */
export interface ListOptions {
  /**
   * Called with each object that cannot be read; the object is then left out. Absent: one unreadable object fails the
   * whole list or watch.
   */
  readonly onUnreadable?: ((unreadable: UnreadableObject) => void) | undefined;
  readonly labelSelector?: LabelSelector | undefined;
  readonly fieldSelector?: FieldSelector | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: string | undefined;
}

/** A stored object that cannot be read. */
export interface UnreadableObject {
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  readonly error: Error;
}

/** The pace at which the initial state of a watch is sent. */
export interface InitialPace {
  /**
   * Called before each step.
   *
   * @returns undefined when the watch may go on; otherwise a promise after which it asks again. It may reject
   */
  turn(): Promise<void> | undefined;
  /**
   * Counts work that has been done.
   *
   * @param units as of `Work.spend`
   * @returns whether the watch should ask for another turn
   */
  spend(units: number): boolean;
  /** Does a step, whose time is charged to whoever watches. */
  measure<Result>(step: () => Result): Result;
  /** Called once when the initial state has been handed out or the watch has ended; at once for a watch without any. */
  end(): void;
}

/** Options of a watch. */
export interface WatchOptions extends ListOptions {
  /** Default: it shares the turns of the event loop with all other work. */
  readonly initialPace?: InitialPace | undefined;
  readonly allowWatchBookmarks?: boolean | undefined;
  readonly sendInitialEvents?: boolean | undefined;
  /** Maximum duration of the watch in seconds; absent: the server decides. */
  readonly timeoutSeconds?: number | undefined;
}

const GROUP_KIND = 'ListOptions';

const MATCHES = ['Exact', 'NotOlderThan'] as const;

function invalidOptions(metaGroup: string, problems: readonly FieldError[]): Error {
  return errors.invalid({ group: metaGroup, kind: GROUP_KIND }, '', problems);
}

/**
 * Checks the combination of options of a list.
 *
 * @throws ApiError 422 with Kubernetes' causes
 */
export function validateListOptions(
  options: ListOptions & Pick<WatchOptions, 'sendInitialEvents'>,
  metaGroup: string,
): void {
  const problems = new FieldErrorList();
  const match = options.resourceVersionMatch ?? '';
  const version = options.resourceVersion ?? '';
  if (match !== '') {
    if (version === '')
      problems.push(
        forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
      );
    if ((options.continue ?? '') !== '')
      problems.push(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
    if (!MATCHES.some((known) => known === match))
      problems.push(notSupported('resourceVersionMatch', match, [...MATCHES, '']));
    if (match === 'Exact' && version === '0') {
      problems.push(
        forbidden('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
      );
    }
  }
  if (options.sendInitialEvents !== undefined)
    problems.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  if (problems.length > 0) throw invalidOptions(metaGroup, problems);
}

/**
 * Checks the combination of options of a watch. `sendInitialEvents` needs the feature gate `WatchList`. A `continue`
 * without a `resourceVersionMatch` is ignored.
 *
 * @throws ApiError 422 with Kubernetes' causes, in Kubernetes' order
 */
export function validateWatchOptions(options: WatchOptions, metaGroup: string, watchListEnabled: boolean): void {
  const problems = new FieldErrorList();
  const match = options.resourceVersionMatch ?? '';
  const supported = match === 'NotOlderThan';
  if (options.sendInitialEvents !== undefined) {
    if (!supported)
      problems.push(
        forbidden('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
      );
    if (!watchListEnabled)
      problems.push(
        forbidden(
          'sendInitialEvents',
          'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
        ),
      );
  }
  if (match !== '') {
    if (options.sendInitialEvents === undefined)
      problems.push(
        forbidden(
          'resourceVersionMatch',
          'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
        ),
      );
    if (!supported) problems.push(notSupported('resourceVersionMatch', match, ['NotOlderThan']));
    if ((options.continue ?? '') !== '')
      problems.push(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
  }
  if (problems.length > 0) throw invalidOptions(metaGroup, problems);
}

/** The state that a list shows. */
export type ListPlan =
  /** The state after every acknowledged write. */
  | { readonly kind: 'present' }
  /** A state of `revision` or later, once the store has reached it; 0 is any state. */
  | { readonly kind: 'notOlderThan'; readonly revision: Revision }
  /** The state of `revision` itself. */
  | { readonly kind: 'exact'; readonly revision: Revision }
  /** The state and position that a continue token contains. */
  | { readonly kind: 'continue'; readonly token: string };

/**
 * Returns the cell of the table that applies to a list. Call {@link validateListOptions} first.
 *
 * @throws ApiError 400 for an invalid version, and for a version together with a continue token
 */
export function planList(options: ListOptions): ListPlan {
  const version = options.resourceVersion ?? '';
  const token = options.continue ?? '';
  if (token !== '') {
    if (version !== '' && version !== '0')
      throw errors.badRequest('specifying resource version is not allowed when using continue');
    return { kind: 'continue', token };
  }
  if (version === '') return { kind: 'present' };
  const problem = resourceVersionProblem(version);
  if (problem !== undefined) throw errors.badRequest(`invalid resource version: ${problem}`);
  const revision = parseResourceVersion(version);
  if (revision === 0) return { kind: 'notOlderThan', revision };
  const match = options.resourceVersionMatch ?? '';
  const exact = match === 'Exact' || (match === '' && (options.limit ?? 0) > 0);
  return { kind: exact ? 'exact' : 'notOlderThan', revision };
}
