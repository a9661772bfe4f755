import {
  aggregateRules,
  defaultRbacPolicy,
  isBindingObject,
  isRoleObject,
  reconcileBinding,
  reconcileRole,
  sameRules,
  type BindingObject,
  type ClusterRoleObject,
  type DefaultObject,
  type DefaultPolicy,
  type Reconciliation,
} from '../authz/rbac/index.js';
import type { Entropy } from '../meta/clock.js';
import { definedOnly } from '../meta/defined-only.js';
import type { ApiObject, StoredObject } from '../meta/object.js';
import { formatTime } from '../meta/time.js';
import type { Catalogue } from '../registry/catalogue.js';
import type { ResourceDefinition } from '../registry/definition.js';
import type { ResourceStore } from '../registry/store.js';
import { ClusterRole, ClusterRoleBinding, ClusterTrustBundle, Role, RoleBinding } from '../resources/index.js';
import { StorageError, type StorageRecord } from '../storage/index.js';

/** Where the policy is made, and the source of its uids. */
interface PolicyPlace {
  readonly catalogue: Catalogue;
  readonly entropy: Entropy;
}

/** The objects of one kind, and how one that is there is compared with what is expected of it. */
interface Part {
  readonly definition: ResourceDefinition;
  readonly expected: readonly ApiObject[];
  readonly isKind: (object: object) => boolean;
  reconcile(existing: StoredObject | undefined, expected: ApiObject): Reconciliation<ApiObject>;
}

/**
 * Makes the roles and bindings that every server has, and mends those that somebody changed, unless their annotation says
 * that they are to be left alone (conventions.md, "Authorization": RBAC additional rules).
 *
 * Written below the API, like the system namespaces: a new server has to have a hundred of them within a few milliseconds.
 */
export async function ensureDefaultPolicy(place: PolicyPlace): Promise<void> {
  const { catalogue } = place;
  const { dialect } = catalogue.environment;
  const policy = defaultRbacPolicy(dialect, { clusterTrustBundles: catalogue.serves(ClusterTrustBundle) });
  // Stored objects of these kinds have the shapes that are compared: they were validated when they were written.
  const role: Part['reconcile'] = (existing, expected) =>
    reconcileRole(existing as RoleLike | undefined, withoutSum(expected as RoleLike, existing), dialect);
  const binding: Part['reconcile'] = (existing, expected) =>
    reconcileBinding(existing as BindingLike | undefined, expected as BindingLike, dialect);
  const parts: readonly Part[] = [
    {
      definition: ClusterRole,
      expected: summed(policy.clusterRoles).map(asApiObject),
      isKind: isRoleObject,
      reconcile: role,
    },
    {
      definition: ClusterRoleBinding,
      expected: policy.clusterRoleBindings.map(asApiObject),
      isKind: isBindingObject,
      reconcile: binding,
    },
    { definition: Role, expected: policy.roles.map(asApiObject), isKind: isRoleObject, reconcile: role },
    {
      definition: RoleBinding,
      expected: policy.roleBindings.map(asApiObject),
      isKind: isBindingObject,
      reconcile: binding,
    },
  ];
  for (const part of parts) await ensurePart(place, part);
}

/** The roles with their sums as the controller of these will have them: a sum may be part of another. */
function summed(roles: DefaultPolicy['clusterRoles']): DefaultPolicy['clusterRoles'] {
  for (let present = roles; ;) {
    const known = present;
    const next = known.map((role) => ({ ...role, rules: aggregateRules(role, known) ?? role.rules ?? [] }));
    if (next.every((role, index) => sameRules(role.rules, known[index]?.rules))) return next;
    present = next;
  }
}

type RoleLike = ApiObject & ClusterRoleObject;
type BindingLike = ApiObject & BindingObject;

function asApiObject({ metadata, ...object }: DefaultObject<string, object>): ApiObject {
  const { namespace, labels, annotations, name } = metadata;
  return {
    ...object,
    metadata: definedOnly({
      name,
      namespace,
      labels: labels && { ...labels },
      annotations: annotations && { ...annotations },
    }),
  };
}

