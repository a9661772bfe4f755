/**
 * The quotas of namespaces: a create takes what its object uses from the status of the quotas that count it, and is
 * refused when a quota has not enough left.
 *
 * @see release 1.31, pkg/admission/plugin/resourcequota of the module apiserver
 * @module
 */
import {
  ApiError,
  compareQuantities,
  errors,
  formatQuantity,
  within,
  type ApiObject,
  type Clock,
  type Dialect,
  type Quantity,
  type StoredObject,
} from '../../../foundation/index.js';
import {
  addAmounts,
  amountOf,
  claimEvaluator,
  countOf,
  isCounted,
  negated,
  objectCounts,
  podEvaluator,
  requirementsOf,
  ResourceQuota,
  serviceEvaluator,
  sumOf,
  type Amounts,
  type MeasuredObject,
  type QuotaCharges,
  type QuotaEvaluator,
  type ScopeRequirement,
} from '../../../kinds/index.js';
import type { AdmissionAttributes, AdmissionPlugin, Catalogue, ObjectOf } from '../../../registry/index.js';
import { StorageError, type StorageRecord } from '../../../storage/index.js';
import { admissionRefusal } from '../../refusal.js';
import type { MirroredKind } from '../mirrored-kind.js';
import type { LimitedResource, LimitedScope } from './quota-options.js';
import { concernsQuotas } from './resource-quota-scope.js';

type Quota = ObjectOf<typeof ResourceQuota>;

const ZERO = countOf(0);

/** Longest time for the check of a request, in milliseconds, as in Kubernetes. */
const EVALUATION_MS = 10_000;
/** Maximum number of writes to a quota that another server's writes may make fail. */
const MAX_CONFLICTS = 32;

/**
 * Number of quotas that a request takes from at the same time: an engine makes the writes of one turn durable together, and
 * each takes a part of the turn.
 */
const WRITTEN_TOGETHER = 16;

/** The parts that the plugin needs. */
export interface ResourceQuotaParts {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly catalogue: Catalogue;
  readonly quotas: MirroredKind<Quota>;
  readonly charges: QuotaCharges;
  /** The resources that are refused without a quota that covers them. */
  readonly limited: readonly LimitedResource[];
}

/** Measures the objects of a kind. */
interface Measure {
  readonly evaluator: QuotaEvaluator;
  /** Whether an update can change what an object uses. */
  readonly updates: boolean;
}

/** A quota, as stored. */
interface FoundQuota {
  readonly record: StorageRecord;
  readonly quota: Quota;
  /** The amounts that a request takes from it; undefined when it does not count the object of the request. */
  readonly requested: Amounts | undefined;
}

/** A quota that counts the object of a request. */
interface Counting extends FoundQuota {
  readonly requested: Amounts;
}

/** The amounts that a request has taken from a quota. */
interface Taken {
  readonly name: string;
  readonly requested: Amounts;
  readonly drop: () => void;
}

/** Creates the plugin. */
export function resourceQuota(parts: ResourceQuotaParts): AdmissionPlugin {
  const admission = new QuotaAdmission(parts);
  return {
    name: 'ResourceQuota',
    operations: ['CREATE', 'UPDATE'],
    validate: (attributes) => admission.check(attributes),
  };
}

class QuotaAdmission {
  readonly #parts: ResourceQuotaParts;
  readonly #measures: ReadonlyMap<string, Measure>;
  /** The resources that quotas limit, by their `status.hard`: they are listed once for all requests. */
  readonly #limits = new WeakMap<object, readonly string[]>();

