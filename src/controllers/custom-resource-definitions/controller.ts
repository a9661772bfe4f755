import type { Client } from '../../client/index.js';
import type { Dialect } from '../../foundation/index.js';
import { CustomResourceDefinition, withCondition } from '../../kinds/index.js';
import { RemainingContent } from '../namespace/remaining-content.js';
import type { Controller } from '../runtime/controller.js';
import { orAbsent, retryOnConflict } from '../runtime/failures.js';
import type { Reconciler, ReconcilerHost } from '../runtime/keyed-reconciler.js';
import { reconciler } from '../runtime/reconciler.js';
import type { ServedKinds } from '../runtime/served-kinds.js';
import { approvalCondition } from './approval.js';
import type { CustomKindHost } from './custom-kind-host.js';
import { hasSameCondition, isCondition, writeConditions, writeStatus, type Definition } from './definition.js';
import { Finalizer, isFinalizing } from './finalize.js';
import { KnownDefinitions } from './known-definitions.js';
import { decideNames, sameNames } from './names.js';

/** Options of {@link definitionController}. */
export interface DefinitionControllerOptions extends ReconcilerHost {
  readonly client: Client;
  readonly kinds: ServedKinds;
  readonly dialect: Dialect;
  readonly host: CustomKindHost;
}

/**
 * Establishes custom resource definitions: accepts their names, reports the approval of protected groups, and deletes
 * the objects of deleted definitions (Kubernetes: the naming, establishing, approval and finalizing controllers of
 * `apiextensions-apiserver`).
 */
export function definitionController(options: DefinitionControllerOptions): Controller {
  const { client, clock, dialect, onError } = options;
  const known = new KnownDefinitions(options.informers.of(CustomResourceDefinition));
  const remaining = new RemainingContent({
    clock,
    contentOf: (_name, kind) => kind.client,
    changed: (name) => void controller.add(name),
    onError,
  });
  const finalizer = new Finalizer({ ...options, remaining, again: (name, ms) => controller.addAfter(name, ms) });
  const sameGroup = ({ spec }: Definition): string[] =>
    Array.from(known.inGroup(spec.group), ({ metadata }) => metadata.name ?? '');
  const establishing = new Establisher(options, known, (changed) => {
    for (const name of sameGroup(changed)) controller.add(name);
  });

  async function reconcileStored(name: string, signal: AbortSignal): Promise<void> {
    const definition = await orAbsent(client.resource(CustomResourceDefinition).get(name));
    if (definition === undefined) return;
    if (definition.metadata.deletionTimestamp === undefined) await establishing.process(definition, signal);
    else if (isFinalizing(definition, dialect)) await finalizer.process(definition, signal);
  }

  const controller: Reconciler = reconciler(options, {
    name: 'customresourcedefinition',
    queue: 'crd_naming_condition_controller',
    kind: CustomResourceDefinition,
    informers: () => remaining.informers(),
    // A definition that is deleted meanwhile has an event of its own.
    reconcile: (_definition, { key, signal }) => orAbsent(retryOnConflict(() => reconcileStored(key, signal))),
    // The names of a deleted definition are free for the others of its group.
    deleted: (definition) => {
      const name = definition.metadata.name ?? '';
      known.forget(name);
      finalizer.forget(name);
      return sameGroup(definition);
    },
  });
  return controller;
}

/** Decides the names of definitions, then establishes them. Each step is one write, so that watchers see both. */
class Establisher {
  readonly #options: DefinitionControllerOptions;
  readonly #known: KnownDefinitions;
  readonly #namesChanged: (definition: Definition) => void;

  /** @param namesChanged called with a definition whose accepted names have changed: others may have their former names */
  constructor(
    options: DefinitionControllerOptions,
    known: KnownDefinitions,
    namesChanged: (definition: Definition) => void,
  ) {
    this.#options = options;
    this.#known = known;
    this.#namesChanged = namesChanged;
  }

  async process(definition: Definition, signal: AbortSignal): Promise<void> {
    const { clock, dialect, host } = this.#options;
    const approval = approvalCondition(definition, dialect);
    let current = definition;
    if (approval !== undefined && !hasSameCondition(current, approval))
      current = await writeConditions(this.#options, current, [approval], clock.now());
    current = await this.#acceptNames(current);
    const { name = '', resourceVersion = '' } = current.metadata;
    // The kind is served from the acceptance of its names, so that it can be used as soon as it is established.
    await host.follows(name, resourceVersion, signal);
    if (signal.aborted) return;
    if (!isCondition(current, 'NamesAccepted', 'True') || isCondition(current, 'Established', 'True')) return;
    await writeConditions(this.#options, current, [ESTABLISHED], clock.now());
  }

  async #acceptNames(definition: Definition): Promise<Definition> {
    const { clock } = this.#options;
    const { spec, status } = definition;
    // Kubernetes does not look at other definitions then, and keeps the condition as it is.
    if (sameNames(spec.names, status.acceptedNames)) return definition;
    const { names, accepted } = decideNames(definition, this.#known.inGroup(spec.group));
    if (hasSameCondition(definition, accepted) && sameNames(names, status.acceptedNames)) return definition;
    const established = status.conditions?.find(({ type }) => type === 'Established');
    let conditions = withCondition(status.conditions, accepted, clock.now());
    if (established?.status !== 'True' && (accepted.status === 'True' || established === undefined))
      conditions = withCondition(conditions, accepted.status === 'True' ? INSTALLING : NOT_ACCEPTED, clock.now());
    const written = await writeStatus(this.#options, definition, { acceptedNames: names, conditions });
    this.#known.wrote(written);
    this.#namesChanged(written);
    return written;
  }
}

const ESTABLISHED = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};
const INSTALLING = {
  type: 'Established',
  status: 'False',
  reason: 'Installing',
  message: 'the initial names have been accepted',
};
const NOT_ACCEPTED = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
};
