import { ApiError, durationMs, isJsonObject, shown, type Duration } from '../../foundation/index.js';
import type { ClientBackend } from '../backend.js';
import type { FollowEvent, FollowParameters } from '../follow/follow.js';
import type { FollowedObject } from '../follow/object-key.js';

/** The state of an object that a caller waits for. */
export type WaitCondition<Item> =
  /** The object does not exist, or another one has its name. */
  | 'deleted'
  /** A condition in the status of the object. Default `True`. */
  | { readonly condition: string; readonly is?: 'True' | 'False' | 'Unknown' | undefined }
  /** Returns whether a state is the one; undefined while there is no such object. */
  | ((item: Item | undefined) => boolean);

/** Options of a wait. */
export interface WaitParameters {
  /** Time until the wait fails. Default: none. */
  readonly timeout?: Duration | undefined;
  /** Ends the wait with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The state did not come in time. */
export class WaitTimeoutError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WaitTimeoutError';
  }
}

/** Checks the state that a caller waits for. @throws TypeError for none */
export function checkCondition(until: unknown): void {
  if (until === 'deleted' || typeof until === 'function') return;
  if (typeof until === 'object' && until !== null && 'condition' in until && typeof until.condition === 'string')
    return;
  throw new TypeError(
    `waitFor: the second argument must be 'deleted', { condition: 'Ready' } or a function, got ${shown(until)}`,
  );
}

/** The object that is waited for. */
export interface Awaited<Item extends FollowedObject> {
  /** Kind and name, for messages. */
  readonly label: string;
  readonly name: string;
  readonly follow: (parameters: FollowParameters) => AsyncIterable<FollowEvent<Item>>;
  readonly clock: ClientBackend['clock'];
}

/** Waits for a state of an object. @returns the object in that state; undefined when it does not exist */
export async function waitForState<Item extends FollowedObject>(
  { label, name, follow, clock }: Awaited<Item>,
  until: WaitCondition<Item>,
  { timeout, signal }: WaitParameters,
): Promise<Item | undefined> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const ends = signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal]);
  const timeoutMs = timeout === undefined ? undefined : durationMs(timeout);
  const timer = timeoutMs === undefined ? undefined : clock.after(timeoutMs, () => ending.abort());
  const state = new AwaitedState(until);
  try {
    let refusal: unknown;
    const events = follow({
      fieldSelector: `metadata.name=${name}`,
      signal: ends,
      onError: (error) => {
        // Nothing else than these failures ends by itself.
        if (!isRefusal(error)) return;
        refusal = error;
        ending.abort();
      },
    });
    for await (const event of events) if (state.sees(event)) return state.item;
    signal?.throwIfAborted();
    if (refusal !== undefined) throw refusal;
    throw new WaitTimeoutError(`${label} ${state.explanation} within ${shownDuration(timeout)}`);
  } finally {
    timer?.cancel();
  }
}

const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 422]);

const isRefusal = (error: unknown): boolean => error instanceof ApiError && REFUSALS.has(error.code);

const shownDuration = (timeout: Duration | undefined): string =>
  typeof timeout === 'number' ? `${timeout} ms` : (timeout ?? '');

/** The known state of the object. */
class AwaitedState<Item extends FollowedObject> {
  item: Item | undefined;
  readonly #until: WaitCondition<Item>;
  /** The uid of the object that is to be deleted. */
  #uid: string | undefined;
  #synced = false;

  constructor(until: WaitCondition<Item>) {
    this.#until = until;
  }

  /** Returns whether the state is the one, after an event. */
  sees(event: FollowEvent<Item>): boolean {
    if (event.type === 'SYNCED') this.#synced = true;
    else if (event.type === 'DELETED') this.item = undefined;
    else this.item = event.object;
    if (this.#until === 'deleted') return this.#seesDeletion(event);
    // Before the list is complete, an object may only seem to be missing.
    return (this.item !== undefined || this.#synced) && holds(this.#until, this.item);
  }

  #seesDeletion(event: FollowEvent<Item>): boolean {
    if (event.type === 'DELETED') return true;
    if (event.type === 'SYNCED') return this.item === undefined;
    this.#uid ??= event.object.metadata.uid;
    const isOther = event.object.metadata.uid !== this.#uid;
    if (isOther) this.item = undefined;
    return isOther;
  }

  /** Says which part of the state is missing. */
  get explanation(): string {
    if (this.#until === 'deleted') return 'was not deleted';
    if (this.item === undefined) return this.#synced ? 'did not exist' : 'could not be read';
    if (typeof this.#until === 'function') return 'did not become what was waited for';
    const { condition, is = 'True' } = this.#until;
    const found = conditionOf(this.item, condition);
    if (found === undefined) return `had no condition ${condition}`;
    const why = [found.reason, found.message].filter((text) => text !== '').join(': ');
    return `did not become ${condition}=${is}: the condition is ${found.status}${why === '' ? '' : ` (${why})`}`;
  }
}

function holds<Item>(until: Exclude<WaitCondition<Item>, 'deleted'>, item: Item | undefined): boolean {
  if (typeof until === 'function') return until(item);
  const { condition, is = 'True' } = until;
  const found = item === undefined ? undefined : conditionOf(item, condition);
  return found !== undefined && found.status === is && !found.isOutdated;
}

interface FoundCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** Whether it is about an earlier specification. */
  readonly isOutdated: boolean;
}

function conditionOf(item: unknown, type: string): FoundCondition | undefined {
  const { status, metadata } = recordOf(item);
  const { conditions, observedGeneration } = recordOf(status);
  const found = Array.isArray(conditions)
    ? conditions.map(recordOf).find((candidate) => String(candidate['type']).toLowerCase() === type.toLowerCase())
    : undefined;
  if (found === undefined) return undefined;
  const observed = found['observedGeneration'] ?? observedGeneration;
  const { generation } = recordOf(metadata);
  const isOutdated = typeof observed === 'number' && typeof generation === 'number' && observed < generation;
  const text = (name: string): string => (typeof found[name] === 'string' ? found[name] : '');
  return { status: text('status'), reason: text('reason'), message: text('message'), isOutdated };
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isJsonObject(value) ? value : {});
