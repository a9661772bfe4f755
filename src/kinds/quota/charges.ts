import type { Entropy, Quantity } from '../../foundation/index.js';
import type { Storage } from '../../storage/index.js';
import { addAmounts, type Amounts } from './amounts.js';
import { ChargeRecords } from './charge-records.js';

/** The amounts that a request has taken from a quota, until the controller counts the object itself. */
interface Charge {
  readonly uid: string;
  readonly amounts: Amounts;
  readonly atMs: number;
}

/**
 * Time after which a charge that nothing has confirmed is dropped, in milliseconds: the interval in which the controller
 * calculates everything again.
 */
const LIFETIME_MS = 5 * 60 * 1000;

/**
 * The amounts that admission has taken from the quotas of a server for objects that the quota controller does not count
 * yet. The controller adds them to its count; otherwise it would give away what was just taken. Both change the status
 * of the quotas of a namespace only in turns ({@link QuotaCharges.inTurn}).
 *
 * Where servers share a store, their charges are records of it ({@link QuotaCharges.shared}).
 */
export class QuotaCharges {
  /** Charges by quota. */
  readonly #charges = new Map<string, Set<Charge>>();
  /** The end of the last turn, by namespace. */
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Whether a controller of this process confirms charges. */
  isConfirmed = false;
  /** The charges of all servers of the store; undefined where no other process writes to it. */
  readonly shared: ChargeRecords | undefined;

  /** @param parts the storage of the server, and its randomness; absent for a controller alone */
  constructor(parts?: { readonly storage: Storage; readonly entropy: Entropy }) {
    if (parts?.storage.isShared === true) this.shared = new ChargeRecords(parts.storage, parts.entropy, LIFETIME_MS);
  }

  /** Runs work on the quotas of a namespace when all earlier work on them has ended. */
  inTurn<Result>(namespace: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#turns.get(namespace) ?? Promise.resolve();
    const turn = before.then(work, work);
    const ended = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#turns.set(namespace, ended);
    void ended.then(() => this.#turns.get(namespace) === ended && this.#turns.delete(namespace));
    return turn;
  }

  /**
   * Notes what an object takes from a quota.
   *
   * @param quota uid of the quota
   * @param uid uid of the object
   * @returns a function that drops the charge; a promise of it where the charge is a record
   */
  add(quota: string, uid: string, amounts: Amounts, nowMs: number): (() => void) | Promise<() => void> {
    if (this.shared !== undefined) return this.shared.add(quota, amounts);
    const charge: Charge = { uid, amounts, atMs: nowMs };
    const known = this.#charges.get(quota) ?? new Set<Charge>();
    this.#charges.set(quota, known.add(charge));
    return () => this.#drop(quota, charge);
  }

  /** Drops the charges for an object, which the controller counts from now on. */
  confirm(uid: string): void {
    for (const [quota, charges] of this.#charges)
      for (const charge of charges) if (charge.uid === uid) this.#drop(quota, charge);
  }

  /** Returns what this server has taken from a quota and its controller has not counted yet. */
  pending(quota: string, nowMs: number): Amounts {
    const sum = new Map<string, Quantity>();
    for (const charge of this.#charges.get(quota) ?? [])
      if (nowMs - charge.atMs > LIFETIME_MS) this.#drop(quota, charge);
      else addAmounts(sum, charge.amounts);
    return sum;
  }

  /** Forgets a quota that is gone. */
  forget(quota: string): void {
    this.#charges.delete(quota);
  }

  #drop(quota: string, charge: Charge): void {
    const charges = this.#charges.get(quota);
    if (charges?.delete(charge) === true && charges.size === 0) this.#charges.delete(quota);
  }
}
