import {
  apiVersionOf,
  ApiError,
  parseApiVersion,
  stringOrEmpty,
  type DialectGroups,
  type JsonObject,
} from '../../foundation/index.js';
import { unservedKind } from '../../server/index.js';
import type { KindReference } from '../backend.js';
import type { LocatedKind } from './located-kind.js';
import { objectsIn, servedResources } from './served-resources.js';

/** Reads a document of discovery. @throws ApiError as the server refuses it */
export type ReadDocument = (
  path: string,
  headers: { readonly accept: string },
  signal: AbortSignal | undefined,
) => Promise<JsonObject>;

type Kinds = ReadonlyMap<string, LocatedKind>;

const NOT_FOUND = 404;

/** Finds kinds by their names in the discovery documents of a server, which are kept until a kind is missing in them. */
export class Discovery {
  readonly #read: ReadDocument;
  readonly #dialect: DialectGroups;
  /** The kinds of each group and version, by its apiVersion. */
  readonly #known = new Map<string, Promise<Kinds>>();

  constructor(read: ReadDocument, dialect: DialectGroups) {
    this.#read = read;
    this.#dialect = dialect;
  }

  /** Returns where a kind is served. @throws ApiError 404 with the nearest kinds when it is not */
  async find(reference: KindReference, signal?: AbortSignal): Promise<LocatedKind> {
    const known = this.#known.get(reference.apiVersion);
    const found = (await known?.catch(() => undefined))?.get(reference.kind);
    if (found !== undefined) return found;
    const current = await this.#refresh(reference.apiVersion, signal);
    const fresh = current.get(reference.kind);
    if (fresh === undefined) throw await this.unserved(reference, signal);
    return fresh;
  }

  /** Forgets where the kinds of a group and version are served. */
  forget(apiVersion: string): void {
    this.#known.delete(apiVersion);
  }

  /** Returns the error for a kind that is not served, with the kinds of similar names. */
  async unserved(reference: KindReference, signal?: AbortSignal): Promise<ApiError> {
    return unservedKind(reference, await this.#everyKind(signal));
  }

  #refresh(apiVersion: string, signal: AbortSignal | undefined): Promise<Kinds> {
    const reading = this.#kindsOf(apiVersion, signal);
    this.#known.set(apiVersion, reading);
    reading.catch(() => {
      if (this.#known.get(apiVersion) === reading) this.#known.delete(apiVersion);
    });
    return reading;
  }

  async #kindsOf(apiVersion: string, signal: AbortSignal | undefined): Promise<Kinds> {
    const parts = parseApiVersion(apiVersion);
    if (parts === undefined) return new Map();
    const path = `/${parts.group === '' ? 'api' : 'apis'}/${apiVersion}`;
    const document = await this.#read(path, { accept: 'application/json' }, signal).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === NOT_FOUND) return {};
      throw error;
    });
    return kindsIn(document, parts);
  }

  /** Returns the names of all kinds that the server serves, as far as it says so. */
  async #everyKind(signal: AbortSignal | undefined): Promise<KindReference[]> {
    const served = await servedResources(
      (path, accept) => this.#read(path, { accept }, signal).catch(() => undefined),
      this.#dialect,
    );
    return served.map(({ apiVersion, kind }) => ({ apiVersion, kind }));
  }
}

/** Returns the kinds of an APIResourceList. */
function kindsIn(
  document: JsonObject,
  { group, version }: { readonly group: string; readonly version: string },
): Kinds {
  const kinds = new Map<string, LocatedKind & { readonly operations: Map<string, string> }>();
  const byResource = new Map<string, Map<string, string>>();
  for (const entry of objectsIn(document['resources'])) {
    const [resource = '', subresource] = stringOrEmpty(entry['name']).split('/');
    const kind = stringOrEmpty(entry['kind']);
    if (subresource === undefined) {
      const operations = new Map<string, string>();
      byResource.set(resource, operations);
      const namespaced = entry['namespaced'] === true;
      kinds.set(kind, { group, version, resource, namespaced, kind, listKind: `${kind}List`, operations });
    } else {
      const [ofGroup, ofVersion] = [entry['group'], entry['version']].map(stringOrEmpty);
      const apiVersion = ofVersion === '' ? apiVersionOf(group, version) : apiVersionOf(ofGroup ?? '', ofVersion ?? '');
      byResource.get(resource)?.set(`${apiVersion}/${kind}`, subresource);
    }
  }
  return kinds;
}
