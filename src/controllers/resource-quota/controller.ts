import { compareQuantity, equalJson, setOwnMember, shareTurn, visitInTurns } from '../../foundation/index.js';
import { QuotaCharges, QuotaLedger, ResourceQuota, type Amounts } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import type { ControllerHost } from '../runtime/controller-host.js';
import { joined, withoutWait, type Controller } from '../runtime/controller.js';
import { ignoring } from '../runtime/failures.js';
import { byNamespace, objectKey } from '../runtime/informer-cache.js';
import type { Informer } from '../runtime/informer.js';
import type { Reconciler } from '../runtime/keyed-reconciler.js';
import { reconciler } from '../runtime/reconciler.js';
import { routine } from '../runtime/routine.js';
import type { ServedKinds } from '../runtime/served-kinds.js';
import { TrackedKinds, type TrackedKind } from './tracked-kinds.js';

/** Options of {@link resourceQuotaController}. */
export interface ResourceQuotaOptions extends ControllerHost {
  readonly kinds: ServedKinds;
  /** The amounts that admission has taken from the quotas; default none. */
  readonly charges?: QuotaCharges | undefined;
}

type Quota = ObjectOf<typeof ResourceQuota>;

const BY_NAMESPACE = 'byNamespace';
/** Time between two full calculations, as in Kubernetes: it finds what no event reports. */
const RESYNC_MS = 5 * 60 * 1000;
/** Time after which a quota is calculated again from which requests in flight may have taken something. */
const IN_FLIGHT_MS = 1000;
/** Maximum number of quotas that are calculated at a time, as in Kubernetes. */
const CONCURRENCY = 5;

/** A quota, what its objects use, and the kinds of these objects. */
interface Account {
  readonly spec: Quota['spec'];
  readonly ledger: QuotaLedger;
  /** The kinds whose objects are known. */
  readonly kinds: readonly TrackedKind[];
}

/**
 * Keeps the status of quotas: what the objects of their namespaces use. An event changes the share of its object alone;
 * every five minutes everything is calculated again.
 */
export function resourceQuotaController(options: ResourceQuotaOptions): Controller {
  const { kinds, informers, charges = new QuotaCharges() } = options;
  charges.isConfirmed = true;
  const name = 'resourcequota';
  const quotas = informers.of(ResourceQuota);
  quotas.addIndex(BY_NAMESPACE, byNamespace);
  const accounts = new QuotaAccounts(options, charges, (key) => void calculated.add(key));
  const { tracked } = accounts;
  const calculated: Reconciler = reconciler(options, {
    name,
    queue: 'resourcequota_primary',
    concurrency: CONCURRENCY,
    kind: ResourceQuota,
    informers: () => Array.from(tracked.all, ({ informer }) => withoutWait(informer)),
    deleted(quota) {
      accounts.forget(objectKey(quota));
      charges.forget(quota.metadata.uid ?? '');
    },
    reconcile: async (quota, { key, requeueAfter }) => {
      if (await accounts.reconcile(key, quota)) requeueAfter(IN_FLIGHT_MS);
    },
  });
  const resyncs = routine(options, {
    name,
    firstMs: RESYNC_MS,
    async run({ requeueAfter }) {
      requeueAfter(RESYNC_MS);
      await tracked.prune();
      for (const key of Array.from(quotas.values(), objectKey)) {
        accounts.forget(key);
        calculated.add(key);
      }
    },
  });
  kinds.onChange(() => void resyncs.run());
  const controller = joined(name, calculated, resyncs);
  return { ...controller, stopped: () => void (charges.isConfirmed = false) };
}

/** Counts what quotas limit, and writes their status. */
class QuotaAccounts {
  readonly tracked: TrackedKinds;
  readonly #host: ControllerHost;
  readonly #charges: QuotaCharges;
  readonly #quotas: Informer<Quota>;
  readonly #again: (key: string) => void;
  readonly #accounts = new Map<string, Account>();

  /** @param again calculates a quota again */
  constructor(options: ResourceQuotaOptions, charges: QuotaCharges, again: (key: string) => void) {
    this.#host = options;
    this.#charges = charges;
    this.#quotas = options.informers.of(ResourceQuota);
    this.#again = again;
    this.tracked = new TrackedKinds({
      ...options,
      changed: (kind, namespace, key) => this.#changed(kind, namespace, key),
      seen: (uid) => charges.confirm(uid),
    });
  }

  forget(key: string): void {
    this.#accounts.delete(key);
  }

  /** Takes in a change of an object, and calculates the quotas again that it concerns. */
  #changed(kind: TrackedKind, namespace: string, key: string): void {
    let usage: ReturnType<TrackedKind['usageOf']> | undefined;
    for (const quota of this.#quotas.find(BY_NAMESPACE, namespace)) {
      const account = this.#accounts.get(objectKey(quota));
      if (account?.kinds.includes(kind) !== true) continue;
      usage ??= kind.usageOf(key, this.#host.clock.now());
      if (measure(account, kind, key, usage)) this.#again(objectKey(quota));
    }
  }

  /** @returns whether requests in flight may have taken something, which the next calculation knows */
  async reconcile(key: string, quota: Quota): Promise<boolean> {
    const account = await this.#accountOf(key, quota);
    return this.#charges.inTurn(quota.metadata.namespace ?? '', () => this.#write(key, account));
  }

