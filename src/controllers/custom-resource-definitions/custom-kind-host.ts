import type { Definition } from './definition.js';

/** The services of the server for the kinds of custom resource definitions. */
export interface CustomKindHost {
  /**
   * Resolves when the server serves the kinds of a definition as of a resource version or later, and when the server
   * stops or the signal aborts.
   */
  follows(name: string, resourceVersion: string, signal: AbortSignal): Promise<void>;
  /**
   * Returns the stored objects of a definition, whether or not a version is served; undefined when they are stored where
   * another kind has its objects.
   */
  objectsOf(definition: Definition): CustomObjects | undefined;
}

/** The stored objects of a definition, below admission and authorization. */
export interface CustomObjects {
  /** Deletes all objects, or marks those with finalizers for deletion. */
  deleteAll(signal: AbortSignal): Promise<void>;
  /** Returns whether any object is left. */
  remain(): Promise<boolean>;
}
