/**
 * The OpenAPI documents of a set of resources: version 3 by group version with an index, and version 2 as one document.
 *
 * @module
 */
import type { JsonObject } from '../../meta/json.js';
import type { Dialect } from '../../names/dialect.js';
import { compareVersions } from '../discovery/index.js';
import { cachedDocument, documentHash, type CachedDocument } from '../discovery/documents.js';
import { VERSION2_PROTOBUF_TYPE, type BinaryDocument, type OpenApiDocuments } from './handler.js';
import type { OpenApiResource, PathItem } from './model.js';
import { groupVersionPath, resourceListPath, resourcePaths } from './operations.js';
import { encodeVersion2 } from './protobuf.js';
import { documentTypes } from './types.js';
import { writeVersion2 } from './version2.js';
import { writeVersion3 } from './version3.js';

/** Source of the documents. */
export interface OpenApiSource {
  readonly resources: readonly OpenApiResource[];
  readonly dialect: Dialect;
}

interface Version {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly OpenApiResource[];
}

const JSON_TYPE = 'application/json';

/** The OpenAPI documents of a fixed set of resources. Each document is created on first use and cached. */
export class OpenApi implements OpenApiDocuments {
  readonly resources: readonly OpenApiResource[];
  readonly #dialect: Dialect;
  /** Group versions by path without the leading slash: `api/v1`. */
  readonly #versions: ReadonlyMap<string, Version>;
  readonly #documents = new Map<string, CachedDocument>();
  #index: CachedDocument | undefined;
  #version2: CachedDocument | undefined;
  #version2Protobuf: BinaryDocument | undefined;

  /** @param previous documents of an earlier set; those of versions with the same resources are reused */
  constructor({ resources, dialect }: OpenApiSource, previous?: OpenApi) {
    this.resources = resources;
    this.#dialect = dialect;
    this.#versions = byVersion(resources);
    if (previous !== undefined) this.#reuse(previous);
  }

  #reuse(previous: OpenApi): void {
    for (const [path, document] of previous.#documents)
      if (sameResources(this.#versions.get(path), previous.#versions.get(path))) this.#documents.set(path, document);
  }

  /** Returns the paths served, for the list of paths at the root. */
  paths(): string[] {
    return ['/openapi/v2', '/openapi/v3', ...[...this.#versions.keys()].map((path) => `/openapi/v3/${path}`)];
  }

  /** Returns `/openapi/v3`: the URLs of the documents, each with the hash of its content. */
  index(): CachedDocument {
    return (this.#index ??= cachedDocument(
      {
        paths: Object.fromEntries(
          [...this.#versions.keys()].map((path) => [path, { serverRelativeURL: this.url(path) }]),
        ),
      },
      JSON_TYPE,
    ));
  }

  /** Returns the URL of a document, with the hash of its content. */
  url(path: string): string {
    return `/openapi/v3/${path}?hash=${this.document(path)?.hash ?? ''}`;
  }

  /** Returns `/openapi/v3/{path}`, e.g. `apis/apps/v1`; undefined for an unknown version. */
  document(path: string): CachedDocument | undefined {
    const known = this.#documents.get(path);
    if (known !== undefined) return known;
    const version = this.#versions.get(path);
    if (version === undefined) return undefined;
    const types = documentTypes(version.resources, [...this.#versions.values()], this.#dialect);
    const document = cachedDocument(writeVersion3(this.#paths(version), types, this.#dialect), JSON_TYPE);
    this.#documents.set(path, document);
    return document;
  }

  /** Returns `/openapi/v2`. */
  version2(): CachedDocument {
    return (this.#version2 ??= cachedDocument(this.#writeVersion2(), JSON_TYPE));
  }

  /** Returns `/openapi/v2` in protobuf. */
  version2Protobuf(): BinaryDocument {
    if (this.#version2Protobuf === undefined) {
      // The same content in two formats: each needs its own ETag.
      const hash = documentHash(`${this.version2().hash} ${VERSION2_PROTOBUF_TYPE}`);
      this.#version2Protobuf = {
        bytes: encodeVersion2(this.#writeVersion2()),
        hash,
        etag: `"${hash}"`,
        contentType: VERSION2_PROTOBUF_TYPE,
      };
    }
    return this.#version2Protobuf;
  }

  #writeVersion2(): JsonObject {
    const versions = [...this.#versions.values()];
    const types = documentTypes(
      versions.flatMap(({ resources }) => resources),
      versions,
      this.#dialect,
    );
    return writeVersion2(
      versions.flatMap((version) => this.#paths(version)),
      types,
      this.#dialect,
    );
  }

  #paths({ group, version, resources }: Version): PathItem[] {
    const items = [
      resourceListPath(group, version, this.#dialect),
      ...resources.flatMap((resource) => resourcePaths(resource, this.#dialect)),
    ];
    return items.sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

function sameResources(one: Version | undefined, other: Version | undefined): boolean {
  return (
    one !== undefined &&
    one.resources.length === other?.resources.length &&
    one.resources.every((resource, index) => resource === other.resources[index])
  );
}

function byVersion(resources: readonly OpenApiResource[]): Map<string, Version> {
  const versions = new Map<string, Version & { resources: OpenApiResource[] }>();
  for (const resource of [...resources].sort((a, b) =>
    a.group === b.group ? compareVersions(a.version, b.version) : a.group < b.group ? -1 : 1,
  )) {
    const { group, version } = resource;
    const path = groupVersionPath(group, version).slice(1);
    const known = versions.get(path);
    if (known === undefined) versions.set(path, { group, version, resources: [resource] });
    else known.resources.push(resource);
  }
  return versions;
}
