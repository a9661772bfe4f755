import { decodeUtf8Lossy, encodeUtf8 } from '../../foundation/index.js';
import { beginningOfText, lengthOfText, type AuditText } from '../../security/index.js';
import {
  chunksLength,
  isStream,
  loggedQuery,
  textLength,
  type ApiResponse,
  type RequestScope,
  type ResponseBody,
} from '../../server/index.js';
import type { RecordedBodies, RecordedRequest } from '../answers.js';
import { Listeners } from './listeners.js';
import { Ring, type OpenRecordings } from './ring.js';

/** Number of requests that are kept: about 1 MB, at most 12 MB with the longest texts, unless others need the memory. */
const MOST = 2000;
/** Number of requests whose bodies are kept, the memory of all bodies, and the most characters of a body that are kept. */
const MOST_BODIES = 500;
const MOST_BODY_BYTES = 8 * 1024 * 1024;
const LONGEST_BODY = 32 * 1024;
/** Texts of clients are cut after so many characters. */
const LONGEST = 500;

/** The newest requests that came by a transport. */
export class RequestRecorder {
  readonly #ring: Ring<RecordedRequest>;
  readonly #bodies: Ring<RecordedBodies & { readonly number: number }>;
  readonly #listeners = new Listeners<RecordedRequest>();
  #count = 0;

  constructor(open: OpenRecordings) {
    this.#ring = new Ring({ most: MOST, bytesOf, open });
    this.#bodies = new Ring({
      ...{ most: MOST_BODIES, mostBytes: MOST_BODY_BYTES, open },
      bytesOf: ({ request = '', response = '' }) => ENTRY_BYTES + request.length + response.length,
    });
  }

  /** @returns what was recorded */
  record(scope: RequestScope, { status, body }: ApiResponse, nowMs: number): RecordedRequest {
    const { request, info, user, receivedMs } = scope;
    const lengthOfUrl = info.path.length + request.query.length;
    this.#count += 1;
    const recorded = {
      number: this.#count,
      time: receivedMs,
      ms: Math.max(0, nowMs - receivedMs),
      user: cut(user.username),
      verb: cut(info.verb),
      method: cut(request.method),
      path: cut(info.path, lengthOfUrl),
      query: cut(loggedQuery(request.query), lengthOfUrl),
      code: status,
      bytesIn: Number(request.headers.get('content-length') ?? 0) || 0,
      bytesOut: lengthOf(body),
      userAgent: cut(scope.userAgent),
      auditId: cut(scope.auditId),
      level: scope.audit?.level ?? '',
    };
    this.#ring.add(recorded);
    this.#recordBodies(scope, this.#count);
    this.#listeners.tell(recorded);
    return recorded;
  }

  /** Returns a request that is kept, by its number. */
  byNumber(number: number): RecordedRequest | undefined {
    const newest = this.#ring.at(this.#ring.size - 1)?.number ?? 0;
    return this.#ring.at(this.#ring.size - 1 - (newest - number));
  }

  /** Returns the bodies of a request that are kept. */
  bodiesOf(number: number): RecordedBodies | undefined {
    for (const bodies of this.#bodies.newestFirst()) if (bodies.number === number) return bodies;
    return undefined;
  }

  /** Keeps the bodies that the audit policy has recorded. Those of credentials never are. */
  #recordBodies({ audit }: RequestScope, number: number): void {
    const { requestObject = '', responseObject = '', isTooLong = false } = audit?.bodies ?? {};
    if (requestObject === '' && responseObject === '' && !isTooLong) return;
    this.#bodies.add({
      number,
      ...(requestObject === '' ? {} : { request: beginning(requestObject) }),
      ...(responseObject === '' ? {} : { response: beginning(responseObject) }),
      tooLong: isTooLong,
      lengths: [lengthOfText(requestObject), lengthOfText(responseObject)],
    });
  }

  /** Returns the newest requests that pass a filter, the oldest of them first. */
  newest(limit: number, passes: (request: RecordedRequest) => boolean): RecordedRequest[] {
    const found: RecordedRequest[] = [];
    for (const request of this.#ring.newestFirst()) {
      if (found.length >= limit) break;
      if (passes(request)) found.push(request);
    }
    return found.reverse();
  }

  close(): void {
    this.#ring.close();
    this.#bodies.close();
  }

  /** Calls back for each request from now on. @returns a function that ends it */
  follow(listener: (request: RecordedRequest) => void): () => void {
    return this.#listeners.add(listener);
  }
}

/** Memory of a request besides its texts, in bytes. */
const ENTRY_BYTES = 200;

/** Returns the memory of a request. The engine keeps a text in one or two bytes for each character. */
const bytesOf = ({ user, verb, method, path, query, userAgent, auditId }: RecordedRequest): number =>
  [user, verb, method, path, query, userAgent, auditId].reduce((sum, text) => sum + 2 * text.length, ENTRY_BYTES);

/**
 * Returns the beginning of a text. It is a copy where it may be part of a longer one, which it would keep in memory.
 *
 * @param whole length of the text that it is part of
 */
function cut(text: string, whole = text.length): string {
  if (whole <= LONGEST) return text;
  return decodeUtf8Lossy(encodeUtf8(text.slice(0, LONGEST))) + (text.length > LONGEST ? '…' : '');
}

/** Returns the beginning of a body. A part is copied, since it would otherwise keep the whole in memory. */
function beginning(body: AuditText): string {
  const text = beginningOfText(body, LONGEST_BODY + 1);
  return text.length <= LONGEST_BODY ? text : decodeUtf8Lossy(encodeUtf8(text.slice(0, LONGEST_BODY)));
}

function lengthOf(body: ResponseBody): number {
  if (body === undefined) return 0;
  if (typeof body === 'string' || body instanceof Uint8Array) return body.length;
  if (isStream(body)) return body.length ?? 0;
  return 'chunks' in body ? chunksLength(body) : textLength(body);
}
