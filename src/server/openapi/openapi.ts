/**
 * The OpenAPI documents of a set of resources: version 3 by group version with an index, and version 2 as one document.
 *
 * @module
 */
import { appendAll, inSlices, SharedWork, shareTurn, type Dialect, type JsonObject } from '../../foundation/index.js';
import { importDescriptions } from '../../kinds/late.js';
import { hashSteps } from '../discovery/documents.js';
import { compareVersions, isCustom } from '../discovery/index.js';
import type { RemoteVersion } from '../discovery/remote-version.js';
import { VERSION2_PROTOBUF_TYPE, type OpenApiDocuments } from './handler.js';
import type { RemoteDocument, RemoteDocumentSource } from './merge/remote-document.js';
import { withDocuments } from './merge/with-documents.js';
import type { OpenApiResource, PathItem } from './model.js';
import { groupVersionPath, resourceListPath, resourcePaths } from './operations.js';
import { encodeVersion2 } from './protobuf.js';
import { documentBytes, documentText } from './text.js';
import { documentTypes } from './types.js';
import { writeVersion2 } from './version2.js';
import { writeVersion3 } from './version3.js';
import { DeferredDocument, writtenDocument, type OpenApiDocument } from './written-document.js';

/** Source of the documents. */
export interface OpenApiSource {
  readonly resources: readonly OpenApiResource[];
  /** The versions that other servers serve, which replace those of this server. Default none. */
  readonly remote?: readonly RemoteVersion[] | undefined;
  /** Their documents of version 2. Default none. */
  readonly documents?: RemoteDocumentSource | undefined;
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

/** Version 2, with the documents of other servers. */
interface Version2 {
  /** A text that changes whenever a document of another server does. */
  readonly identity: string;
  readonly json: Promise<OpenApiDocument>;
  readonly write: (encode: (document: JsonObject) => Promise<Uint8Array>) => Promise<Uint8Array>;
}

const JSON_TYPE = 'application/json';

/**
 * The OpenAPI documents of a fixed set of resources. Each document is written on first use and cached; the kinds that
 * it describes are loaded for it. Writing leaves the event loop free between its steps.
 */
export class OpenApi implements OpenApiDocuments {
  readonly resources: readonly OpenApiResource[];
  readonly remote: readonly RemoteVersion[] | undefined;
  readonly #remoteDocuments: RemoteDocumentSource | undefined;
  readonly #dialect: Dialect;
  readonly #build: string;
  /** Group versions by path without the leading slash: `api/v1`. */
  readonly #versions: ReadonlyMap<string, Version>;
  readonly #documents = new Map<string, Promise<OpenApiDocument>>();
  /** Hashes of the facts that kinds are published from. The schema of a custom kind may have megabytes. */
  readonly #factHashes: WeakMap<OpenApiResource['definition'], string>;
  #index: Promise<OpenApiDocument> | undefined;
  #version2: Version2 | undefined;
  /** Version 2 in protobuf, and what it is identified by. */
  #protobuf: { readonly identity: string; readonly document: OpenApiDocument } | undefined;

  /** @param previous documents of an earlier set; those of versions with the same resources are reused */
  constructor({ resources, remote, documents, dialect, build = '' }: OpenApiSource, previous?: OpenApi) {
    this.resources = resources;
    this.remote = remote;
    this.#remoteDocuments = documents;
    this.#dialect = dialect;
    this.#build = build;
    this.#factHashes = previous === undefined ? new WeakMap() : previous.#factHashes;
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
  index(): Promise<OpenApiDocument> {
    this.#index ??= this.#writeIndex().catch((error: unknown) => {
      this.#index = undefined;
      throw error;
    });
    return this.#index;
  }

  async #writeIndex(): Promise<OpenApiDocument> {
    const paths: Record<string, JsonObject> = {};
    const remote = new Map(
      (this.remote ?? []).map(({ group, version, openApiUrl }) => [
        groupVersionPath(group, version).slice(1),
        openApiUrl,
      ]),
    );
    for (const path of this.#versions.keys())
      if (!remote.has(path)) paths[path] = { serverRelativeURL: await this.url(path) };
    for (const [path, serverRelativeURL] of remote)
      if (serverRelativeURL !== undefined) paths[path] = { serverRelativeURL };
    return writtenDocument(await documentBytes({ paths }), JSON_TYPE);
  }

  /** Returns the URL of a document, with the hash of its content. */
  async url(path: string): Promise<string> {
    return `/openapi/v3/${path}?hash=${(await this.document(path))?.hash ?? ''}`;
  }

