/**
 * The OpenAPI documents of a set of resources: version 3 by group version with an index, and version 2 as one document.
 *
 * @module
 */
import type { JsonObject } from '../../meta/json.js';
import type { Dialect } from '../../names/dialect.js';
import { compareVersions, isCustom } from '../discovery/index.js';
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
  /** Version of the program. It is part of the hash of documents that are not hashed themselves. Default empty. */
  readonly build?: string | undefined;
}

interface Version {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly OpenApiResource[];
  /** Whether all kinds are custom. */
  readonly custom: boolean;
}

const JSON_TYPE = 'application/json';

/** The OpenAPI documents of a fixed set of resources. Each document is created on first use and cached. */
export class OpenApi implements OpenApiDocuments {
  readonly resources: readonly OpenApiResource[];
  readonly #dialect: Dialect;
  readonly #build: string;
  /** Group versions by path without the leading slash: `api/v1`. */
  readonly #versions: ReadonlyMap<string, Version>;
  readonly #documents = new Map<string, CachedDocument>();
  #index: CachedDocument | undefined;
  #version2: CachedDocument | undefined;
  #version2Protobuf: BinaryDocument | undefined;

  /** @param previous documents of an earlier set; those of versions with the same resources are reused */
  constructor({ resources, dialect, build = '' }: OpenApiSource, previous?: OpenApi) {
    this.resources = resources;
    this.#dialect = dialect;
    this.#build = build;
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
    const write = (): JsonObject => {
      const types = documentTypes(version.resources, this.#optionVersions(), this.#dialect);
      return writeVersion3(this.#paths(version), types, this.#dialect, version.custom);
    };
    const document = version.custom
      ? new DeferredDocument(this.#identityOf(version), write)
      : cachedDocument(write(), JSON_TYPE);
    this.#documents.set(path, document);
    return document;
  }

  /** Returns a text that changes whenever the document of custom kinds does. */
  #identityOf({ resources }: Version): string {
    const { name } = this.#dialect;
    const versions = this.#optionVersions().map(({ group, version }) => groupVersionPath(group, version));
    const facts = resources.map(({ definition }) => definition.publishedFrom?.() ?? definition);
    return JSON.stringify([this.#build, name, versions, facts]);
  }

  /** Returns the versions in which options and watch events exist: those of the kinds that are not custom. */
  #optionVersions(): Version[] {
    return [...this.#versions.values()].filter(({ custom }) => !custom);
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
      this.#optionVersions(),
      this.#dialect,
    );
    return writeVersion2(
      versions.flatMap((version) => this.#paths(version)),
      types,
      this.#dialect,
    );
  }

  #paths({ group, version, resources, custom }: Version): PathItem[] {
    const items = [
      ...(custom ? [] : [resourceListPath(group, version, this.#dialect)]),
      ...resources.flatMap((resource) => resourcePaths(resource, this.#dialect)),
    ];
    return items.sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

/** A document that is identified by the facts that it is made from, and written when it is read. */
class DeferredDocument implements CachedDocument {
  readonly hash: string;
  readonly etag: string;
  readonly contentType = JSON_TYPE;
  readonly #write: () => JsonObject;
  #text: string | undefined;

  constructor(identity: string, write: () => JsonObject) {
    this.hash = documentHash(identity);
    this.etag = `"${this.hash}"`;
    this.#write = write;
  }

  get text(): string {
    return (this.#text ??= cachedDocument(this.#write(), this.contentType).text);
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
  const versions = new Map<string, Version & { resources: OpenApiResource[]; custom: boolean }>();
  for (const resource of [...resources].sort((a, b) =>
    a.group === b.group ? compareVersions(a.version, b.version) : a.group < b.group ? -1 : 1,
  )) {
    const { group, version } = resource;
    const path = groupVersionPath(group, version).slice(1);
    const known = versions.get(path);
    if (known === undefined) versions.set(path, { group, version, resources: [resource], custom: isCustom(resource) });
    else {
      known.resources.push(resource);
      known.custom &&= isCustom(resource);
    }
  }
  return versions;
}
