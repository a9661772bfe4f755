import { writeFile } from 'node:fs/promises';
import { checkKubeConfigOptions, kubeConfigOf, type KubeConfigOptions } from '../../client/index.js';
import { parseKubeConfig, type KubeConfig } from '../../client/node.js';
import {
  aCount,
  aName,
  checkedElsewhere,
  checkOptions,
  concatBytes,
  decodeUtf8Lossy,
  dialects,
  messageOf,
  oneOf,
  orch,
  shown,
  wrapError,
  type JsonValue,
  type OptionChecks,
} from '../../foundation/index.js';
import { BodyTooLargeError, type ApiRequest, type ApiResponse } from '../../server/index.js';
import { aServer, toFetchHandler, type TransportTarget } from '../../transport/index.js';
import { conversationText, isWrite, type RecordedExchange, type RecordedPiece } from './conversation.js';
import { Pieces, jsonOf } from './pieces.js';
import { problemResponse } from './problem.js';
import { REDACTED, redacted } from './redact.js';
import { isStreamed, obstacleOf, readRequest, type ReadRequest } from './request-form.js';
import { upstreamOfKubeConfig, upstreamOfTarget, type Upstream, type UpstreamAnswer } from './upstream.js';

/** Options of {@link record}. Either `kubeConfig` or `server` is required. */
export interface RecordOptions {
  /** File that the conversation is written to when the recording is closed. */
  readonly file: string;
  /** The server to record: the path of a kubeconfig, its content, or a configuration. Requests are made as its user. */
  readonly kubeConfig?: string | KubeConfig | undefined;
  /** Context of the kubeconfig; default the current one. */
  readonly context?: string | undefined;
  /** Dialect of the names in the kubeconfig; default `kubernetes`. */
  readonly dialect?: 'orch' | 'kubernetes' | undefined;
  /** The server to record, in this process. Requests are made as its owner. */
  readonly server?: RecordedServer | undefined;
  /** Bearer token of the requests to `server`; default that of its owner. */
  readonly token?: string | undefined;
  /**
   * Removes more than the contents of secrets and tokens from what is written: called with the body of each request and
   * response, and with each event of a watch.
   */
  readonly redact?:
    ((body: JsonValue, request: { readonly method: string; readonly path: string }) => JsonValue) | undefined;
  /** Maximum size of the recording, in bytes; requests beyond it are refused. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
}

/** A server in this process that can be recorded, such as an `ApiServer`. */
export interface RecordedServer {
  readonly target: TransportTarget;
  kubeConfig?(options?: KubeConfigOptions): string;
}

/**
 * A recording. Every transport serves it: `listen(recording)` for `kubectl` and other programs,
 * `connectKubeConfig(new KubeConfig(), recording)` for client-node; `fetch` is for everything else.
 */
export interface Recording extends AsyncDisposable {
  /** Where transports send requests. */
  readonly target: TransportTarget;
  /** Sends a request to the recorded server, whatever the host of its URL. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Returns a kubeconfig (YAML) for a listener that serves the recording. Its token has no meaning. */
  kubeConfig(options?: KubeConfigOptions): string;
  /** Number of requests so far. */
  readonly size: number;
  /** Ends the recording and writes the file. Further requests are refused. @throws Error when it cannot be written */
  close(): Promise<void>;
}

const checks: OptionChecks<RecordOptions> = {
  file: aName,
  kubeConfig: checkedElsewhere,
  context: aName,
  dialect: oneOf('orch', 'kubernetes'),
  server: aServer,
  token: aName,
  redact: (value, path) =>
    typeof value === 'function' ? undefined : `the option ${path} must be a function, got ${shown(value)}`,
  maxBytes: aCount('bytes', 1),
};

/**
 * Records the conversation with a server: passes requests on to it, and writes them with their responses to a file,
 * from which {@link replay} answers without the server.
 *
 * Credentials, header fields other than the content type, the values of Secrets and the tokens of token requests are not
 * written.
 *
 * @throws TypeError for an invalid option; KubeConfigError or CredentialError for a kubeconfig that cannot be used
 */
export async function record(options: RecordOptions): Promise<Recording> {
  checkOptions('record', options, checks, ['file']);
  const { kubeConfig, server } = options;
  if ((kubeConfig === undefined) === (server === undefined))
    throw new TypeError('record: set either the option kubeConfig or the option server');
  if (kubeConfig !== undefined && options.token !== undefined)
    throw new TypeError('record: the option token belongs to the option server; a kubeconfig has its own credentials');
  return new Recorder(await upstreamOf(options), options);
}

async function upstreamOf({
  kubeConfig,
  server,
  token,
  context,
  dialect = 'kubernetes',
}: RecordOptions): Promise<Upstream> {
  if (kubeConfig !== undefined)
    return upstreamOfKubeConfig(kubeConfig, { context, dialect: dialects.get(dialect) ?? orch });
  if (server === undefined) throw new TypeError('record: the option server is required');
  return upstreamOfTarget(server.target, token ?? (await ownerToken(server)));
}

async function ownerToken(server: RecordedServer): Promise<string | undefined> {
  if (server.kubeConfig === undefined) return undefined;
  const { users } = await parseKubeConfig(server.kubeConfig());
  return [...users.values()][0]?.token;
}

/** Header fields of responses that are written. */
const KEPT_HEADERS = ['content-type', 'warning', 'retry-after'];
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

/** Where an exchange is among the others. */
interface Place {
  /** Place of the request among all. */
  readonly id: number;
  /** See {@link RecordedExchange.writes}; for a write also its place among the writes. */
  readonly writes: number;
  readonly during: readonly number[] | undefined;
}

type Finish = (pieces: readonly RecordedPiece[], ended: boolean) => void;

class Recorder implements Recording {
  readonly fetch: Recording['fetch'];
  readonly target: TransportTarget = { handle: (request) => this.#handle(request) };
  readonly #upstream: Upstream;
  readonly #options: RecordOptions;
  readonly #exchanges = new Map<number, RecordedExchange>();
  /** Finish streams that are still open. */
  readonly #open = new Set<() => void>();
  readonly #inFlight = new Set<number>();
  #requests = 0;
  #writes = 0;
  #bytes = 0;
  #closing: Promise<void> | undefined;

  constructor(upstream: Upstream, options: RecordOptions) {
    this.#upstream = upstream;
    this.#options = options;
    const handler = toFetchHandler(this.target);
    this.fetch = (input, init) => handler(new Request(input, init));
  }

  get #maxBytes(): number {
    return this.#options.maxBytes ?? DEFAULT_MAX_BYTES;
  }

