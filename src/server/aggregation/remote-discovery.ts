/**
 * The kinds that other servers serve: read from each now and then, for the discovery of this one.
 *
 * Source: `kube-aggregator/pkg/apiserver/handler_discovery.go` of Kubernetes 1.31, for the times.
 *
 * @module
 */
import {
  appendTo,
  isArray,
  isJsonObject,
  messageOf,
  ownMember,
  stringOrEmpty,
  type JsonObject,
  type JsonValue,
  type Logger,
  type OutboundResponse,
} from '../../foundation/index.js';
import type { MemoryBudget } from '../../storage/index.js';
import { readJson } from '../codec/json/json-decode.js';
import { aggregatedContentType, aggregatedGroup, LIST_KIND } from '../discovery/aggregated.js';
import type { RemoteVersion } from '../discovery/remote-version.js';
import { bodyDecodeLimits } from '../limits/decode-limits.js';
import { DocumentMemory, type DocumentWork } from './document-memory.js';
import { readRemote, type RemoteReadParts } from './remote-read.js';
import { versionPath, type RemoteService } from './remote-services.js';

/** Time between two reads. */
const INTERVAL_MS = 60_000;
const TIMEOUT_MS = 5000;
/** Maximum length of a document. */
const MAX_BYTES = 1024 * 1024;
/** Maximum number of objects and lists in a document: ten times as many as a server with two hundred kinds has. */
const DECODE_LIMITS = bodyDecodeLimits({ bodyContainers: 20_000 });
/** Memory of a byte of a document: in its chunks and in the whole. */
const READ_COPIES = 2;

/** The parts that the reads use. */
export interface RemoteDiscoveryParts extends RemoteReadParts {
  readonly logger: Logger;
  /** The memory budget of the server. */
  readonly memory: Pick<MemoryBudget, 'open' | 'memoryBytes'>;
}

/** A version that is read now and then. */
interface Followed {
  service: RemoteService;
  version: RemoteVersion;
  timer: { cancel(): void } | undefined;
  isReading: boolean;
  /** Whether it changed while it was read. */
  isOutdated: boolean;
  /** The last aggregated document, with its tag. */
  etag: string | undefined;
  /** Memory of the entries, in bytes. */
  keptBytes: number;
}

/** The discovery of the versions that other servers serve. */
export class RemoteDiscovery {
  readonly #parts: RemoteDiscoveryParts;
  readonly #followed = new Map<string, Followed>();
  readonly #memory: DocumentMemory;
  #versions: readonly RemoteVersion[] | undefined;
  #isClosed = false;

  constructor(parts: RemoteDiscoveryParts) {
    this.#parts = parts;
    this.#memory = new DocumentMemory(parts.memory);
  }

  /** The versions: the same list until something changes. */
  get versions(): readonly RemoteVersion[] {
    return (this.#versions ??= Array.from(this.#followed.values(), ({ version }) => version));
  }

  /** Takes a new or changed server, and reads what it serves. */
  set(service: RemoteService): void {
    if (this.#isClosed) return;
    const { name, group, version, groupPriority, versionPriority } = service;
    const known = this.#followed.get(name);
    const { resources = [], openApiUrl, isCurrent = false } = known?.version ?? {};
    const served = { group, version, groupPriority, versionPriority, resources, openApiUrl, isCurrent };
    const followed: Followed = known ?? {
      ...{ service, version: served, timer: undefined, etag: undefined, keptBytes: 0 },
      ...{ isReading: false, isOutdated: false },
    };
    followed.service = service;
    this.#followed.set(name, followed);
    this.#learn(followed, served);
    this.#read(followed);
  }

  /** Forgets a server. */
  delete(name: string): void {
    const followed = this.#followed.get(name);
    followed?.timer?.cancel();
    this.#memory.forget(followed?.keptBytes ?? 0);
    this.#followed.delete(name);
    this.#versions = undefined;
  }

  /** Stops reading. */
  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#followed.values()) timer?.cancel();
    this.#memory.close();
  }

  #learn(followed: Followed, version: RemoteVersion): void {
    followed.version = version;
    this.#versions = undefined;
  }

