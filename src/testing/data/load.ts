import type { ApiServer } from '../../apiserver/index.js';
import type { UntypedObject } from '../../client/index.js';
import { loading } from '../../foundation/index.js';
import type { ObjectSource } from './sources.js';

/** Options of {@link loadObjects}. */
export interface LoadOptions {
  /** Namespace of the objects of namespaced kinds that name none; default `default`. */
  readonly namespace?: string | undefined;
  /** Field manager that owns the loaded fields; default `load`. */
  readonly fieldManager?: string | undefined;
  /** Waits until the controllers have no work left; default that of the server. */
  readonly settled?: (() => Promise<void>) | undefined;
}

/**
 * Loads objects into a server, as its owner. It uses server-side apply, as `kubectl apply --server-side --force-conflicts`
 * does: an object that exists gets the loaded fields. Objects with `generateName` and no name are created.
 *
 * The order of the sources does not matter: namespaces and custom resource definitions come first, then what other
 * objects need, webhooks and policies come last. Metadata that a server sets (uid, resourceVersion, times, managed
 * fields) is dropped, so that objects exported from a cluster can be loaded; owner references to loaded objects get
 * the new uids. A status is written too, except that of definitions, which the server sets.
 *
 * @returns the objects as stored, in the order of their sources
 * @throws TypeError with file and document of anything that is not an object of the API; Error with file and document
 *   of all objects that the server refuses in one stage; the stages after it are then not loaded
 */
export async function loadObjects(
  server: ApiServer,
  sources: readonly ObjectSource[],
  options: LoadOptions = {},
): Promise<UntypedObject[]> {
  const { loadInto } = await loading(import('./loader.js'));
  return loadInto(server, sources, options);
}