  /** Calculates what all objects of a namespace use. Changes meanwhile are part of the result. */
  async #calculate(account: Account, namespace: string): Promise<void> {
    for (const kind of account.kinds) {
      for (const key of kind.keysIn(namespace)) {
        const turn = shareTurn();
        if (turn !== undefined) await turn;
        measure(account, kind, key, kind.usageOf(key, this.#host.clock.now()));
      }
    }
  }

  async #accountOf(key: string, quota: Quota): Promise<Account> {
    const known = this.#accounts.get(key);
    const { spec } = quota;
    if (known !== undefined && equalJson({ ...known.spec }, { ...spec })) return known;
    const wanted = await this.tracked.of(Object.keys(spec?.hard ?? {}));
    const account = { spec, ledger: new QuotaLedger(), kinds: wanted.filter(({ informer }) => informer.isSynced) };
    for (const kind of wanted) if (!account.kinds.includes(kind)) void this.#recalculateLater(key, account, kind);
    // The quota may be gone since the kinds are watched.
    if (this.#quotas.get(key) !== undefined) this.#accounts.set(key, account);
    await this.#calculate(account, quota.metadata.namespace ?? '');
    return account;
  }

  /** Calculates a quota again when a kind that it counts can be listed: until then, its resources keep their status. */
  async #recalculateLater(key: string, account: Account, { informer }: TrackedKind): Promise<void> {
    await informer.synced();
    if (this.#accounts.get(key) !== account) return;
    this.#accounts.delete(key);
    this.#again(key);
  }

  /**
   * Writes the status of a quota. Admission of this server takes nothing from the quotas of the namespace meanwhile. If
   * another server does, the quota has another version, and the write is refused.
   */
  async #write(key: string, account: Account): Promise<boolean> {
    const quota = this.#quotas.get(key);
    if (quota === undefined) return false;
    const { uid = '' } = quota.metadata;
    let status = await statusOf(quota, account, this.#charges.pending(uid, this.#host.clock.now()));
    if (await isCurrent(quota.status, status)) return false;
    const inFlight = await this.#inFlight(uid, account);
    if (inFlight !== undefined) {
      status = await statusWith(quota, await statusOf(quota, account), account, inFlight);
      if (await isCurrent(quota.status, status)) return inFlight.size > 0;
    }
    const { namespace = '' } = quota.metadata;
    const writing = this.#host.client
      .resource(ResourceQuota)
      .namespace(namespace)
      .updateStatus({ ...quota, status });
    // The event of another change runs the quota again.
    await ignoring(writing, 'NotFound', 'Conflict');
    return inFlight !== undefined && inFlight.size > 0;
  }

  /**
   * Returns what requests of the servers that share the store may have taken from a quota; undefined for a server alone.
   * The objects of requests that have ended before the call are counted when it resolves.
   */
  async #inFlight(uid: string, { kinds }: Account): Promise<Amounts | undefined> {
    const { shared } = this.#charges;
    if (shared === undefined) return undefined;
    const pending = await shared.pending(uid);
    await Promise.all(kinds.map(({ informer }) => informer.caughtUpOrFailing()));
    return pending;
  }
}

/** Takes in what an object uses of a quota. Returns whether the total may have changed. */
const measure = (
  { ledger, spec = {} }: Account,
  { id }: TrackedKind,
  key: string,
  usageOf: ReturnType<TrackedKind['usageOf']>,
): boolean => ledger.set(`${id}:${key}`, usageOf(spec));

/**
 * Returns whether it is known what the objects use of a resource. Not while its kind cannot be read, as without the key of
 * one of the objects: what admission has written then counts more than an old copy.
 */
const isMeasured = ({ kinds }: Account, name: string): boolean =>
  kinds.some((kind) => !kind.informer.isFailing && kind.measures(name));

/** Returns the status: resources that nothing measures keep what was known of them. */
async function statusOf(
  { spec, status }: Quota,
  account: Account,
  taken?: Amounts,
): Promise<NonNullable<Quota['status']>> {
  const hard = spec?.hard ?? {};
  const used: Record<string, string> = {};
  await visitInTurns(Object.keys(hard), (name) => {
    const amount = isMeasured(account, name) ? account.ledger.used(name, taken) : status?.used?.[name];
    if (amount !== undefined) setOwnMember(used, name, amount);
  });
  return { hard, used };
}

/**
 * Returns the status while requests are in flight, of which nobody knows yet whether their objects are counted: a usage
 * between the one without them and the one with them stays, and any other becomes the one with them. So nothing is given
 * away that a request has taken.
 */
async function statusWith(
  { status }: Quota,
  { hard = {}, used = {} }: NonNullable<Quota['status']>,
  account: Account,
  inFlight: Amounts,
): Promise<NonNullable<Quota['status']>> {
  const most: Record<string, string> = {};
  await visitInTurns(Object.keys(used), (name) => {
    const [now, least = '0'] = [status?.used?.[name], used[name]];
    if (!inFlight.has(name) || !isMeasured(account, name)) return setOwnMember(most, name, least);
    const highest = account.ledger.used(name, inFlight);
    const isBetween = now !== undefined && isAtMost(least, now) && isAtMost(now, highest);
    setOwnMember(most, name, isBetween ? now : highest);
  });
  return { hard, used: most };
}

const isAtMost = (amount: string, limit: string): boolean => (compareQuantity(amount, limit) ?? 1) <= 0;

async function isCurrent(now: Quota['status'], wanted: NonNullable<Quota['status']>): Promise<boolean> {
  return (await isSame(now?.hard, wanted.hard)) && (await isSame(now?.used, wanted.used));
}

/** Compares amounts by value. Absent amounts differ from none. */
async function isSame(
  a: Readonly<Record<string, string>> | undefined,
  b: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const names = Object.keys(b);
  if (a === undefined) return names.length === 0;
  let isEqual = names.length === Object.keys(a).length;
  if (isEqual)
    await visitInTurns(names, (name) => {
      const [one, other] = [a[name], b[name]];
      isEqual &&= one !== undefined && other !== undefined && (one === other || compareQuantity(one, other) === 0);
    });
  return isEqual;
}
