import type * as z from 'zod';
import type { Client } from '../../client/index.js';
import type { Clock } from '../../foundation/index.js';
import type { ObjectOf, ResourceDefinition } from '../../registry/index.js';
import { Informer } from './informer.js';

/** Options of {@link SharedInformers}. */
export interface SharedInformersOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** One informer for each kind, for all controllers of a server that work with the kind. */
export class SharedInformers {
  readonly #options: SharedInformersOptions;
  readonly #informers = new Map<ResourceDefinition, unknown>();

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
}
