/**
 * The quotas of namespaces: a create takes what its object uses from the status of the quotas that count it, and is
 * refused when a quota has not enough left. Creates that come at the same time are checked together.
 *
 * @see release 1.31, pkg/admission/plugin/resourcequota of the module apiserver
 * @module
 */
import {
  ApiError,
  appendTo,
  errors,
  shareTurn,
  visitInTurns,
  within,
  type Clock,
  type Dialect,
} from '../../../foundation/index.js';
import {
  addAmounts,
  claimEvaluator,
  objectCounts,
  podEvaluator,
  requirementsOf,
  ResourceQuota,
  serviceEvaluator,
  type Amounts,
  type MeasuredObject,
  type QuotaCharges,
  type QuotaEvaluator,
  type ScopeRequirement,
} from '../../../kinds/index.js';
import type { AdmissionAttributes, AdmissionPlugin, Catalogue } from '../../../registry/index.js';
import { StorageError } from '../../../storage/index.js';
import { admissionRefusal } from '../../refusal.js';
import type { MirroredKind } from '../mirrored-kind.js';
import { FoundQuota, less, type Quota } from './found-quota.js';
import { NamespaceBatches } from './namespace-batches.js';
import { PendingCharge, type Measure, type Taken } from './pending-charge.js';
import type { LimitedResource, LimitedScope } from './quota-options.js';
import { concernsQuotas } from './resource-quota-scope.js';

/** Longest time for the check of a request, in milliseconds, as in Kubernetes. */
const EVALUATION_MS = 10_000;
/** Maximum number of writes to a quota that another server's writes may make fail. */
const MAX_CONFLICTS = 32;

