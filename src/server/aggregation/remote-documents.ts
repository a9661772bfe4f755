/**
 * The OpenAPI documents of version 2 of other servers, for the one document of this server. They are read when somebody
 * asks for that document, at most once a minute; of a server that does not answer, the last document counts.
 *
 * Source: `kube-aggregator/pkg/controllers/openapi/aggregator` of Kubernetes 1.31, for what is taken from a document.
 *
 * @module
 */
import {
  inSlices,
  isJsonObject,
  messageOf,
  within,
  type DecodeAnswer,
  type Logger,
  type OutboundResponse,
  type WorkPart,
} from '../../foundation/index.js';
import { hashSteps } from '../discovery/documents.js';
import { documentOfPaths, mergeableDocument } from '../openapi/merge/partial-document.js';
import type { RemoteDocument } from '../openapi/merge/remote-document.js';
import { documentBytes } from '../openapi/text.js';
import { readRemote, type RemoteReadParts } from './remote-read.js';
import { versionPath, type RemoteService } from './remote-services.js';

/** Time between two reads of a document, and the longest time after failures, in milliseconds. */
const INTERVAL_MS = 60_000;
const MAX_WAIT_MS = 60 * 60 * 1000;
/** Time for one document, and for all of them in one request, in milliseconds. */
const TIMEOUT_MS = 10_000;
const TOTAL_MS = 20_000;
/** Time for all of them while the last document of each is known, in milliseconds. */
const AGAIN_MS = 500;
/** Maximum length of a document, in bytes: it is decoded to text in one turn. That of Kubernetes 1.31 has 4 MB. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Documents that are read at the same time. */
const AT_ONCE = 2;
/** A document is kept once by itself, and once in each form of the merged document. */
const COPIES = 3;

const ACCEPT = 'application/json';

/** The parts that the reads use. */
export interface RemoteDocumentsParts extends RemoteReadParts {
  readonly logger: Logger;
  /** Decodes the documents. */
  readonly decode: DecodeAnswer;
  /** Begins work of the server itself, whose memory counts against its budget. */
  readonly ownWork: () => WorkPart;
}

/** A version whose document is read. */
interface Followed {
  service: RemoteService;
  /** The part of the document for this version; undefined while there is none. */
  document: RemoteDocument | undefined;
  /** Its memory. */
  held: WorkPart | undefined;
  etag: string | undefined;
  /** When the document has to be read again, in milliseconds since the epoch. */
  dueMs: number;
  /** Number of failures in a row. */
  failures: number;
}

/** The documents of the versions that other servers serve. */
export class RemoteDocuments {
  readonly #parts: RemoteDocumentsParts;
  readonly #followed = new Map<string, Followed>();
  #reading: Promise<void> | undefined;

  constructor(parts: RemoteDocumentsParts) {
    this.#parts = parts;
  }