  constructor(parts: ResourceQuotaParts) {
    this.#parts = parts;
    const { dialect } = parts;
    this.#measures = new Map([
      ['pods', { evaluator: typed(podEvaluator(dialect)), updates: false }],
      ['services', { evaluator: typed(serviceEvaluator), updates: true }],
      ['persistentvolumeclaims', { evaluator: typed(claimEvaluator(dialect)), updates: true }],
    ]);
  }

  /** @throws ApiError 403 when a quota does not allow the request, 500 when the check takes too long */
  check(attributes: AdmissionAttributes): Promise<void> | undefined {
    const { quotas, charges, clock, limited } = this.#parts;
    const { namespace, operation, info } = attributes;
    if (!concernsQuotas(attributes, quotas, limited)) return undefined;
    const measure = this.#measureOf(info);
    if (operation === 'UPDATE' && !measure.updates) return undefined;
    const isMeasured = quotas.in(namespace).some((quota) => this.#measuredBy(measure, quota).length > 0);
    if (!isMeasured && !limited.some((one) => canConcern(one, info))) return undefined;
    return within(
      clock,
      EVALUATION_MS,
      (signal) => charges.inTurn(namespace, () => this.#charge(attributes, measure, signal)),
      () => errors.internal('resource quota evaluation timed out'),
    );
  }

  #measureOf({ group, resource }: AdmissionAttributes['info']): Measure {
    const special = group === '' ? this.#measures.get(resource) : undefined;
    return special ?? { evaluator: objectCounts(group, resource), updates: false };
  }

  /** Returns the resources of a quota that the objects of a kind use. */
  #measuredBy({ evaluator }: Measure, { status }: Quota): string[] {
    const { hard } = status ?? {};
    if (hard === undefined) return [];
    let names = this.#limits.get(hard);
    if (names === undefined) this.#limits.set(hard, (names = Object.keys(hard)));
    return names.filter((name) => evaluator.measures(name));
  }

  /** Takes what the request uses from all quotas that count it, or from none. */
  async #charge(attributes: AdmissionAttributes, measure: Measure, signal: AbortSignal): Promise<void> {
    const { quotas } = this.#parts;
    const { namespace, dryRun } = attributes;
    const taken: Taken[] = [];
    try {
      let names: readonly string[] = quotas.in(namespace).map(({ metadata }) => metadata.name ?? '');
      for (let attempt = 0; attempt === 0 || names.length > 0; attempt += 1) {
        if (attempt > MAX_CONFLICTS) throw errors.modified({ group: '', resource: 'resourcequotas' }, names[0] ?? '');
        const found = await this.#found(attributes, measure, names);
        // A quota that another write has changed meanwhile still covers what it covered.
        if (attempt === 0) this.#requireCover(attributes, measure, found);
        const counting = found.flatMap(({ record, quota, requested }) =>
          requested === undefined || requested.size === 0 ? [] : [{ record, quota, requested }],
        );
        for (const { quota, requested } of counting) refuseExcess(attributes, quota, requested);
        if (dryRun) return;
        names = await this.#takeAll(attributes, counting, taken);
        // Nobody waits for the result any more.
        signal.throwIfAborted();
      }
    } catch (error) {
      await this.#giveBack(namespace, taken);
      throw error;
    }
    if (taken.length > 0) this.#keepUntilWritten(attributes, taken);
  }

  /**
   * Returns quotas of the namespace, with what the request takes from them.
   *
   * @throws ApiError 403 when the object does not say what it uses, or the usage of a quota is not known yet
   */
  async #found(attributes: AdmissionAttributes, measure: Measure, names: readonly string[]): Promise<FoundQuota[]> {
    const store = this.#parts.catalogue.store(ResourceQuota);
    const found: FoundQuota[] = [];
    for (const name of names) {
      const record = await store.find(attributes.namespace, name);
      if (record === undefined) continue;
      const quota = quotaOf(store.read(record));
      found.push({ record, quota, requested: this.#requested(attributes, measure, quota) });
    }
    return found;
  }

  /**
   * Refuses an object that uses something which only a quota allows, when no quota of the namespace covers it.
   *
   * @throws ApiError 403 for a resource; 500 for a scope, as in Kubernetes
   */
  #requireCover(attributes: AdmissionAttributes, measure: Measure, found: readonly FoundQuota[]): void {
    const { evaluator } = measure;
    const { limited, clock } = this.#parts;
    const { object, oldObject, info } = attributes;
    if (limited.length === 0 || object === undefined) return;
    const usage = evaluator.usage(object, clock.now());
    const delta = new Map(usage);
    if (oldObject !== undefined)
      addAmounts(
        delta,
        new Map([...evaluator.usage(oldObject, clock.now())].map(([key, used]) => [key, negated(used)])),
      );
    if (![...delta.values()].some(({ unscaled }) => unscaled > 0n)) return;
    const covered = new Set(
      found.flatMap(({ quota, requested }) => (requested === undefined ? [] : this.#measuredBy(measure, quota))),
    );
    const bare = limitedUsage(
      usage,
      limited.filter((one) => isOfKind(one, info)),
    ).filter((name) => !covered.has(name));
    if (bare.length > 0) throw admissionRefusal(attributes, `insufficient quota to consume: ${bare.sort().join(',')}`);
    const isIn = (scope: ScopeRequirement): boolean => evaluator.isInScope(object, scope);
    const coveredScopes = new Set(
      found.flatMap(({ quota }) =>
        requirementsOf(quota.spec ?? {})
          .filter(isIn)
          .map(({ scopeName }) => scopeName),
      ),
    );
    const bareScopes = limited
      .flatMap(({ matchScopes = [] }) => matchScopes)
      .filter((scope) => isIn(scope) && !coveredScopes.has(scope.scopeName));
    if (bareScopes.length > 0)
      throw new ApiError({
        message: `insufficient quota to match these scopes: [${bareScopes.map(scopeText).join(' ')}]`,
        code: 500,
      });
  }

  /**
   * Returns what a request takes from a quota; undefined when the quota does not count its object.
   *
   * @throws ApiError 403 when the object does not say what it uses, or the quota's usage is not known yet
   */
  #requested(attributes: AdmissionAttributes, measure: Measure, quota: Quota): Amounts | undefined {
    const { evaluator } = measure;
    const { object, oldObject } = attributes;
    const nowMs = this.#parts.clock.now();
    const { name = '' } = quota.metadata;
    const names = this.#measuredBy(measure, quota);
    if (object === undefined || names.length === 0 || !isCounted(evaluator, object, quota.spec ?? {})) return undefined;
    const problem = evaluator.refusal?.(object, names);
    if (problem !== undefined) throw admissionRefusal(attributes, `failed quota: ${name}: ${problem}`);
    if (names.some((resource) => quota.status?.used?.[resource] === undefined))
      throw admissionRefusal(
        attributes,
        `status unknown for quota: ${name}, resources: ${[...names].sort().join(',')}`,
      );
    const usage = new Map(evaluator.usage(object, nowMs));
    const negative = [...usage].filter(([, amount]) => amount.unscaled < 0n).map(([resource]) => resource);
    if (negative.length > 0)
      throw admissionRefusal(attributes, `quota usage is negative for resource(s): ${negative.sort().join(',')}`);
    if (oldObject !== undefined && isCounted(evaluator, oldObject, quota.spec ?? {}))
      addAmounts(usage, new Map([...evaluator.usage(oldObject, nowMs)].map(([key, used]) => [key, negated(used)])));
    const hard = quota.status?.hard ?? {};
    return new Map([...usage].filter(([resource, { unscaled }]) => unscaled > 0n && hard[resource] !== undefined));
  }

  /** Takes what a request needs from quotas. Returns the names of those that another write has changed meanwhile. */
  async #takeAll(
    { object }: AdmissionAttributes,
    counting: readonly Counting[],
    taken: Taken[],
  ): Promise<readonly string[]> {
    const { charges, clock } = this.#parts;
    const changed: string[] = [];
    const take = async ({ record, quota, requested }: Counting): Promise<void> => {
      const { name = '', uid = '' } = quota.metadata;
      const adding = charges.add(uid, object?.metadata.uid ?? '', requested, clock.now());
      const drop = adding instanceof Promise ? await adding : adding;
      try {
        await this.#write(record, quota, requested);
        taken.push({ name, requested, drop });
      } catch (error) {
        drop();
        if (!(error instanceof StorageError) || (error.code !== 'Conflict' && error.code !== 'KeyNotFound'))
          throw error;
        changed.push(name);
      }
    };
    for (let from = 0; from < counting.length; from += WRITTEN_TOGETHER) {
      const outcomes = await Promise.allSettled(counting.slice(from, from + WRITTEN_TOGETHER).map(take));
      // The amounts that the others have taken are known by then, and are given back.
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    }
    return changed;
  }

  /** Adds amounts to the usage of a quota. @throws StorageError `Conflict` when another write has changed it */
  async #write(record: StorageRecord, quota: Quota, more: Amounts): Promise<void> {
    // Only what the request takes is read and written: a quota may have a hundred thousand amounts.
    const used = { ...quota.status?.used };
    for (const [name, amount] of more) {
      const sum = sumOf(amountOf(used, name) ?? { ...ZERO, format: amount.format }, amount);
      used[name] = formatQuantity(sum.unscaled < 0n ? { ...sum, unscaled: 0n } : sum);
    }
    const status = { ...quota.status, used };
    const changed: ApiObject = { ...quota, metadata: { ...quota.metadata }, status };
    await this.#parts.catalogue.store(ResourceQuota).writes.overwrite(record, changed);
  }

  /** Keeps what was taken when the object is stored, and gives it back when it is not. */
  #keepUntilWritten({ onFinish, namespace }: AdmissionAttributes, taken: readonly Taken[]): void {
    const { charges } = this.#parts;
    onFinish?.(async (outcome) => {
      if (outcome === 'refused') {
        await charges.inTurn(namespace, () => this.#giveBack(namespace, taken)).catch(() => undefined);
      } else if (!charges.isConfirmed || charges.shared !== undefined) for (const { drop } of taken) drop();
    });
  }

  async #giveBack(namespace: string, taken: readonly Taken[]): Promise<void> {
    const store = this.#parts.catalogue.store(ResourceQuota);
    for (const { name, requested, drop } of taken) {
      const back = new Map([...requested].map(([resource, amount]) => [resource, negated(amount)]));
      for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
        const record = await store.find(namespace, name);
        if (record === undefined) break;
        try {
          await this.#write(record, quotaOf(store.read(record)), back);
          break;
        } catch (error) {
          // Another write was faster. After any other failure the controller's next calculation corrects the quota.
          if (!(error instanceof StorageError) || error.code !== 'Conflict') break;
        }
      }
      drop();
    }
  }
}

