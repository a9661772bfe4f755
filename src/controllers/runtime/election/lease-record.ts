import type { Client, ResourceClient } from '../../../client/index.js';
import { equalJson, formatMicroTime, monotonicMs, type Clock } from '../../../foundation/index.js';
import { Lease } from '../../../kinds/index.js';
import type { InputOf, ObjectOf } from '../../../registry/index.js';
import { hasReason, orAbsent } from '../failures.js';

/** A Lease as the API returns it. */
export type LeaseObject = ObjectOf<typeof Lease>;

/** Options of {@link LeaseRecord}. */
export interface LeaseRecordOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly namespace: string;
  /** Name of the Lease. */
  readonly name: string;
  /** Name of the candidate. No two candidates may have the same. */
  readonly identity: string;
  /** Duration that the candidate writes into the record, in milliseconds. */
  readonly leaseDurationMs: number;
}

/** The duration of a released record, in seconds, as in client-go. */
const RELEASED_SECONDS = 1;

/**
 * The record of an election, as one candidate sees it. Only the candidate's own clock counts, from the moment at which
 * it saw the record change: the times in the record are for people, so clocks that differ do no harm.
 *
 * @see release 1.31, `tools/leaderelection/leaderelection.go` of client-go, `tryAcquireOrRenew` and `release`; there, a leader
 *   goes on that finds its Lease released
 */
export class LeaseRecord {
  readonly #options: LeaseRecordOptions;
  readonly #leases: ResourceClient<LeaseObject, InputOf<typeof Lease>>;
  #lease: LeaseObject | undefined;
  /** When the candidate saw the current record for the first time, in monotonic time. */
  #seenMs = 0;

  constructor(options: LeaseRecordOptions) {
    this.#options = options;
    this.#leases = options.client.resource(Lease).namespace(options.namespace);
  }

  /** The Lease as it was last read or written; undefined before that. */
  get lease(): LeaseObject | undefined {
    return this.#lease;
  }

  /** Whether the candidate holds the Lease, by what it last read or wrote. */
  get isOwn(): boolean {
    return this.#lease?.spec?.holderIdentity === this.#options.identity;
  }

  /**
   * Takes the Lease, unless another candidate holds it.
   *
   * @returns whether the candidate holds it now; false also when another candidate was faster
   * @throws ApiError when a request fails
   */
  take(signal: AbortSignal): Promise<boolean> {
    return unlessOvertaken(async () => {
      const found = await this.#read(signal);
      if (found === undefined) await this.#create(signal);
      else if (!this.isOwn && this.#isHeld(found)) return false;
      else await this.#write(found, this.#heldSpec(found), signal);
      return true;
    });
  }

  /**
   * Renews the Lease. One that is gone, or was released, is lost as well: another candidate may have led in the meantime.
   *
   * @returns whether the candidate still holds it
   * @throws ApiError when a request fails
   */
  renew(signal: AbortSignal): Promise<boolean> {
    return unlessOvertaken(async () => {
      // One request is enough, as a rule. When it fails, the holder looks again.
      if (await this.#renewed(signal)) return true;
      const found = await this.#read(signal);
      if (found === undefined || !this.isOwn) return false;
      await this.#write(found, this.#heldSpec(found), signal);
      return true;
    });
  }

  /**
   * Lets other candidates take the Lease at once. Does nothing when the candidate does not hold it.
   *
   * @throws ApiError when a request fails
   */
  async release(signal: AbortSignal): Promise<void> {
    const found = await this.#read(signal);
    if (found === undefined || !this.isOwn) return;
    const now = formatMicroTime(this.#options.clock.now());
    const spec = {
      // Empty, not absent, as client-go writes it: others may tell the two apart.
      holderIdentity: '',
      leaseDurationSeconds: RELEASED_SECONDS,
      leaseTransitions: found.spec?.leaseTransitions ?? 0,
      ...{ acquireTime: now, renewTime: now },
    };
    await this.#write(found, spec, signal);
  }

  async #renewed(signal: AbortSignal): Promise<boolean> {
    const lease = this.#lease;
    if (lease === undefined) return false;
    try {
      await this.#write(lease, this.#heldSpec(lease), signal);
      return true;
    } catch {
      return false;
    }
  }

  async #read(signal: AbortSignal): Promise<LeaseObject | undefined> {
    const found = await orAbsent(this.#leases.get(this.#options.name, { signal }));
    this.#saw(found, signal);
    return found;
  }

  async #create(signal: AbortSignal): Promise<void> {
    const { namespace, name } = this.#options;
    const spec = this.#heldSpec(undefined);
    this.#saw(await this.#leases.create({ metadata: { namespace, name }, spec }, { signal }), signal);
  }

  async #write(lease: LeaseObject, spec: LeaseObject['spec'], signal: AbortSignal): Promise<void> {
    this.#saw(await this.#leases.update({ ...lease, spec }, { signal }), signal);
  }

  /** Remembers a Lease, and when its record changed; metadata says nothing about the holder. Late answers are ignored. */
  #saw(lease: LeaseObject | undefined, signal: AbortSignal): void {
    if (signal.aborted) return;
    const isNew = this.#lease === undefined || !equalJson(lease?.spec, this.#lease.spec);
    this.#lease = lease;
    if (isNew) this.#seenMs = monotonicMs(this.#options.clock);
  }

  /** Whether the holder of a Lease has time left: as much as its own record says. */
  #isHeld({ spec = {} }: LeaseObject): boolean {
    const { holderIdentity = '', leaseDurationSeconds = 0 } = spec;
    return holderIdentity !== '' && this.#seenMs + leaseDurationSeconds * 1000 > monotonicMs(this.#options.clock);
  }

  /** Returns the record of this candidate as the holder. */
  #heldSpec(lease: LeaseObject | undefined) {
    const { identity, leaseDurationMs, clock } = this.#options;
    const renewTime = formatMicroTime(clock.now());
    const old = lease?.spec;
    const isOwn = old?.holderIdentity === identity;
    const transitions = old?.leaseTransitions ?? 0;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
      acquireTime: (isOwn ? old.acquireTime : undefined) ?? renewTime,
      renewTime,
      leaseTransitions: lease === undefined || isOwn ? transitions : transitions + 1,
    };
  }
}

/** Returns what a write of the Lease makes of it; false when another candidate has written it first. */
async function unlessOvertaken(write: () => Promise<boolean>): Promise<boolean> {
  try {
    return await write();
  } catch (error) {
    if (hasReason(error, 'Conflict') || hasReason(error, 'AlreadyExists')) return false;
    throw error;
  }
}
