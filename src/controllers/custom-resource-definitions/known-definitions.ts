import type { Informer } from '../runtime/informer.js';
import type { Definition } from './definition.js';

/**
 * The definitions as the informer has them, or as this controller has written them since. Without its own last writes,
 * the controller could accept a name twice (Kubernetes: the mutation cache of the naming controller).
 */
export class KnownDefinitions {
  readonly #informer: Informer<Definition>;
  readonly #written = new Map<string, Definition>();

  constructor(informer: Informer<Definition>) {
    this.#informer = informer;
  }

  /** Records a definition that was written. */
  wrote(definition: Definition): void {
    this.#written.set(definition.metadata.name ?? '', definition);
  }

  /** Forgets the writes to a definition. */
  forget(name: string): void {
    this.#written.delete(name);
  }

  /** Returns the definitions of a group. */
  *inGroup(group: string): Generator<Definition, void, undefined> {
    for (const observed of this.#informer.values()) {
      if (observed.spec.group !== group) continue;
      const name = observed.metadata.name ?? '';
      const written = this.#written.get(name);
      if (written !== undefined && versionOf(written) > versionOf(observed)) yield written;
      else {
        this.#written.delete(name);
        yield observed;
      }
    }
  }
}

const versionOf = ({ metadata }: Definition): number => Number(metadata.resourceVersion ?? 0);
