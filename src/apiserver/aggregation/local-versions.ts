import type { Client } from '../../client/index.js';
import { importLocalVersions } from '../../controllers/late.js';
import type { Logger } from '../../foundation/index.js';
import { APIService } from '../../kinds/index.js';
import type { Catalogue, ResourceDefinition } from '../../registry/index.js';

/** Dependencies of {@link LocalVersions}. */
export interface LocalVersionsParts {
  readonly catalogue: Catalogue;
  readonly logger: Logger;
  /** Returns a client whose requests wait for nothing that the kind needs. */
  readonly controllerClient: () => Client;
}

/**
 * The APIServices of the versions that the server itself serves. They are made when somebody first asks for the kind:
 * few programs do, and a server starts without them.
 */
export class LocalVersions {
  readonly #parts: LocalVersionsParts;
  #making: Promise<void> | undefined;
  #isMade = false;

  constructor(parts: LocalVersionsParts) {
    this.#parts = parts;
  }

  /** Waits for the APIServices before a request for the kind; undefined when they are there. */
  prepare(definition: ResourceDefinition): Promise<void> | undefined {
    if (this.#isMade || definition !== APIService) return undefined;
    return (this.#making ??= this.#make());
  }

  /** A failure is logged, and does not fail the request: the next one tries again. */
  async #make(): Promise<void> {
    const { catalogue, logger, controllerClient } = this.#parts;
    try {
      const { LocalApiServices } = await importLocalVersions();
      await new LocalApiServices(controllerClient(), catalogue.environment.dialect).ensure(catalogue.resources);
      this.#isMade = true;
    } catch (error) {
      logger.error('the APIServices of the versions of this server cannot be written', { error });
    } finally {
      this.#making = undefined;
    }
  }
}
