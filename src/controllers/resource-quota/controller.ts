import type { Client } from '../../client/index.js';
import {
  compareQuantity,
  equalJson,
  setOwnMember,
  shareTurn,
  visitInTurns,
  type Clock,
  type Dialect,
} from '../../foundation/index.js';
import { QuotaCharges, QuotaLedger, ResourceQuota, type Amounts } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import { withoutWait, type Controller } from '../runtime/controller.js';
import { hasReason } from '../runtime/failures.js';
import { byNamespace, objectKey } from '../runtime/informer-cache.js';
import type { ServedKinds } from '../runtime/served-kinds.js';
import type { SharedInformers } from '../runtime/shared-informers.js';
import { WorkQueue } from '../runtime/work-queue.js';
import { TrackedKinds, type TrackedKind } from './tracked-kinds.js';

/** Options of {@link resourceQuotaController}. */
export interface ResourceQuotaOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly informers: SharedInformers;
  readonly kinds: ServedKinds;
  /** The amounts that admission has taken from the quotas; default none. */
  readonly charges?: QuotaCharges | undefined;
  readonly onError: (error: unknown) => void;
}

type Quota = ObjectOf<typeof ResourceQuota>;

const BY_NAMESPACE = 'byNamespace';
/** Time between two full calculations, as in Kubernetes: it finds what no event reports. */
const RESYNC_MS = 5 * 60 * 1000;
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
  const { client, clock, kinds, onError, charges = new QuotaCharges() } = options;
  charges.isConfirmed = true;
  const quotas = options.informers.of(ResourceQuota);
  quotas.addIndex(BY_NAMESPACE, byNamespace);
  const accounts = new Map<string, Account>();
  const tracked = new TrackedKinds({ ...options, changed, seen: (uid) => charges.confirm(uid) });
  const queue = new WorkQueue<string>({
    name: 'resourcequota_primary',
    clock,
    process,
    concurrency: CONCURRENCY,
    onError: (_key, error) => onError(error),
  });
  const resyncs = new WorkQueue<'resync'>({ clock, process: resync, onError: (_key, error) => onError(error) });
  quotas.subscribe({
    added: (quota) => void queue.add(objectKey(quota)),
    updated: (quota) => void queue.add(objectKey(quota)),
    deleted: (quota) => {
      accounts.delete(objectKey(quota));
      charges.forget(quota.metadata.uid ?? '');
    },
  });
  kinds.onChange(() => void resyncs.add('resync'));
  resyncs.addAfter('resync', RESYNC_MS);

  function changed(kind: TrackedKind, namespace: string, key: string): void {
    for (const quota of quotas.find(BY_NAMESPACE, namespace)) {
      const account = accounts.get(objectKey(quota));
      if (account?.kinds.includes(kind) === true && measure(account, kind, key)) queue.add(objectKey(quota));
    }
  }

  const measure = ({ ledger, spec = {} }: Account, kind: TrackedKind, key: string): boolean =>
    ledger.set(`${kind.id}:${key}`, kind.usage(key, spec, clock.now()));

  /** Calculates what all objects of a namespace use. Changes meanwhile are part of the result. */
  async function calculate(account: Account, namespace: string): Promise<void> {
    for (const kind of account.kinds) {
      for (const key of kind.keysIn(namespace)) {
        const turn = shareTurn();
        if (turn !== undefined) await turn;
        measure(account, kind, key);
      }
    }
  }

  async function accountOf(quota: Quota): Promise<Account> {
    const key = objectKey(quota);
    const known = accounts.get(key);
    const { spec } = quota;
    if (known !== undefined && equalJson({ ...known.spec }, { ...spec })) return known;
    const wanted = await tracked.of(Object.keys(spec?.hard ?? {}));
    const account = { spec, ledger: new QuotaLedger(), kinds: wanted.filter(({ informer }) => informer.isSynced) };
    for (const kind of wanted) if (!account.kinds.includes(kind)) void recalculateLater(key, account, kind);
    // The quota may be gone since the kinds are watched.
    if (quotas.get(key) !== undefined) accounts.set(key, account);
    await calculate(account, quota.metadata.namespace ?? '');
    return account;
  }

  /** Calculates a quota again when a kind that it counts can be listed: until then, its resources keep their status. */
  async function recalculateLater(key: string, account: Account, { informer }: TrackedKind): Promise<void> {
    await informer.synced();
    if (accounts.get(key) !== account) return;
    accounts.delete(key);
    queue.add(key);
  }

  async function process(key: string): Promise<void> {
    const quota = quotas.get(key);
    if (quota === undefined) return;
    const account = await accountOf(quota);
    await charges.inTurn(quota.metadata.namespace ?? '', () => write(key, account));
  }

  /** Writes the status of a quota. Admission takes nothing from the quotas of the namespace meanwhile. */
  async function write(key: string, account: Account): Promise<void> {
    const quota = quotas.get(key);
    if (quota === undefined) return;
    const status = await statusOf(quota, account, charges.pending(quota.metadata.uid ?? '', clock.now()));
    if (await isCurrent(quota.status, status)) return;
    const { namespace = '' } = quota.metadata;
    try {
      await client
        .resource(ResourceQuota)
        .namespace(namespace)
        .updateStatus({ ...quota, status });
    } catch (error) {
      // The event of the other change enqueues the quota again.
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
    }
  }

  async function resync(): Promise<void> {
    resyncs.addAfter('resync', RESYNC_MS);
    await tracked.prune();
    for (const quota of [...quotas.values()]) {
      accounts.delete(objectKey(quota));
      queue.add(objectKey(quota));
    }
  }

  return {
    name: 'resourcequota',
    informers: () => [quotas, ...[...tracked.all].map(({ informer }) => withoutWait(informer))],
    queues: [queue, resyncs],
  };
}

/** Returns the status: resources that nothing measures keep what was known of them. */
async function statusOf(
  { spec, status }: Quota,
  { ledger, kinds }: Account,
  taken: Amounts,
): Promise<NonNullable<Quota['status']>> {
  const hard = spec?.hard ?? {};
  const used: Record<string, string> = {};
  await visitInTurns(Object.keys(hard), (name) => {
    const amount = kinds.some((kind) => kind.measures(name)) ? ledger.used(name, taken) : status?.used?.[name];
    if (amount !== undefined) setOwnMember(used, name, amount);
  });
  return { hard, used };
}

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
