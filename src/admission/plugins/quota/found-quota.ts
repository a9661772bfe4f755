import {
  compareQuantities,
  formatQuantity,
  type ApiObject,
  type Quantity,
  type StoredObject,
} from '../../../foundation/index.js';
import {
  addAmounts,
  amountOf,
  countOf,
  isCounted,
  negated,
  sumOf,
  type Amounts,
  type ResourceQuota,
} from '../../../kinds/index.js';
import type { AdmissionAttributes, ObjectOf, ResourceStore } from '../../../registry/index.js';
import type { StorageRecord } from '../../../storage/index.js';
import { admissionRefusal } from '../../refusal.js';
import type { Measure, PendingCharge } from './pending-charge.js';

/** A quota with its type. */
export type Quota = ObjectOf<typeof ResourceQuota>;

const ZERO = countOf(0);

/** The part of a quota that a request takes. */
export interface Part {
  readonly charge: PendingCharge;
  readonly requested: Amounts;
}

/** A stored quota, and what the requests of a batch take from it. */
export class FoundQuota {
  readonly quota: Quota;
  readonly #record: StorageRecord;
  readonly #measured = new Map<Measure, readonly string[]>();
  readonly #more = new Map<string, Quantity>();
  readonly parts: Part[] = [];

  private constructor(record: StorageRecord, quota: Quota) {
    this.#record = record;
    this.quota = quota;
  }

  /** Reads a quota; undefined when it is gone. */
  static async find(store: ResourceStore, namespace: string, name: string): Promise<FoundQuota | undefined> {
    const record = await store.find(namespace, name);
    return record === undefined ? undefined : new FoundQuota(record, quotaOf(store.read(record)));
  }

  get name(): string {
    return this.quota.metadata.name ?? '';
  }

  /** Returns the resources of the quota that the objects of a kind use. */
  measuredBy(measure: Measure): readonly string[] {
    let names = this.#measured.get(measure);
    if (names === undefined) {
      names = Object.keys(this.quota.status?.hard ?? {}).filter((name) => measure.evaluator.measures(name));
      this.#measured.set(measure, names);
    }
    return names;
  }

  /**
   * Returns what a request takes from the quota; undefined when the quota does not count its object.
   *
   * @throws ApiError 403 when the object does not say what it uses, or the quota's usage is not known yet
   */
  requestedBy({ attributes, measure, usages }: PendingCharge): Amounts | undefined {
    const { evaluator } = measure;
    const { object, oldObject } = attributes;
    const { status, spec = {} } = this.quota;
    const names = this.measuredBy(measure);
    if (object === undefined || names.length === 0 || !isCounted(evaluator, object, spec)) return undefined;
    const problem = evaluator.refusal?.(object, names);
    if (problem !== undefined) throw admissionRefusal(attributes, `failed quota: ${this.name}: ${problem}`);
    if (names.some((resource) => status?.used?.[resource] === undefined))
      throw admissionRefusal(
        attributes,
        `status unknown for quota: ${this.name}, resources: ${[...names].sort().join(',')}`,
      );
    const usage = new Map(usages.now);
    const negative = [...usage].filter(([, amount]) => amount.unscaled < 0n).map(([resource]) => resource);
    if (negative.length > 0)
      throw admissionRefusal(attributes, `quota usage is negative for resource(s): ${negative.sort().join(',')}`);
    if (oldObject !== undefined && isCounted(evaluator, oldObject, spec)) addAmounts(usage, less(usages.before));
    const hard = status?.hard ?? {};
    return new Map([...usage].filter(([resource, { unscaled }]) => unscaled > 0n && hard[resource] !== undefined));
  }

  /** @throws ApiError 403 when the quota has not enough left, after what the batch takes already */
  refuseExcess(attributes: AdmissionAttributes, requested: Amounts): void {
    const { hard } = this.quota.status ?? {};
    const exceeded = [...requested].flatMap(([name, amount]) => {
      const limit = amountOf(hard, name);
      return limit !== undefined && compareQuantities(sumOf(this.#used(name), amount), limit) > 0 ? [name] : [];
    });
    if (exceeded.length === 0) return;
    const shown = (amountOfName: (name: string) => Quantity | undefined): string =>
      exceeded
        .sort()
        .map((name) => `${name}=${formatQuantity(amountOfName(name) ?? ZERO)}`)
        .join(',');
    const texts = {
      requested: shown((name) => requested.get(name)),
      used: shown((name) => this.#used(name)),
      limited: shown((name) => amountOf(hard, name)),
    };
    throw admissionRefusal(
      attributes,
      `exceeded quota: ${this.name}, requested: ${texts.requested}, used: ${texts.used}, limited: ${texts.limited}`,
    );
  }

  /** Adds what a request takes to what the next {@link write} writes. */
  take(part: Part): void {
    this.parts.push(part);
    this.add(part.requested);
  }

  /** Adds amounts to what the next {@link write} writes. */
  add(amounts: Amounts): void {
    addAmounts(this.#more, amounts);
  }

  /** Writes the usage. @throws StorageError `Conflict` when another write has changed the quota */
  async write(store: ResourceStore): Promise<void> {
    // Only what the requests take is read and written: a quota may have a hundred thousand amounts.
    const used = { ...this.quota.status?.used };
    for (const name of this.#more.keys()) {
      const sum = this.#used(name);
      used[name] = formatQuantity(sum.unscaled < 0n ? { ...sum, unscaled: 0n } : sum);
    }
    const status = { ...this.quota.status, used };
    const changed: ApiObject = { ...this.quota, metadata: { ...this.quota.metadata }, status };
    await store.writes.overwrite(this.#record, changed);
  }

  /** Returns what is used of a resource, with what the batch takes. */
  #used(name: string): Quantity {
    const now = amountOf(this.quota.status?.used, name);
    const more = this.#more.get(name);
    if (more === undefined) return now ?? ZERO;
    return sumOf(now ?? { ...ZERO, format: more.format }, more);
  }
}

/** Returns amounts with the opposite signs. */
export const less = (amounts: Amounts): Amounts =>
  new Map([...amounts].map(([name, amount]) => [name, negated(amount)]));

/** Returns a stored quota with its type, which validation has ensured. */
function quotaOf(object: StoredObject): Quota;
function quotaOf(object: StoredObject): StoredObject {
  return object;
}
