/**
 * Stored objects that configure a part of the server, such as admission. The part is loaded with the first of them.
 *
 * @module
 */
import { loading, type Logger, type StoredObject } from '../../foundation/index.js';
import type { Catalogue } from '../definition/catalogue.js';
import type { ResourceDefinition } from '../definition/definition.js';
import { StoreMirror } from '../store/mirror.js';

/** A kind whose objects configure a part. */
export interface ConfiguringKind<Part> {
  readonly definition: ResourceDefinition;
  /** Whether the part is needed once there is an object of the kind. */
  readonly needsPart: boolean;
  /**
   * Returns the change of the part for a new or changed object.
   *
   * @throws TypeError when the stored object is not readable
   */
  present(name: string, object: StoredObject): (part: Part) => void;
  absent(name: string): (part: Part) => void;
}

/** The parts that a {@link FollowedConfiguration} works with. */
export interface FollowedConfigurationParts<Part> {
  readonly catalogue: Catalogue;
  readonly logger: Logger;
  /** Subject of log messages, in the plural. */
  readonly subject: string;
  readonly kinds: readonly ConfiguringKind<Part>[];
  /** Whether the part is needed without any object. Default false. */
  readonly isNeeded?: boolean | undefined;
  load(): Promise<Part>;
}

type Change<Part> = (part: Part) => void;

/** A part of the server that follows its stored configuration. */
export class FollowedConfiguration<Part> {
  readonly #parts: FollowedConfigurationParts<Part>;
  #mirrors: readonly StoreMirror[] = [];
  #part: Part | undefined;
  /** Set while the part is loading. Requests wait for it. */
  #loading: Promise<void> | undefined;
  /** The newest change of each object that came before the part was loaded, by storage key. */
  readonly #waiting = new Map<string, Change<Part>>();
  #isNeeded: boolean;

  constructor(parts: FollowedConfigurationParts<Part>) {
    this.#parts = parts;
    this.#isNeeded = parts.isNeeded ?? false;
  }

  /**
   * Reads the stored objects, and starts to follow them. Does nothing on a server that does not serve their kinds.
   *
   * @throws StorageError when the storage cannot be read
   */
  async start(): Promise<void> {
    const { catalogue, kinds } = this.#parts;
    if (!kinds.every(({ definition }) => catalogue.serves(definition))) return;
    this.#mirrors = kinds.map((kind) => this.#follow(kind));
    await Promise.all(this.#mirrors.map((mirror) => mirror.start()));
  }

  /** Stops following. */
  stop(): void {
    for (const mirror of this.#mirrors) mirror.stop();
  }

  /**
   * Runs something on the part; nothing while there is no configuration.
   *
   * @returns a promise while the part is loading
   */
  use<Result>(run: (part: Part) => Result | Promise<Result>): undefined | Result | Promise<Result | undefined> {
    if (!this.#isNeeded) return undefined;
    if (this.#part !== undefined) return run(this.#part);
    return this.#load().then(() => (this.#part === undefined ? undefined : run(this.#part)));
  }

  #follow({ definition, needsPart, present, absent }: ConfiguringKind<Part>): StoreMirror {
    const { catalogue, logger, subject } = this.#parts;
    const store = catalogue.store(definition);
    const nameOf = (key: string): string => store.info.placeOf(key).name;
    const sink = {
      present: (key: string, object: StoredObject) => {
        const change = present(nameOf(key), object);
        this.#isNeeded ||= needsPart;
        this.#apply(key, change);
      },
      absent: (key: string) => this.#apply(key, absent(nameOf(key))),
    };
    return new StoreMirror(store, sink, {
      clock: catalogue.environment.clock,
      onError: (error) => logger.error(`${subject} cannot be read; the last known ones stay in force`, { error }),
      onUnreadable: (key, error) => logger.error(`${key} cannot be read, and is not in force`, { error }),
    });
  }

  #apply(key: string, change: Change<Part>): void {
    if (this.#part !== undefined) return change(this.#part);
    this.#waiting.set(key, change);
    const { logger, subject } = this.#parts;
    if (this.#isNeeded)
      this.#load().catch((error: unknown) => logger.error(`the code of ${subject} does not load`, { error }));
  }

  /** Loads the part. After a failure the next request tries again. */
  #load(): Promise<void> {
    this.#loading ??= loading(this.#loadOnce()).catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #loadOnce(): Promise<void> {
    const part = await this.#parts.load();
    this.#part = part;
    for (const change of this.#waiting.values()) change(part);
    this.#waiting.clear();
  }
}