  /** Returns `/openapi/v3/{path}`, e.g. `apis/apps/v1`; undefined for an unknown version. */
  document(path: string): Promise<OpenApiDocument> | undefined {
    const known = this.#documents.get(path);
    if (known !== undefined) return known;
    const version = this.#versions.get(path);
    if (version === undefined) return undefined;
    const document = this.#documentOf([version], JSON_TYPE, () => this.#writeVersion3(version));
    this.#documents.set(path, document);
    // A document that could not be written is written again.
    document.catch(() => this.#documents.delete(path));
    return document;
  }

  async #writeVersion3(version: Version): Promise<Uint8Array> {
    const types = await this.#typesOf(version.resources);
    return documentBytes(await writeVersion3(await this.#paths([version]), types, this.#dialect, version.custom));
  }

  /** Returns `/openapi/v2`, with what the documents of other servers say about their versions. */
  async version2(): Promise<OpenApiDocument> {
    return (await this.#currentVersion2()).json;
  }

  /** Returns `/openapi/v2` in protobuf. */
  async version2Protobuf(): Promise<OpenApiDocument> {
    const { json, write } = await this.#currentVersion2();
    // The same content in two formats: each needs its own ETag.
    const identity = `${(await json).hash} ${VERSION2_PROTOBUF_TYPE}`;
    if (this.#protobuf?.identity !== identity)
      this.#protobuf = {
        identity,
        document: new DeferredDocument(identity, VERSION2_PROTOBUF_TYPE, () => write(encodeVersion2)),
      };
    return this.#protobuf.document;
  }

  async #currentVersion2(): Promise<Version2> {
    const documents = (await this.#remoteDocuments?.documents()) ?? [];
    const identity = documents.map(({ hash }) => hash).join();
    if (this.#version2?.identity === identity) return this.#version2;
    const versions = this.#ownVersions();
    const write: Version2['write'] = (encode) => this.#writeVersion2(versions, documents, encode);
    const json = this.#documentOf(versions, JSON_TYPE, () => write((document) => documentBytes(document)), identity);
    const version2: Version2 = (this.#version2 = { identity, json, write });
    json.catch(() => {
      if (this.#version2 === version2) this.#version2 = undefined;
    });
    return version2;
  }

  /** Returns the versions that no other server serves. */
  #ownVersions(): Version[] {
    const remote = new Set((this.remote ?? []).map(({ group, version }) => groupVersionPath(group, version)));
    return [...this.#versions.values()].filter(({ group, version }) => !remote.has(groupVersionPath(group, version)));
  }

  async #writeVersion2(
    versions: readonly Version[],
    documents: readonly RemoteDocument[],
    encode: (document: JsonObject) => Promise<Uint8Array>,
  ): Promise<Uint8Array> {
    const types = await this.#typesOf(versions.flatMap(({ resources }) => resources));
    const own = await writeVersion2(await this.#paths(versions), types, this.#dialect);
    const source = this.#remoteDocuments;
    if (source === undefined || documents.length === 0) return encode(own);
    return withDocuments(source, own, documents, { dialect: this.#dialect, use: encode });
  }

  /**
   * Returns a document of some versions. It is written when it is read, unless nothing but its content tells whether it
   * has changed.
   *
   * @param rest identity of what else is in it
   */
  async #documentOf(
    versions: readonly Version[],
    contentType: string,
    write: () => Promise<Uint8Array>,
    rest = '',
  ): Promise<OpenApiDocument> {
    const identity = await this.#identityOf(versions);
    return identity === undefined
      ? writtenDocument(await write(), contentType)
      : new DeferredDocument(identity + rest, contentType, write);
  }

  /** Returns a text that changes whenever the document of some versions does; undefined when there is none. */
  async #identityOf(versions: readonly Version[]): Promise<string | undefined> {
    const facts: string[] = [];
    for (const { definition } of versions.flatMap(({ resources }) => resources)) {
      let hash = this.#factHashes.get(definition);
      if (hash === undefined) {
        const published = definition.publishedFrom?.() ?? (isCustom({ definition }) ? definition : undefined);
        if (published === undefined) return undefined;
        const work = new SharedWork();
        const text = await inSlices(work, documentText(published as JsonObject, work));
        hash = await inSlices(work, hashSteps([text]));
        this.#factHashes.set(definition, hash);
      }
      facts.push(hash);
    }
    const { name } = this.#dialect;
    const paths = this.#optionVersions().map(({ group, version }) => groupVersionPath(group, version));
    return JSON.stringify([this.#build, name, paths, facts]);
  }

  /** Returns the versions in which options and watch events exist: those of the kinds that are not custom. */
  #optionVersions(): Version[] {
    return [...this.#versions.values()].filter(({ custom }) => !custom);
  }

  /** Loads kinds, and returns their types by component name. */
  async #typesOf(resources: readonly OpenApiResource[]): ReturnType<typeof documentTypes> {
    // The types of custom kinds are there already; the rest of such a kind is not needed.
    for (const resource of resources) if (!isCustom(resource)) await resource.definition.prepare?.();
    return documentTypes(resources, this.#optionVersions(), this.#dialect, await importDescriptions());
  }

  async #paths(versions: readonly Version[]): Promise<PathItem[]> {
    const all: PathItem[] = [];
    for (const { group, version, resources, custom } of versions) {
      const items = custom ? [] : [resourceListPath(group, version, this.#dialect)];
      for (const resource of resources) {
        const turn = shareTurn();
        if (turn !== undefined) await turn;
        appendAll(items, resourcePaths(resource, this.#dialect));
      }
      appendAll(
        all,
        items.sort((a, b) => (a.path < b.path ? -1 : 1)),
      );
    }
    return all;
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