  /** Takes a new or changed server, whose document is read with the next request. */
  set(service: RemoteService): void {
    const known = this.#followed.get(service.name);
    if (known !== undefined) Object.assign(known, { service, dueMs: -Infinity, failures: 0 });
    else
      this.#followed.set(service.name, {
        ...{ service, document: undefined, held: undefined, etag: undefined },
        ...{ dueMs: -Infinity, failures: 0 },
      });
  }

  /** Forgets a server. */
  delete(name: string): void {
    const followed = this.#followed.get(name);
    if (followed !== undefined) drop(followed);
    this.#followed.delete(name);
  }

  /** Gives up everything. */
  close(): void {
    for (const name of this.#followed.keys()) this.delete(name);
  }

  /** Returns the last documents of the servers, in the order of their priorities. */
  async read(): Promise<readonly RemoteDocument[]> {
    if (this.#followed.size === 0) return [];
    const { clock } = this.#parts;
    this.#reading ??= this.#readDue().finally(() => (this.#reading = undefined));
    const reading = this.#reading;
    const isKnown = this.#available().every(({ document }) => document !== undefined);
    // Those that are late will be in the next answer.
    await within(clock, isKnown ? AGAIN_MS : TOTAL_MS, () => reading, late).catch(() => undefined);
    return [...this.#followed.values()]
      .toSorted((a, b) => byPriority(a.service, b.service))
      .flatMap(({ document }) => (document === undefined ? [] : [document]));
  }

  #available(): Followed[] {
    return [...this.#followed.values()].filter(({ service }) => service.isAvailable);
  }

  async #readDue(): Promise<void> {
    const nowMs = this.#parts.clock.now();
    const due = this.#available().filter(({ dueMs }) => dueMs <= nowMs);
    const readRest = async (): Promise<void> => {
      for (let next = due.pop(); next !== undefined; next = due.pop()) await this.#read(next);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, readRest));
  }

  async #read(followed: Followed): Promise<void> {
    const { service } = followed;
    const { clock, ownWork } = this.#parts;
    const work = ownWork();
    let waitMs = INTERVAL_MS;
    try {
      await this.#update(followed, work);
      followed.failures = 0;
    } catch (error) {
      this.#failed(followed, error);
      waitMs = Math.min(INTERVAL_MS * 2 ** followed.failures, MAX_WAIT_MS);
      followed.failures += 1;
    } finally {
      work.end();
    }
    // It is due at once when it has changed meanwhile.
    if (followed.service === service) followed.dueMs = clock.now() + waitMs;
    if (this.#followed.get(service.name) !== followed) drop(followed);
  }

  #failed({ service: { name }, failures }: Followed, error: unknown): void {
    if (failures > 0) return;
    this.#parts.logger.info('the OpenAPI document of an APIService cannot be read', { name, reason: messageOf(error) });
  }

  async #update(followed: Followed, work: WorkPart): Promise<void> {
    const { service, etag } = followed;
    const answer = await readRemote(this.#parts, service, {
      path: '/openapi/v2',
      headers: { accept: ACCEPT, ...(etag === undefined ? {} : { 'if-none-match': etag }) },
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      onChunk: (bytes) => work.reserve(bytes),
    });
    if (answer.status === 304 && followed.document !== undefined) return;
    if (answer.status !== 200) throw new Error(`bad status from /openapi/v2: ${answer.status}`);
    const content = await this.#contentOf(service, answer, work);
    const held = this.#parts.ownWork();
    held.reserve(content.length * COPIES);
    drop(followed);
    const hash = await inSlices(work, hashSteps([content]));
    Object.assign(followed, { document: { hash, content }, held, etag: answer.header('etag') });
  }

  /** Returns the text of what a document says about a version. */
  async #contentOf(service: RemoteService, { body }: OutboundResponse, work: WorkPart): Promise<Uint8Array> {
    const value = await this.#parts.decode(body, work);
    if (!isJsonObject(value)) throw new Error('the OpenAPI document is not a JSON object');
    const path = versionPath(service);
    const isOfVersion = (candidate: string): boolean => candidate === path || candidate.startsWith(`${path}/`);
    const part = await inSlices(work, documentOfPaths(work, mergeableDocument(value), isOfVersion));
    work.reserve(body.length);
    return documentBytes(part, work);
  }
}

/** Gives a document up. */
function drop(followed: Followed): void {
  followed.held?.end();
  Object.assign(followed, { document: undefined, held: undefined, etag: undefined });
}

const late = (): Error => new Error('other servers have not sent their OpenAPI documents in time');

/** The order of Kubernetes: by the priorities of groups and versions, then by name. */
function byPriority(one: RemoteService, other: RemoteService): number {
  const isSameGroup = one.group === other.group;
  const difference = isSameGroup
    ? other.versionPriority - one.versionPriority
    : other.groupPriority - one.groupPriority;
  return difference === 0 ? (one.name < other.name ? -1 : 1) : difference;
}
