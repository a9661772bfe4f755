import { definedOnly, formatTime, type ApiObject, type Entropy, type StoredObject } from '../../foundation/index.js';
import { ClusterRole, ClusterRoleBinding, ClusterTrustBundle, Role, RoleBinding } from '../../kinds/index.js';
import type { Catalogue, ResourceDefinition, ResourceStore } from '../../registry/index.js';
import {
  AGGREGATION_MANAGER,
  aggregateRules,
  defaultRbacPolicy,
  isBindingObject,
  isRoleObject,
  pageRbacPolicy,
  reconcileBinding,
  reconcileRole,
  sameRules,
  type BindingObject,
  type ClusterRoleObject,
  type DefaultObject,
  type DefaultPolicy,
  type Reconciliation,
} from '../../security/index.js';
import { isOvertaken, type StorageRecord } from '../../storage/index.js';

/** The catalogue that stores the policy, and the source of uids. */
interface PolicyParts {
  readonly catalogue: Catalogue;
  readonly entropy: Entropy;
}

/** The default objects of one kind, and their comparison with the stored objects. */
interface DefaultKind {
  readonly definition: ResourceDefinition;
  readonly expected: readonly ApiObject[];
  readonly isKind: (object: object) => boolean;
  reconcile(existing: StoredObject | undefined, expected: ApiObject): Reconciliation<ApiObject>;
}

/**
 * Creates the default roles and bindings, and restores changed ones, unless their annotation disables automatic updates
 * (conventions.md, "Authorization": RBAC additional rules).
 *
 * Writes directly to the stores, as for the system namespaces, because a new server must create about a hundred objects
 * within a few milliseconds.
 *
 * @throws StorageError when reading or writing fails
 */
export async function ensureDefaultPolicy(parts: PolicyParts): Promise<void> {
  const { catalogue } = parts;
  const served = { clusterTrustBundles: catalogue.serves(ClusterTrustBundle) };
  await ensurePolicy(parts, defaultRbacPolicy(catalogue.environment.dialect, served));
}

/** Does the same for the roles and bindings of the page. @throws StorageError when reading or writing fails */
export const ensurePagePolicy = (parts: PolicyParts): Promise<void> =>
  ensurePolicy(parts, pageRbacPolicy(parts.catalogue.environment.dialect));

async function ensurePolicy(parts: PolicyParts, policy: DefaultPolicy): Promise<void> {
  const { dialect } = parts.catalogue.environment;
  // Stored objects of these kinds were validated when they were written, so they have these types.
  const role: DefaultKind['reconcile'] = (existing, expected) =>
    reconcileRole(existing as RoleLike | undefined, withoutAggregatedRules(expected as RoleLike, existing), dialect);
  const binding: DefaultKind['reconcile'] = (existing, expected) =>
    reconcileBinding(existing as BindingLike | undefined, expected as BindingLike, dialect);
  const defaults: readonly DefaultKind[] = [
    {
      definition: ClusterRole,
      expected: aggregated(policy.clusterRoles).map(asApiObject),
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
  for (const kind of defaults) await ensureKind(parts, kind);
}

/**
 * Returns the roles with the aggregated rules that the aggregation controller would set. Repeats until nothing changes,
 * because an aggregated role can select another one.
 */
function aggregated(roles: DefaultPolicy['clusterRoles']): DefaultPolicy['clusterRoles'] {
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

/** Removes the rules of an aggregated role that is already stored: the aggregation controller sets them. */
function withoutAggregatedRules(expected: RoleLike, existing: StoredObject | undefined): RoleLike {
  if (existing === undefined || expected.aggregationRule === undefined) return expected;
  const { rules: _rules, ...rest } = expected;
  return rest;
}

async function ensureKind(parts: PolicyParts, { definition, expected, isKind, reconcile }: DefaultKind): Promise<void> {
  if (expected.length === 0) return;
  const store = parts.catalogue.store(definition);
  const { records } = await store.environment.storage.list(store.info.keyPrefix);
  const existing = new Map(records.map((record) => [record.key, record]));
  // Concurrent writes share the wait for the disk.
  await Promise.all(
    expected.map(async (object) => {
      const key = store.info.key(object.metadata.namespace ?? '', object.metadata.name ?? '');
      const record = existing.get(key);
      // An unreadable object is never overwritten. It grants nothing; MirroredPolicy logs it.
      if (record !== undefined && (store.problemOf(record) !== undefined || !isKind(store.read(record)))) return;
      const { operation, object: wanted } = reconcile(record === undefined ? undefined : store.read(record), object);
      if (operation !== 'none') await ignoringConflicts(() => write(parts, store, operation, record, wanted));
    }),
  );
}

/** Without its policy the server would refuse even those who could make room in a full storage. */
const ALWAYS = { growthWhenFull: Infinity };

async function write(
  parts: PolicyParts,
  store: ResourceStore,
  operation: string,
  record: StorageRecord | undefined,
  wanted: ApiObject,
): Promise<void> {
  if (record !== undefined && operation === 'update') {
    await store.writes.overwrite(record, { ...wanted, metadata: { ...wanted.metadata } }, ALWAYS);
    return;
  }
  if (record !== undefined) {
    const last = store.read(record);
    await store.writes.erase(record, { ...last, metadata: { ...last.metadata } });
  }
  await store.writes.insert(
    store.info.key(wanted.metadata.namespace ?? '', wanted.metadata.name ?? ''),
    created(parts, wanted),
    ALWAYS,
  );
}

/**
 * Runs a write, and ignores a conflict: another server on the same storage has then written the same default object.
 *
 * @throws StorageError for any other failure
 */
async function ignoringConflicts(attempt: () => Promise<void>): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    if (!isOvertaken(error)) throw error;
  }
}

/** Returns an object in the form that a create through the API would store. */
function created({ catalogue, entropy }: PolicyParts, wanted: ApiObject): ApiObject {
  const { dialect, clock } = catalogue.environment;
  const { kind, apiVersion, metadata, ...rest } = wanted;
  const time = formatTime(clock.now());
  const record = (manager: string, operation: string, fieldsV1: OwnedFields): object => ({
    ...{ manager, operation, apiVersion, time, fieldsType: 'FieldsV1', fieldsV1 },
  });
  const fields = Object.keys(rest).sort();
  // The rules that the controller of aggregated roles would set are there from the start.
  const hasItsRules = fields.includes('aggregationRule') && fields.includes('rules');
  const own = hasItsRules ? fields.filter((field) => field !== 'rules') : fields;
  const managedFields = [
    ...(hasItsRules ? [record(AGGREGATION_MANAGER, 'Apply', { 'f:rules': {} })] : []),
    record(dialect.apiServerName, 'Update', ownedFields(metadata, own)),
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

/** Returns the fields that the creator owns: each label and annotation, and the given top-level fields as a whole. */
function ownedFields(metadata: object, fields: readonly string[]): OwnedFields {
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
    fields.map((field) => [`f:${field}`, field === 'aggregationRule' ? { '.': {}, 'f:clusterRoleSelectors': {} } : {}]),
  );
  return {
    'f:metadata': Object.fromEntries(meta.sort().map(([field, map]) => [`f:${field}`, keys(map as object)])),
    ...own,
  };
}
