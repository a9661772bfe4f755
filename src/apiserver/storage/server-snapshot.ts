import type { CatalogueState } from '../../registry/index.js';
import type { SharedMemory, Storage } from '../../storage/index.js';
import type { ControllerName } from '../controllers/controller-names.js';
import type { ServedFacts } from '../custom-resources/custom-resources.js';

/**
 * The state of a server at one moment, from which other servers begin. It shares what it holds with the server and with
 * them. Opaque: use {@link ApiServer.fork} and {@link ApiServer.restore}.
 */
export interface ServerSnapshot {
  /** A fork of the storage that nobody writes to. Its clock stands still. */
  readonly storage: Storage;
  /**
   * Whether the new server uses and closes the storage itself, instead of a fork of it. Default false.
   *
   * @internal
   */
  readonly isOwnStorage?: boolean | undefined;
  /**
   * The served kinds.
   *
   * @internal
   */
  readonly catalogue: CatalogueState;
  /**
   * The sources of the kinds of custom resource definitions.
   *
   * @internal
   */
  readonly customKinds: ServedFacts;
  /**
   * The controllers that the objects need.
   *
   * @internal
   */
  readonly wokenControllers: readonly ControllerName[];
  /**
   * Whether the default roles and bindings were created.
   *
   * @internal
   */
  readonly hasDefaultPolicy: boolean;
  /** @internal */
  readonly ownerToken: string;
  /** @internal */
  readonly continueKey: string;
  /**
   * Memory that the new server shares with others of the process.
   *
   * @internal
   */
  readonly sharedMemory?: SharedMemory | undefined;
}
