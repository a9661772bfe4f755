import type { Client } from '../../client/index.js';
import type { Clock } from '../../meta/clock.js';
import type { Dialect } from '../../names/dialect.js';
import { CustomResourceDefinition } from '../../resources/index.js';
import type { Controller } from '../controller.js';
import { hasReason, retryOnConflict } from '../failures.js';
import { Informer } from '../informer.js';
import { RemainingContent } from '../namespace/remaining-content.js';
import type { ServedKinds } from '../served-kinds.js';
import { WorkQueue } from '../work-queue.js';
import { approvalCondition } from './approval.js';
import { hasSameCondition, isCondition, writeConditions, writeStatus, type Definition } from './definition.js';
import { deleteInstances, isFinalizing, finishDeletion } from './finalize.js';
import { decideNames } from './names.js';
import { withCondition } from '../../resources/apiextensions/conditions.js';

/** Options of {@link definitionController}. */
export interface DefinitionControllerOptions {
  readonly client: Client;
  readonly kinds: ServedKinds;
  readonly clock: Clock;
  readonly dialect: Dialect;
  /** Resolves when the server can serve the kind of a definition that is about to be established. */
  readonly beforeEstablished: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Establishes custom resource definitions: accepts their names, reports the approval of protected groups, and deletes
 * the objects of deleted definitions (Kubernetes: the naming, establishing, approval and finalizing controllers of
 * `apiextensions-apiserver`).
 */
export function definitionController(options: DefinitionControllerOptions): Controller {
  const { client, clock, onError } = options;
  const definitions = new Informer<Definition>({ source: client.resource(CustomResourceDefinition), clock, onError });
  const remaining = new RemainingContent({
    clock,
    contentOf: (_name, kind) => kind.client,
    changed: (name) => void queue.add(name),
    onError,
  });
  const queue = new WorkQueue<string>({
    clock,
    process: (name) =>
      retryOnConflict(async () => {
        const definition = await present(client, name);
        if (definition === undefined) return;
        if (definition.metadata.deletionTimestamp === undefined) await establish(options, definition, definitions);
        else if (isFinalizing(definition, options.dialect)) await finalize(options, definition, remaining);
      }),
    onError: (_name, error) => onError(error),
  });
  const enqueueGroup = ({ spec }: Definition): void => {
    for (const other of definitions.values()) if (other.spec.group === spec.group) queue.add(other.metadata.name ?? '');
  };
  const enqueue = ({ metadata }: Definition): void => void queue.add(metadata.name ?? '');
  definitions.subscribe({
    added: enqueue,
    updated: enqueue,
    // The names of a deleted definition are free for the others of its group.
    deleted: (definition) => {
      void remaining.watch(definition.metadata.name ?? '', []);
      enqueueGroup(definition);
    },
  });
  return {
    name: 'customresourcedefinition',
    *informers() {
      yield definitions;
      yield* remaining.informers();
    },
    queues: [queue],
  };
}

/** Returns the stored definition; undefined when it was deleted. */
async function present(client: Client, name: string): Promise<Definition | undefined> {
  try {
    return await client.resource(CustomResourceDefinition).get(name);
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Decides the names of a definition, then establishes it. Each step is one write, so that watchers see both. */
async function establish(
  { client, clock, dialect, beforeEstablished }: DefinitionControllerOptions,
  definition: Definition,
  definitions: Informer<Definition>,
): Promise<void> {
  const approval = approvalCondition(definition, dialect);
  let current = definition;
  if (approval !== undefined && !hasSameCondition(current, approval))
    current = await writeConditions(client, current, [approval], clock.now());
  current = await acceptNames(client, clock, current, definitions);
  if (!isCondition(current, 'NamesAccepted', 'True') || isCondition(current, 'Established', 'True')) return;
  await beforeEstablished();
  await writeConditions(
    client,
    current,
    [
      {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      },
    ],
    clock.now(),
  );
}

async function acceptNames(
  client: Client,
  clock: Clock,
  definition: Definition,
  definitions: Informer<Definition>,
): Promise<Definition> {
  const { names, accepted } = decideNames(definition, definitions.values());
  if (hasSameCondition(definition, accepted) && sameNames(names, definition.status.acceptedNames)) return definition;
  const established = definition.status.conditions?.find(({ type }) => type === 'Established');
  let conditions = withCondition(definition.status.conditions, accepted, clock.now());
  if (established?.status !== 'True') {
    const installing =
      accepted.status === 'True'
        ? { status: 'False', reason: 'Installing', message: 'the initial names have been accepted' }
        : { status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
    if (accepted.status === 'True' || established === undefined)
      conditions = withCondition(conditions, { type: 'Established', ...installing }, clock.now());
  }
  return writeStatus(client, definition, { acceptedNames: names, conditions });
}

/** Deletes the objects of a definition that is being deleted, then lets it go. */
async function finalize(
  { client, kinds, clock, dialect }: DefinitionControllerOptions,
  definition: Definition,
  remaining: RemainingContent,
): Promise<void> {
  const name = definition.metadata.name ?? '';
  const outcome = await deleteInstances(client, kinds, clock, definition);
  if (outcome.left !== undefined) return remaining.watch(name, [outcome.left]);
  await remaining.watch(name, []);
  await finishDeletion(client, dialect, clock, outcome);
}

function sameNames(one: Definition['status']['acceptedNames'], other: Definition['status']['acceptedNames']): boolean {
  const textOf = ({ plural, singular, shortNames, kind, listKind, categories }: typeof one): string =>
    JSON.stringify([plural, singular ?? '', shortNames ?? [], kind, listKind ?? '', categories ?? []]);
  return textOf(one) === textOf(other);
}
