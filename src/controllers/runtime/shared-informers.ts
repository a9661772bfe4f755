import type * as z from 'zod';
import type { Client, KindReference } from '../../client/index.js';
import type { Clock } from '../../foundation/index.js';
import type { ObjectOf, ResourceDefinition } from '../../registry/index.js';
import { Informer } from './informer.js';
import type { AnyObject, AnyResource } from './served-kinds.js';

/** Options of {@link SharedInformers}. */
export interface SharedInformersOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Which objects of a kind an informer has. Default: all. */
export interface InformerSelection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** An informer of some objects of a kind. */
interface SelectedInformer {
  readonly kind: ResourceDefinition | KindReference;
  readonly selection: string;
  readonly informer: Informer<AnyObject>;
}

/** One informer for each kind, for all controllers of a server that work with the kind. */
export class SharedInformers {
  readonly #options: SharedInformersOptions;
  readonly #informers = new Map<ResourceDefinition, unknown>();
  readonly #selected: SelectedInformer[] = [];

  constructor(options: SharedInformersOptions) {
    this.#options = options;
  }

  /**
   * Returns the informer of all objects of a kind; the first call creates it. A controller that uses it returns it in
   * its `informers()`, which starts it. Indexes are added by {@link Informer.addIndex}.
   */
  of<Schema extends z.ZodType>(definition: ResourceDefinition<Schema>): Informer<ObjectOf<ResourceDefinition<Schema>>> {
    // The map has the informer of each definition under that definition.
    const known = this.#informers.get(definition) as Informer<ObjectOf<ResourceDefinition<Schema>>> | undefined;
    if (known !== undefined) return known;
    const { client, clock, onError } = this.#options;
    const informer = new Informer<ObjectOf<ResourceDefinition<Schema>>>({
      source: client.resource(definition),
      clock,
      onError,
    });
    this.#informers.set(definition, informer);
    return informer;
  }
  /** Returns the informer of some objects of a kind, as {@link of} does. The kind may be given by its names. */
  select(
    kind: ResourceDefinition | KindReference,
    { namespace, labelSelector, fieldSelector }: InformerSelection,
  ): Informer<AnyObject> {
    const selection = JSON.stringify([namespace, labelSelector, fieldSelector]);
    const known = this.#selected.find((other) => other.selection === selection && isSameKind(other.kind, kind));
    if (known !== undefined) return known.informer;
    const { client, clock, onError } = this.#options;
    const all: AnyResource = 'plural' in kind ? client.resource(kind) : client.resource(kind);
    const source = namespace === undefined ? all : all.namespace(namespace);
    const informer = new Informer<AnyObject>({ source, clock, onError, labelSelector, fieldSelector });
    this.#selected.push({ kind, selection, informer });
    return informer;
  }
}

/** Returns whether two values name the same kind. */
export function isSameKind(a: ResourceDefinition | KindReference, b: ResourceDefinition | KindReference): boolean {
  if (a === b) return true;
  return 'apiVersion' in a && 'apiVersion' in b && a.kind === b.kind && a.apiVersion === b.apiVersion;
}