  get size(): number {
    return this.#requests;
  }

  kubeConfig(options: KubeConfigOptions = {}): string {
    checkKubeConfigOptions(options);
    return kubeConfigOf({ token: 'recording', name: 'recording', ...options });
  }

  async #handle(request: ApiRequest): Promise<ApiResponse> {
    if (this.#closing !== undefined) return problemResponse(500, 'the recording is closed');
    const obstacle = obstacleOf(request);
    if (obstacle !== undefined) return problemResponse(501, `record: ${request.method} ${request.path}: ${obstacle}`);
    let place: Place | undefined;
    try {
      const read = await readRequest(request);
      this.#count(read.body.length);
      place = this.#begin(request);
      return await this.#exchange(request, read, place);
    } catch (error) {
      if (error instanceof BodyTooLargeError) return problemResponse(413, `record: ${error.message}`);
      if (this.#bytes > this.#maxBytes) return problemResponse(500, `record: ${messageOf(error)}`);
      return problemResponse(502, `record: the recorded server did not answer: ${messageOf(error)}`);
    } finally {
      if (place !== undefined && isWrite(request)) this.#inFlight.delete(place.writes);
    }
  }

  #begin(request: ApiRequest): Place {
    const place = {
      id: this.#requests,
      writes: this.#writes,
      during: isWrite(request) && this.#inFlight.size > 0 ? [...this.#inFlight] : undefined,
    };
    this.#requests += 1;
    if (isWrite(request)) {
      this.#inFlight.add(this.#writes);
      this.#writes += 1;
    }
    return place;
  }

  async #exchange(request: ApiRequest, { recorded, body }: ReadRequest, place: Place): Promise<ApiResponse> {
    const answer = await this.#upstream.send(request, body);
    const headers = keptHeaders(answer);
    const { status } = answer;
    const exchange = { request: this.#redactedRequest(recorded), writes: place.writes, during: place.during };
    if (status === 200 && isStreamed(recorded)) {
      const stream = this.#stream(answer, recorded, (pieces, ended) =>
        this.#add(place, { ...exchange, answer: { status, headers, stream: pieces, ended } }),
      );
      return { status, headers, body: { stream } };
    }
    const bytes = await this.#collected(answer.body);
    this.#add(place, { ...exchange, answer: { status, headers, body: this.#written(bytes, recorded) } });
    return { status, headers, body: bytes };
  }

  async #collected(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) {
      this.#count(chunk.length);
      chunks.push(chunk);
    }
    return concatBytes(chunks);
  }

  /** Counts bytes of the recording. @throws Error when there are too many */
  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes)
      throw new Error(`${this.#options.file} would be longer than the option maxBytes, ${this.#maxBytes} bytes`);
  }

  #redactedRequest(request: ReadRequest['recorded']): ReadRequest['recorded'] {
    const { redact } = this.#options;
    return redact === undefined || request.body === undefined
      ? request
      : { ...request, body: redact(request.body, request) };
  }

  /** Returns a body as it is written; undefined for an empty one. */
  #written(bytes: Uint8Array, request: ReadRequest['recorded']): JsonValue | undefined {
    return bytes.length === 0 ? undefined : this.#clean(jsonOf(decodeUtf8Lossy(bytes)), request);
  }

  #add({ id }: Place, exchange: RecordedExchange): void {
    this.#exchanges.set(id, exchange);
  }

  /** Passes a stream on and keeps its pieces. */
  async *#stream(answer: UpstreamAnswer, request: ReadRequest['recorded'], finish: Finish): AsyncGenerator<Uint8Array> {
    const pieces = new Pieces((value) => this.#clean(value, request));
    let ended = false;
    let finished = false;
    const end = (): void => {
      if (finished) return;
      finished = true;
      this.#open.delete(end);
      pieces.end(this.#writes);
      finish(pieces.all, ended);
    };
    this.#open.add(end);
    try {
      for await (const chunk of answer.body) {
        this.#count(chunk.length);
        pieces.add(chunk, this.#writes);
        yield chunk;
      }
      ended = true;
    } finally {
      end();
    }
  }

  #clean(value: JsonValue, { method, path }: ReadRequest['recorded']): JsonValue {
    const clean = typeof value === 'string' ? value : redacted(value, path);
    return this.#options.redact?.(clean, { method, path }) ?? clean;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    for (const finish of this.#open) finish();
    this.#upstream.close();
    const ordered = [...this.#exchanges].sort(([a], [b]) => a - b).map(([, exchange]) => exchange);
    let text = conversationText(ordered);
    for (const secret of this.#upstream.secrets)
      if (secret !== '') text = text.replaceAll(JSON.stringify(secret).slice(1, -1), REDACTED);
    try {
      await writeFile(this.#options.file, text);
    } catch (error) {
      throw wrapError(this.#options.file, error);
    }
  }
}

function keptHeaders(answer: UpstreamAnswer): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = answer.header(name);
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