/**
 * Number of quotas that are written at the same time: an engine makes the writes of one turn durable together, and each
 * takes a part of the turn.
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
  /** The measures of the kinds that quotas only count. */
  readonly #counts = new WeakMap<object, Measure>();
  /** The resources that quotas limit, by their `status.hard`: they are listed once for all requests. */
  readonly #limits = new WeakMap<object, readonly string[]>();
  readonly #charging: NamespaceBatches<PendingCharge>;
  /** The parts that requests have taken whose objects were not stored. */
  readonly #returning: NamespaceBatches<readonly Taken[]>;

  constructor(parts: ResourceQuotaParts) {
    this.#parts = parts;
    const { dialect, charges } = parts;
    this.#measures = new Map([
      ['pods', { evaluator: typed(podEvaluator(dialect)), updates: false }],
      ['services', { evaluator: typed(serviceEvaluator), updates: true }],
      ['persistentvolumeclaims', { evaluator: typed(claimEvaluator(dialect)), updates: true }],
    ]);
    this.#charging = new NamespaceBatches(charges, (namespace, batch) => this.#charge(namespace, batch));
    this.#returning = new NamespaceBatches(charges, (namespace, taken) => this.#giveBack(namespace, taken.flat()));
  }

  /** @throws ApiError 403 when a quota does not allow the request, 500 when the check takes too long */
  check(attributes: AdmissionAttributes): Promise<void> | undefined {
    const { quotas, clock, limited } = this.#parts;
    const { namespace, operation, info } = attributes;
    if (!concernsQuotas(attributes, quotas, limited)) return undefined;
    const measure = this.#measureOf(info);
    if (operation === 'UPDATE' && !measure.updates) return undefined;
    const isMeasured = quotas.in(namespace).some((quota) => this.#isMeasuredBy(measure, quota));
    if (!isMeasured && !limited.some((one) => canConcern(one, info))) return undefined;
    return within(
      clock,
      EVALUATION_MS,
      async (signal) => {
        const charge = new PendingCharge(attributes, measure, clock.now(), signal);
        try {
          await this.#charging.add(namespace, charge);
          charge.throwIfOver();
        } catch (error) {
          // Its batch has failed, or its time was over when the batch had ended.
          const left = charge.taken.splice(0);
          if (left.length > 0) await this.#returning.add(namespace, left);
          throw error;
        }
        if (charge.taken.length > 0) this.#keepUntilWritten(charge);
      },
      () => errors.internal('resource quota evaluation timed out'),
    );
  }

  #measureOf(info: AdmissionAttributes['info']): Measure {
    const special = info.group === '' ? this.#measures.get(info.resource) : undefined;
    let measure = special ?? this.#counts.get(info);
    if (measure === undefined) {
      measure = { evaluator: objectCounts(info.group, info.resource), updates: false };
      this.#counts.set(info, measure);
    }
    return measure;
  }

  /** Returns whether a quota limits what the objects of a kind use. */
  #isMeasuredBy({ evaluator }: Measure, { status }: Quota): boolean {
    const { hard } = status ?? {};
    if (hard === undefined) return false;
    let names = this.#limits.get(hard);
    if (names === undefined) this.#limits.set(hard, (names = Object.keys(hard)));
    return names.some((name) => evaluator.measures(name));
  }

  /**
   * Takes what each request of a batch uses from all quotas that count it, or from none. A request that a quota does not
   * allow is refused; the others go on.
   */
  async #charge(namespace: string, batch: readonly PendingCharge[]): Promise<void> {
    const { quotas } = this.#parts;
    let names: readonly string[] = quotas.in(namespace).map(({ metadata }) => metadata.name ?? '');
    for (let attempt = 0; attempt === 0 || names.length > 0; attempt += 1) {
      const open = batch.filter(({ isOver }) => !isOver);
      if (open.length === 0) break;
      const found = await this.#found(namespace, names);
      for (const charge of open) {
        try {
          if (attempt > MAX_CONFLICTS) throw errors.modified({ group: '', resource: 'resourcequotas' }, names[0] ?? '');
          // A quota that another write has changed meanwhile still covers what it covered.
          await this.#takeFrom(found, charge, attempt === 0);
        } catch (error) {
          charge.refuse(error);
        }
      }
      names = await this.#writeAll(found);
    }
    const refused = batch.filter(({ isOver }) => isOver).flatMap(({ taken }) => taken.splice(0));
    await this.#giveBack(namespace, refused);
  }

  async #found(namespace: string, names: readonly string[]): Promise<FoundQuota[]> {
    const store = this.#parts.catalogue.store(ResourceQuota);
    const found: FoundQuota[] = [];
    for (const name of names) {
      const turn = shareTurn();
      if (turn !== undefined) await turn;
      const quota = await FoundQuota.find(store, namespace, name);
      if (quota !== undefined) found.push(quota);
    }
    return found;
  }

  /**
   * Notes what a request takes from quotas, if all of them have it.
   *
   * @throws ApiError 403 when one of them has not enough left, when the object does not say what it uses, or when the
   *   usage of a quota is not known yet
   */
  async #takeFrom(found: readonly FoundQuota[], charge: PendingCharge, mustCover: boolean): Promise<void> {
    const { attributes } = charge;
    const counting = new Map<FoundQuota, Amounts>();
    await visitInTurns(found, (one) => {
      const requested = one.requestedBy(charge);
      if (requested !== undefined) counting.set(one, requested);
    });
    if (mustCover) this.#requireCover(charge, found, counting);
    await visitInTurns(counting, ([one, requested]) => one.refuseExcess(attributes, requested));
    if (attributes.dryRun) return;
    for (const [one, requested] of counting) if (requested.size > 0) one.take({ charge, requested });
  }

  /**
   * Refuses an object that uses something which only a quota allows, when no quota of the namespace covers it.
   *
   * @throws ApiError 403 for a resource; 500 for a scope, as in Kubernetes
   */
  #requireCover(
    { attributes, measure, usages }: PendingCharge,
    found: readonly FoundQuota[],
    counting: ReadonlyMap<FoundQuota, Amounts>,
  ): void {
    const { evaluator } = measure;
    const { limited } = this.#parts;
    const { object, info } = attributes;
    if (limited.length === 0 || object === undefined) return;
    const delta = new Map(usages.now);
    addAmounts(delta, less(usages.before));
    if (![...delta.values()].some(({ unscaled }) => unscaled > 0n)) return;
    const covered = new Set([...counting.keys()].flatMap((one) => one.measuredBy(measure)));
    const bare = limitedUsage(
      usages.now,
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
   * Writes each quota once for all that take from it. A quota that cannot be written refuses them.
   *
   * @returns the names of the quotas that another write has changed meanwhile
   */
  async #writeAll(found: readonly FoundQuota[]): Promise<readonly string[]> {
    const changed: string[] = [];
    const write = async (one: FoundQuota): Promise<void> => {
      try {
        if (!(await this.#write(one))) changed.push(one.name);
      } catch (error) {
        for (const { charge } of one.parts) charge.refuse(error);
      }
    };
    const taking = found.filter(({ parts }) => parts.length > 0);
    for (let from = 0; from < taking.length; from += WRITTEN_TOGETHER)
      await Promise.all(taking.slice(from, from + WRITTEN_TOGETHER).map(write));
    return changed;
  }

  /** Writes a quota and notes what was taken from it. Returns false when another write has changed it. */
  async #write(one: FoundQuota): Promise<boolean> {
    const { charges, clock, catalogue } = this.#parts;
    const { parts, name } = one;
    const taking = parts.map(({ charge, requested }) => ({
      uid: charge.attributes.object?.metadata.uid ?? '',
      amounts: requested,
    }));
    const adding = charges.add(one.quota.metadata.uid ?? '', taking, clock.now());
    const drops = adding instanceof Promise ? await adding : adding;
    try {
      await one.write(catalogue.store(ResourceQuota));
    } catch (error) {
      for (const drop of drops) drop();
      if (isChanged(error)) return false;
      throw error;
    }
    parts.forEach(({ charge, requested }, index) => {
      charge.taken.push({ name, requested, drop: drops[index] ?? (() => undefined) });
    });
    return true;
  }

  /** Keeps what was taken when the object is stored, and gives it back when it is not. */
  #keepUntilWritten({ attributes: { onFinish, namespace }, taken }: PendingCharge): void {
    const { charges } = this.#parts;
    onFinish?.(async (outcome) => {
      if (outcome === 'refused') await this.#returning.add(namespace, taken).catch(() => undefined);
      else if (!charges.isConfirmed || charges.shared !== undefined) for (const { drop } of taken) drop();
    });
  }

  /** Gives back what was taken: each quota is written once. */
  async #giveBack(namespace: string, taken: readonly Taken[]): Promise<void> {
    const byName = new Map<string, Taken[]>();
    for (const one of taken) appendTo(byName, one.name, one);
    for (const [name, ofQuota] of byName) {
      await this.#giveBackTo(namespace, name, ofQuota);
      for (const { drop } of ofQuota) drop();
    }
  }

  async #giveBackTo(namespace: string, name: string, taken: readonly Taken[]): Promise<void> {
    const store = this.#parts.catalogue.store(ResourceQuota);
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      try {
        const found = await FoundQuota.find(store, namespace, name);
        if (found === undefined) return;
        for (const { requested } of taken) found.add(less(requested));
        await found.write(store);
        return;
      } catch (error) {
        // Another write was faster. After any other failure the controller's next calculation corrects the quota.
        if (!(error instanceof StorageError) || error.code !== 'Conflict') return;
      }
    }
  }
}

/** Returns whether a write failed since another one was faster. */
const isChanged = (error: unknown): boolean =>
  error instanceof StorageError && (error.code === 'Conflict' || error.code === 'KeyNotFound');

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

/** Returns an evaluator for objects whose kind the caller has checked. */
function typed<Item extends MeasuredObject>(evaluator: QuotaEvaluator<Item>): QuotaEvaluator;
function typed(evaluator: QuotaEvaluator): QuotaEvaluator {
  return evaluator;
}
