import type { Client } from '../../client/index.js';
import type { Clock } from '../../meta/clock.js';
import { messageOf } from '../../meta/error-message.js';
import type { Dialect } from '../../names/dialect.js';
import { withCondition } from '../../resources/apiextensions/conditions.js';
import { cleanupFinalizer } from '../../resources/apiextensions/strategy.js';
import { CustomResourceDefinition } from '../../resources/index.js';
import type { ServedKind, ServedKinds } from '../served-kinds.js';
import { hasSameCondition, isCondition, writeConditions, type Condition, type Definition } from './definition.js';

/** The state of a definition after an attempt to delete its objects. */
export interface DeletionOutcome {
  readonly definition: Definition;
  /** Condition of the completed deletion. */
  readonly condition: Condition;
  /** Set while objects remain: their kind. */
  readonly left: ServedKind | undefined;
}

const terminating = (status: string, reason: string, message: string): Condition => ({
  type: 'Terminating',
  status,
  reason,
  message,
});

/** Returns whether a deleted definition waits for the deletion of its objects. */
export const isFinalizing = ({ metadata }: Definition, dialect: Dialect): boolean =>
  metadata.finalizers?.includes(cleanupFinalizer(dialect)) === true;

/**
 * Deletes the objects of a definition.
 *
 * @throws when objects could not be deleted; the condition of the definition then says why
 */
export async function deleteInstances(
  client: Client,
  kinds: ServedKinds,
  clock: Clock,
  definition: Definition,
): Promise<DeletionOutcome> {
  const begun = terminating('True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress');
  const current = hasSameCondition(definition, begun)
    ? definition
    : await writeConditions(client, definition, [begun], clock.now());
  const kind = kinds.all.find(
    ({ group, resource }) => group === current.spec.group && resource === current.status.acceptedNames.plural,
  );
  if (kind === undefined || !isCondition(current, 'Established', 'True')) {
    const condition = terminating('False', 'NeverEstablished', 'resource was never established');
    return { definition: current, condition, left: undefined };
  }
  try {
    await kind.client.deleteCollection({ propagationPolicy: 'Background' });
    const { items } = await kind.client.list({ limit: 1 });
    const condition = terminating('False', 'InstanceDeletionCompleted', 'removed all instances');
    return { definition: current, condition, left: items.length === 0 ? undefined : kind };
  } catch (error) {
    const failed = terminating('True', 'InstanceDeletionFailed', `could not issue all deletes: ${messageOf(error)}`);
    await writeConditions(client, current, [failed], clock.now());
    throw error;
  }
}

/** Removes the finalizer of a definition without objects, so that the definition goes. */
export async function finishDeletion(
  client: Client,
  dialect: Dialect,
  clock: Clock,
  { definition, condition }: DeletionOutcome,
): Promise<void> {
  const finalizer = cleanupFinalizer(dialect);
  const { metadata, status } = definition;
  await client.resource(CustomResourceDefinition).updateSubresource('status', {
    ...definition,
    metadata: { ...metadata, finalizers: (metadata.finalizers ?? []).filter((name) => name !== finalizer) },
    status: { ...status, conditions: withCondition(status.conditions, condition, clock.now()) },
  });
}
