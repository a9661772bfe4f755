import type { Client } from '../../client/index.js';
import type { ExtensionTrust } from '../../controllers/index.js';
import { importExtensionAuthentication, importLocalVersions } from '../../controllers/late.js';
import type { Logger } from '../../foundation/index.js';
import { APIService, ConfigMap } from '../../kinds/index.js';
import type { Catalogue, ResourceDefinition } from '../../registry/index.js';

/** Dependencies of {@link FirstUses}. */
export interface FirstUsesParts {
  readonly catalogue: Catalogue;
  readonly logger: Logger;
  /** Returns a client whose requests wait for nothing that the kind needs. */
  readonly controllerClient: () => Client;
  /** Returns the credentials that the servers of other API groups may accept. */
  readonly extensionTrust: () => Promise<ExtensionTrust>;
  /** Starts the controllers that keep the objects. */
  readonly keep: () => void;
}

/**
 * Objects of aggregation that are made when somebody first asks for them: few programs do, and a server starts without
 * them.
 */
export class FirstUses {
  readonly #systemNamespace: string;
  readonly #localVersions: FirstUse;
  readonly #extensionAuthentication: FirstUse;

  constructor(parts: FirstUsesParts) {
    const { catalogue, logger, controllerClient, extensionTrust: trust, keep } = parts;
    const { clock, dialect } = catalogue.environment;
    this.#systemNamespace = dialect.namespaces.system;
    this.#localVersions = new FirstUse('the APIServices of the versions of this server', logger, async () => {
      const { LocalApiServices } = await importLocalVersions();
      await new LocalApiServices(controllerClient(), dialect).ensure(catalogue.resources);
    });
    this.#extensionAuthentication = new FirstUse('the credentials for other servers', logger, async () => {
      const { ExtensionAuthentication } = await importExtensionAuthentication();
      await new ExtensionAuthentication({ client: controllerClient(), clock, dialect, trust }).write();
      keep();
    });
  }

  /**
   * Waits for what a request asks for; undefined when it is there.
   *
   * @param namespace namespace of the request; undefined for all, and where there is none
   */
  prepare(definition: ResourceDefinition, namespace: string | undefined): Promise<void> | undefined {
    if (definition === APIService) return this.#localVersions.made();
    if (definition === ConfigMap && namespace === this.#systemNamespace) return this.#extensionAuthentication.made();
    return undefined;
  }
}

/** Something that is made once. */
class FirstUse {
  readonly #subject: string;
  readonly #logger: Logger;
  readonly #make: () => Promise<void>;
  #making: Promise<void> | undefined;
  #isMade = false;

  constructor(subject: string, logger: Logger, make: () => Promise<void>) {
    this.#subject = subject;
    this.#logger = logger;
    this.#make = make;
  }

  /** A failure is logged, and does not fail the request that waits: the next one tries again. */
  made(): Promise<void> | undefined {
    if (this.#isMade) return undefined;
    return (this.#making ??= this.#make()
      .then(() => void (this.#isMade = true))
      .catch((error: unknown) => this.#logger.error(`${this.#subject} cannot be written`, { error }))
      .finally(() => (this.#making = undefined)));
  }
}