const isOfKind = (limited: LimitedResource, { group, resource }: AdmissionAttributes['info']): boolean =>
  (limited.apiGroup ?? '') === group && limited.resource === resource;

/** Only pods have scopes; they count whatever kind the entry names, as in Kubernetes. */
const canConcern = (limited: LimitedResource, info: AdmissionAttributes['info']): boolean =>
  isOfKind(limited, info) || (info.group === '' && info.resource === 'pods' && (limited.matchScopes ?? []).length > 0);

/** Returns the names of the used resources that are limited. */
function limitedUsage(usage: Amounts, limited: readonly LimitedResource[]): string[] {
  const parts = limited.flatMap(({ matchContains = [] }) => matchContains);
  return [...usage].flatMap(([name, { unscaled }]) =>
    unscaled > 0n && parts.some((part) => name.includes(part)) ? [name] : [],
  );
}

/** Returns a scope as Kubernetes prints it: `{PriorityClass In [high low]}`. */
const scopeText = ({ scopeName, operator, values = [] }: LimitedScope): string =>
  `{${scopeName} ${operator} [${values.join(' ')}]}`;

/** @throws ApiError 403 when a quota has not enough left */
function refuseExcess(attributes: AdmissionAttributes, { metadata, status }: Quota, requested: Amounts): void {
  const { hard, used } = status ?? {};
  const exceeded = [...requested].flatMap(([name, amount]) => {
    const limit = amountOf(hard, name);
    return limit !== undefined && compareQuantities(sumOf(amountOf(used, name) ?? ZERO, amount), limit) > 0
      ? [name]
      : [];
  });
  if (exceeded.length === 0) return;
  const shown = (amountOfName: (name: string) => Quantity | undefined): string =>
    exceeded
      .sort()
      .map((name) => `${name}=${formatQuantity(amountOfName(name) ?? ZERO)}`)
      .join(',');
  const texts = {
    requested: shown((name) => requested.get(name)),
    used: shown((name) => amountOf(used, name)),
    limited: shown((name) => amountOf(hard, name)),
  };
  throw admissionRefusal(
    attributes,
    `exceeded quota: ${metadata.name ?? ''}, requested: ${texts.requested}, used: ${texts.used}, limited: ${texts.limited}`,
  );
}

/** Returns an evaluator for objects whose kind the caller has checked. */
function typed<Item extends MeasuredObject>(evaluator: QuotaEvaluator<Item>): QuotaEvaluator;
function typed(evaluator: QuotaEvaluator): QuotaEvaluator {
  return evaluator;
}

/** Returns a stored quota with its type, which validation has ensured. */
function quotaOf(object: StoredObject): Quota;
function quotaOf(object: StoredObject): StoredObject {
  return object;
}