  #read(followed: Followed): void {
    followed.timer?.cancel();
    followed.isOutdated = followed.isReading;
    if (followed.isReading) return;
    followed.isReading = true;
    const work = this.#memory.begin();
    void this.#resourcesOf(followed, work)
      .then(async (found) => {
        const openApiUrl = await this.#openApiUrlOf(followed.service, work);
        if (found !== undefined && !this.#isOver(followed))
          followed.keptBytes = await this.#memory.keep(found, followed.keptBytes);
        const { version } = followed;
        const resources = found ?? version.resources;
        if (found !== undefined || !version.isCurrent || openApiUrl !== version.openApiUrl)
          this.#learn(followed, { ...version, resources, openApiUrl, isCurrent: true });
      })
      .catch((error: unknown) => this.#failed(followed, error))
      .finally(() => {
        work.end();
        followed.isReading = false;
        if (this.#isOver(followed)) return;
        if (followed.isOutdated) this.#read(followed);
        else followed.timer = this.#parts.clock.after(INTERVAL_MS, () => this.#read(followed));
      });
  }

  /** Whether a version is not followed any more. */
  #isOver(followed: Followed): boolean {
    return this.#isClosed || this.#followed.get(followed.service.name) !== followed;
  }

  #failed(followed: Followed, error: unknown): void {
    if (!this.#isClosed && followed.version.isCurrent)
      this.#parts.logger.info('the discovery of an APIService cannot be read', {
        name: followed.service.name,
        reason: messageOf(error),
      });
    if (followed.version.isCurrent) this.#learn(followed, { ...followed.version, isCurrent: false });
  }

  /** Returns the entries of a version; undefined when they are as before. @throws Error for another answer */
  async #resourcesOf(followed: Followed, work: DocumentWork): Promise<readonly JsonObject[] | undefined> {
    const { group, version } = followed.service;
    const { dialect } = this.#parts;
    const accept = `application/json;g=${aggregatedGroup(dialect)};v=v2;as=${LIST_KIND}, application/json`;
    const known = followed.etag === undefined ? {} : { 'if-none-match': followed.etag };
    const whole = await this.#get(followed.service, group === '' ? '/api' : '/apis', { accept, ...known }, work);
    if (whole.status === 304) return undefined;
    if (whole.status === 200 && whole.header('content-type') === aggregatedContentType(dialect, 'v2')) {
      const found = versionIn(await objectOf(whole, work), group, version);
      followed.etag = whole.header('etag');
      return found;
    }
    const path = versionPath(followed.service);
    const list = await this.#get(followed.service, path, { accept: 'application/json' }, work);
    if (list.status !== 200) throw new Error(`bad status from ${path}: ${list.status}`);
    return aggregatedOf(objectsIn((await objectOf(list, work))['resources']));
  }

  /** Returns the URL of the OpenAPI document; undefined for a server that does not answer with one. */
  async #openApiUrlOf(service: RemoteService, work: DocumentWork): Promise<string | undefined> {
    const path = versionPath(service).slice(1);
    const paths = await this.#get(service, '/openapi/v3', { accept: 'application/json' }, work)
      .then(async (index) => (index.status === 200 ? (await objectOf(index, work))['paths'] : undefined))
      .catch(() => undefined);
    const entry = isJsonObject(paths) ? ownMember(paths, path) : undefined;
    const url = isJsonObject(entry) ? stringOrEmpty(entry['serverRelativeURL']) : '';
    // The client will send it to this server.
    return url === `/openapi/v3/${path}` || url.startsWith(`/openapi/v3/${path}?`) ? url : undefined;
  }

  #get(
    service: RemoteService,
    path: string,
    headers: Readonly<Record<string, string>>,
    work: DocumentWork,
  ): Promise<OutboundResponse> {
    const onChunk = (bytes: number): void => work.reserve(bytes * READ_COPIES);
    return readRemote(this.#parts, service, { path, headers, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, onChunk });
  }
}

/** @throws Error for a body that is not a JSON object */
async function objectOf({ body }: OutboundResponse, work: DocumentWork): Promise<JsonObject> {
  const { value } = await readJson(body, DECODE_LIMITS, { work });
  if (!isJsonObject(value)) throw new Error('the discovery document is not a JSON object');
  return value;
}

const objectsIn = (value: JsonValue | undefined): readonly JsonObject[] =>
  isArray(value) ? value.filter((item): item is JsonObject => isJsonObject(item)) : [];

/** Returns the entries of a version in an aggregated document. @throws Error when it does not have the version */
function versionIn(document: JsonObject, group: string, version: string): readonly JsonObject[] {
  const found = objectsIn(document['items'])
    .filter(({ metadata }) => isJsonObject(metadata) && stringOrEmpty(metadata['name']) === group)
    .flatMap(({ versions }) => objectsIn(versions))
    .find((served) => served['version'] === version);
  if (found === undefined) throw new Error(`the discovery document has no ${group}/${version}`);
  return objectsIn(found['resources']);
}

/** Returns the entries of an APIResourceList in aggregated form. */
function aggregatedOf(entries: readonly JsonObject[]): readonly JsonObject[] {
  const bySubject = new Map<string, JsonObject[]>();
  for (const entry of entries) {
    const [resource = '', subresource] = stringOrEmpty(entry['name']).split('/');
    if (subresource === undefined) continue;
    const { verbs = [] } = entry;
    appendTo(bySubject, resource, { subresource, responseKind: responseKindOf(entry), verbs });
  }
  return entries
    .filter((entry) => !stringOrEmpty(entry['name']).includes('/'))
    .map(({ name = '', singularName = '', namespaced, verbs = [], shortNames, categories, ...entry }) => {
      const subresources = bySubject.get(stringOrEmpty(name));
      return {
        ...{ resource: name, responseKind: responseKindOf(entry), singularResource: singularName, verbs },
        scope: namespaced === true ? 'Namespaced' : 'Cluster',
        ...(shortNames === undefined ? {} : { shortNames }),
        ...(categories === undefined ? {} : { categories }),
        ...(subresources === undefined ? {} : { subresources }),
      };
    });
}

const responseKindOf = ({ group = '', version = '', kind = '' }: JsonObject): JsonObject => ({ group, version, kind });
