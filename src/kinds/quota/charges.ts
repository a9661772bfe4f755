import type { Entropy, Quantity } from '../../foundation/index.js';
import type { Storage } from '../../storage/index.js';
import { addAmounts, type Amounts } from './amounts.js';
import { ChargeRecords } from './charge-records.js';

/** The amounts that a request has taken from a quota, until the controller counts the object itself. */
interface Charge {
  /** Uid of the quota. */
  readonly quota: string;
  /** Uid of the object. */
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
  /** The same, by object. */
  readonly #byObject = new Map<string, Set<Charge>>();
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
   * Notes what objects take from a quota.
   *
   * @param quota uid of the quota
   * @param taking uid of each object, and what it takes
   * @returns a function for each object that drops its charge; a promise of them where the charges are a record, which
   *   goes with the last of them
   */
  add(
    quota: string,
    taking: readonly { readonly uid: string; readonly amounts: Amounts }[],
    nowMs: number,
  ): readonly (() => void)[] | Promise<readonly (() => void)[]> {
    if (this.shared !== undefined) return sharedDrops(this.shared, quota, taking);
    return taking.map(({ uid, amounts }) => {
      const charge: Charge = { quota, uid, amounts, atMs: nowMs };
      addTo(this.#charges, quota, charge);
      addTo(this.#byObject, uid, charge);
      return () => this.#drop(charge);
    });
  }

  /** Drops the charges for an object, which the controller counts from now on. */
  confirm(uid: string): void {
    for (const charge of this.#byObject.get(uid) ?? []) this.#drop(charge);
  }

  /** Returns what this server has taken from a quota and its controller has not counted yet. */
  pending(quota: string, nowMs: number): Amounts {
    const sum = new Map<string, Quantity>();
    for (const charge of this.#charges.get(quota) ?? [])
      if (nowMs - charge.atMs > LIFETIME_MS) this.#drop(charge);
      else addAmounts(sum, charge.amounts);
    return sum;
  }

  /** Forgets a quota that is gone. */
  forget(quota: string): void {
    for (const charge of this.#charges.get(quota) ?? []) this.#drop(charge);
  }

  #drop(charge: Charge): void {
    removeFrom(this.#charges, charge.quota, charge);
    removeFrom(this.#byObject, charge.uid, charge);
  }
}

/** Notes the sum of what objects take as one record, which goes when nothing of it is in flight any more. */
async function sharedDrops(
  records: ChargeRecords,
  quota: string,
  taking: readonly { readonly amounts: Amounts }[],
): Promise<readonly (() => void)[]> {
  const sum = new Map<string, Quantity>();
  for (const { amounts } of taking) addAmounts(sum, amounts);
  const remove = await records.add(quota, sum);
  const left = new Set(taking);
  return taking.map((one) => () => {
    if (left.delete(one) && left.size === 0) remove();
  });
}

function addTo(all: Map<string, Set<Charge>>, key: string, charge: Charge): void {
  const known = all.get(key);
  if (known === undefined) all.set(key, new Set([charge]));
  else known.add(charge);
}

function removeFrom(all: Map<string, Set<Charge>>, key: string, charge: Charge): void {
  const known = all.get(key);
  if (known?.delete(charge) === true && known.size === 0) all.delete(key);
}
