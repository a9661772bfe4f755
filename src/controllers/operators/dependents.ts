import type { Client } from '../../client/index.js';
import { shown } from '../../foundation/index.js';
import { controllerReference, type Owner } from '../runtime/controller-ref.js';
import { ignoring } from '../runtime/failures.js';
import { objectKey, type InformedObject } from '../runtime/informer-cache.js';
import type { AnyObject } from '../runtime/served-kinds.js';
import type { Intent } from './intent.js';
import type { RunCaches } from './run-caches.js';
import type { Followed } from './own-calls.js';
import { isSameKind, kindOf, resourceOf, type KindLike } from '../runtime/sources.js';

/** The parts that dependents are written with. */
export interface DependentWriter {
  readonly client: Client;
  readonly owner: Owner & AnyObject;
  /** Name of the controller. */
  readonly manager: string;
  readonly caches: RunCaches;
}

/**
 * Applies an object with its controller, in the controller's namespace unless it says another.
 *
 * @throws TypeError for an object that its controller cannot own; ApiError as apply does
 */
export function applyDependent(
  { client, owner }: DependentWriter,
  kind: KindLike,
  object: InformedObject,
): Promise<AnyObject> {
  const intended = dependentOf(owner, kind, object);
  const { namespace = '' } = intended.metadata;
  const resource = resourceOf(client, kind).namespace(namespace);
  return resource.apply(intended, { force: true });
}

/** Returns an object with its namespace and the reference to its controller. @throws TypeError */
function dependentOf(owner: Owner & AnyObject, kind: KindLike, object: InformedObject): InformedObject {
  const metadata: unknown = typeof object === 'object' && object !== null ? object.metadata : undefined;
  if (typeof metadata !== 'object' || metadata === null || typeof object.metadata.name !== 'string')
    throw new TypeError(
      `apply: a ${kind.kind} must have a metadata.name, so that a second run finds it, got ${shown(metadata)}`,
    );
  const { namespace: ownerNamespace } = owner.metadata;
  const isClusterScoped = 'scope' in kind && kind.scope === 'Cluster';
  const namespace = isClusterScoped ? undefined : (object.metadata.namespace ?? ownerNamespace);
  if (ownerNamespace !== undefined && ownerNamespace !== '' && namespace !== ownerNamespace)
    throw new TypeError(
      `apply: ${owner.kind} ${objectKey(owner)} cannot own ${kind.kind} ${namespace === undefined ? '' : `${namespace}/`}${object.metadata.name}: an owner with a namespace owns objects in that namespace only`,
    );
  const place = namespace === undefined ? {} : { namespace };
  return {
    ...object,
    metadata: { ...object.metadata, ...place, ownerReferences: [controllerReference(owner)] },
  };
}

/**
 * Applies objects, then deletes the other objects of the owned kinds that the owner controls and the manager has applied.
 *
 * @throws as {@link applyDependent}; TypeError for a kind that is not owned
 */
export async function applyExactly(
  writer: DependentWriter,
  owns: readonly Followed[],
  intents: readonly Intent[],
): Promise<void> {
  const { owner } = writer;
  for (const { kind, object } of intents) {
    if (!owns.some(({ source }) => isSameKind(kindOf(source), kind)))
      throw new TypeError(`applyExactly: the option owns of the controller does not name ${kind.kind}`);
    dependentOf(owner, kind, object);
  }
  const wanted = new Set<string>();
  for (const { kind, object } of intents) {
    const applied = await applyDependent(writer, kind, object);
    wanted.add(applied.metadata.uid ?? '');
  }
  for (const { source } of owns) {
    for (const object of writer.caches.owned(source, owner)) {
      if (wanted.has(object.metadata.uid ?? '') || !isAppliedBy(object, writer.manager)) continue;
      await deleteDependent(writer.client, kindOf(source), object);
    }
  }
}

const isAppliedBy = ({ metadata }: AnyObject, manager: string): boolean =>
  metadata.managedFields?.some((entry) => entry.manager === manager && entry.operation === 'Apply') === true;

async function deleteDependent(client: Client, kind: KindLike, { metadata }: AnyObject): Promise<void> {
  if (metadata.deletionTimestamp !== undefined) return;
  const { name = '', namespace = '', uid, resourceVersion } = metadata;
  const deletion = resourceOf(client, kind)
    .namespace(namespace)
    .delete(name, { preconditions: { uid, resourceVersion }, propagationPolicy: 'Background' });
  await ignoring(deletion, 'NotFound');
}