/** The rules of a sum that is there already are its controller's business. */
function withoutSum(expected: RoleLike, existing: StoredObject | undefined): RoleLike {
  if (existing === undefined || expected.aggregationRule === undefined) return expected;
  const { rules: _rules, ...rest } = expected;
  return rest;
}

async function ensurePart(place: PolicyPlace, { definition, expected, isKind, reconcile }: Part): Promise<void> {
  const store = place.catalogue.store(definition);
  const { records } = await store.environment.storage.list(store.info.keyPrefix);
  const existing = new Map(records.map((record) => [record.key, record]));
  // All at once: each write waits for the disk of an engine that has one, and they can wait together.
  await Promise.all(
    expected.map(async (object) => {
      const key = store.info.key(object.metadata.namespace ?? '', object.metadata.name ?? '');
      const record = existing.get(key);
      // One that cannot be read is never written over. It grants nothing, which is reported by what follows the policy.
      if (record !== undefined && (store.problemOf(record) !== undefined || !isKind(store.read(record)))) return;
      const { operation, object: wanted } = reconcile(record === undefined ? undefined : store.read(record), object);
      if (operation !== 'none') await orLeft(() => write(place, store, operation, record, wanted));
    }),
  );
}

async function write(
  place: PolicyPlace,
  store: ResourceStore,
  operation: string,
  record: StorageRecord | undefined,
  wanted: ApiObject,
): Promise<void> {
  if (record !== undefined && operation === 'update') {
    await store.overwrite(record, { ...wanted, metadata: { ...wanted.metadata } });
    return;
  }
  if (record !== undefined) {
    const last = store.read(record);
    await store.erase(record, { ...last, metadata: { ...last.metadata } });
  }
  await store.insert(
    store.info.key(wanted.metadata.namespace ?? '', wanted.metadata.name ?? ''),
    created(place, wanted),
  );
}

/** Somebody else wrote the object meanwhile: another server on the same storage, which expects the same. */
async function orLeft(attempt: () => Promise<void>): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    if (!(error instanceof StorageError) || !LOST_RACES.has(error.code)) throw error;
  }
}

const LOST_RACES: ReadonlySet<string> = new Set(['KeyExists', 'Conflict', 'KeyNotFound']);

/** An object as creating it through the API leaves it. */
function created({ catalogue, entropy }: PolicyPlace, wanted: ApiObject): ApiObject {
  const { dialect, clock } = catalogue.environment;
  const { kind, apiVersion, metadata, ...rest } = wanted;
  const time = formatTime(clock.now());
  const managedFields = [
    {
      manager: dialect.apiServerName,
      operation: 'Update',
      apiVersion,
      time,
      fieldsType: 'FieldsV1',
      fieldsV1: ownedFields(metadata, rest),
    },
  ];
  return {
    kind,
    apiVersion,
    metadata: { ...metadata, uid: entropy.uuid(), creationTimestamp: time, managedFields },
    ...('roleRef' in rest ? {} : { rules: null }),
    ...rest,
  };
}

type OwnedFields = { readonly [field: string]: OwnedFields };

/** What the creator owns: labels and annotations key by key, and every other field as a whole. */
function ownedFields(metadata: object, rest: object): OwnedFields {
  const keys = (map: object): OwnedFields => ({
    '.': {},
    ...Object.fromEntries(
      Object.keys(map)
        .sort()
        .map((key) => [`f:${key}`, {}]),
    ),
  });
  const meta = Object.entries(metadata).filter(([field]) => field === 'labels' || field === 'annotations');
  const own = Object.fromEntries(
    Object.keys(rest)
      .sort()
      .map((field) => [`f:${field}`, field === 'aggregationRule' ? { '.': {}, 'f:clusterRoleSelectors': {} } : {}]),
  );
  return {
    'f:metadata': Object.fromEntries(meta.sort().map(([field, map]) => [`f:${field}`, keys(map as object)])),
    ...own,
  };
}
