import {
  asciiJson,
  decodeUtf8Lossy,
  encodeUtf8,
  errors,
  type JsonObject,
  type StoredObject,
} from '../../foundation/index.js';
import { escapeFieldValue, FieldSelector } from '../../machinery/index.js';
import { WatchStream, type ObjectNotice, type WatchNotice, type WatchOptions } from '../../registry/index.js';
import {
  FRAME_HEAD_BYTES,
  jsonWatchFrame,
  partialObjectMetadata,
  protobufWatchFrame,
  tableEvents,
  type Negotiated,
  type Serializer,
  type WatchEventType,
} from '../codec/index.js';
import { watchSeries, type WatchSeries } from '../metrics/watch-metrics.js';
import type { ApiResponse, StreamBody } from '../requests/http.js';
import type { RequestScope } from '../requests/request-scope.js';
import { headersOf } from '../responses/respond.js';
import { tableOptions } from '../responses/response-context.js';
import type { ResourceCall } from './call.js';
import { negotiate } from './negotiation.js';
import { listOptions } from './options.js';
import { WatchPace } from './watch-pace.js';

/**
 * Parses the options of a watch request. A name in the path selects that object; a field selector must agree with it.
 *
 * @throws ApiError 400 for a field selector that does not agree
 */
export function watchOptionsOf(call: ResourceCall): WatchOptions {
  const { scope, operations } = call;
  const { info } = operations.store;
  const options = { ...listOptions(scope.query, info), ...selectedByPath(scope) };
  if (options.timeoutSeconds !== undefined && options.timeoutSeconds > 0) return options;
  return { ...options, timeoutSeconds: call.watchTimeoutMs() / 1000 };
}

function selectedByPath({ info, query }: RequestScope): Pick<WatchOptions, 'fieldSelector'> {
  const name = info.parts[1];
  if (name === undefined) return {};
  const text = query.get('fieldSelector') ?? '';
  const fieldSelector = FieldSelector.parse(text === '' ? `metadata.name=${escapeFieldValue(name)}` : text);
  if (fieldSelector.exact('metadata.name') !== name)
    throw errors.badRequest("fieldSelector metadata.name doesn't match requested name");
  return { fieldSelector };
}

/** Opens the notices of a watch request. @param pace the pace of its initial state */
export async function openNotices(call: ResourceCall, pace: WatchPace): Promise<AsyncIterableIterator<WatchNotice>> {
  const { scope, operations } = call;
  const namespace = operations.store.info.namespaced ? scope.info.namespace : '';
  const options = { ...watchOptionsOf(call), initialPace: pace };
  const notices = await operations.store.watch(namespace, options, scope.signal);
  return scope.interception?.watch(notices) ?? notices;
}

/** Handles a watch over HTTP: responds with a stream of events. */
export async function watchResource(call: ResourceCall): Promise<ApiResponse> {
  const negotiated = negotiate(call);
  const pace = new WatchPace(call);
  const notices = await openNotices(call, pace);
  return {
    status: 200,
    headers: headersOf({ ...call, negotiated }),
    body: frameBody(new Frames(new FrameEncoder(call, negotiated), notices, pace), notices),
  };
}

/** Returns the frames of a watch. Those of an interceptor are only iterated: it may wait for any of them. */
function frameBody(frames: Frames, notices: AsyncIterableIterator<WatchNotice>): StreamBody {
  if (!(notices instanceof WatchStream)) return { stream: frames };
  return { stream: frames, take: (ready) => frames.take(notices, ready) };
}

/** The frames of a watch. A generator would take several more turns of the microtask queue for each of them. */
class Frames implements AsyncIterableIterator<Uint8Array> {
  readonly #encoder: FrameEncoder;
  readonly #notices: AsyncIterableIterator<WatchNotice>;
  readonly #pace: WatchPace;
  /** Frames of the initial state that have been made, the first one last. */
  #made: Uint8Array[] = [];
  /** Why a frame could not be made. */
  #failure: { readonly error: unknown } | undefined;

  constructor(encoder: FrameEncoder, notices: AsyncIterableIterator<WatchNotice>, pace: WatchPace) {
    this.#encoder = encoder;
    this.#notices = notices;
    this.#pace = pace;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Takes the next frame if its notice is there ({@link StreamBody.take}). */
  take(notices: WatchStream, ready: () => void): Uint8Array | 'later' | 'next' {
    const made = this.#made.pop();
    if (made !== undefined) return made;
    if (this.#failure !== undefined) return 'next';
    const notice = notices.take(ready);
    if (typeof notice === 'string') return notice;
    try {
      return this.#encoder.encode(notice);
    } catch (error) {
      this.#failure = { error };
      return 'next';
    }
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const made = this.#made.pop();
    if (made !== undefined) return { done: false, value: made };
    if (this.#failure !== undefined) return this.#failed(this.#failure.error);
    const next = await this.#notices.next();
    if (next.done === true) return END;
    try {
      const notice = next.value;
      return { done: false, value: isInitial(notice) ? this.#firstOf(notice) : this.#encoder.encode(notice) };
    } catch (error) {
      return this.#failed(error);
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#made = [];
    await this.#notices.return?.();
    return END;
  }

  /** Makes the frames of initial events, and returns the first one. @throws what its encoding throws */
  #firstOf(notice: ObjectNotice): Uint8Array {
    const frames = this.#pace.handOut(this.#initialFrames(notice));
    this.#made = frames.reverse();
    return this.#made.pop() as Uint8Array;
  }

  /** Makes the frame of an initial event and of those that follow it in the page that has been read. */
  *#initialFrames(first: ObjectNotice): Generator<Uint8Array> {
    yield this.#encoder.encode(first);
    const notices = this.#notices;
    if (!(notices instanceof WatchStream)) return;
    for (let notice = takeReadable(notices); notice !== undefined; notice = takeReadable(notices)) {
      let frame: Uint8Array;
      try {
        frame = this.#encoder.encode(notice);
      } catch (error) {
        // Reported after the frames that have been made.
        this.#failure = { error };
        return;
      }
      yield frame;
    }
  }

  async #failed(error: unknown): Promise<never> {
    await this.return();
    throw error;
  }
}

/** Takes the next initial event, unless `next()` reports why it cannot be read. */
function takeReadable(notices: WatchStream): ObjectNotice | undefined {
  try {
    return notices.takeInitial();
  } catch {
    return undefined;
  }
}

const isInitial = (notice: WatchNotice): notice is ObjectNotice =>
  notice.type === 'ADDED' && notice.source === undefined;

const END = { done: true, value: undefined } as const;

/** Encodes notices as frames. Watchers of the same form share the frames. */
class FrameEncoder {
  readonly #call: ResourceCall;
  readonly #negotiated: Negotiated;
  /** Names of the frames of each type of event. Made once: the hash of a new text costs more than its look-up. */
  readonly #names: Readonly<Record<ObjectNotice['type'], string>>;
  readonly #transform: ((object: StoredObject) => JsonObject) | undefined;
  readonly #sent: WatchSeries;
  #first = true;

  constructor(call: ResourceCall, negotiated: Negotiated) {
    this.#call = call;
    this.#sent = watchSeries(call.responder.metrics, call.operations.store.info);
    this.#negotiated = negotiated;
    this.#transform = transformerOf(call, negotiated);
    const { transformation, serializer } = negotiated;
    const form = `${call.operations.store.info.apiVersion} ${serializer.mediaType} ${transformation?.kind ?? ''} ${transformation?.version ?? ''} ${call.scope.query.get('includeObject') ?? ''}`;
    this.#names = { ADDED: `${form} ADDED`, MODIFIED: `${form} MODIFIED`, DELETED: `${form} DELETED` };
  }

  encode(notice: WatchNotice): Uint8Array {
    const frame = this.#encode(notice);
    this.#sent.events.add();
    this.#sent.sizes.observe(frame.length);
    return frame;
  }

  #encode(notice: WatchNotice): Uint8Array {
    if (notice.type === 'ERROR') return this.#frame('ERROR', notice.status);
    if (notice.type === 'BOOKMARK') return this.#frame('BOOKMARK', this.#transformed(this.#bookmark(notice)));
    const shared = notice.source;
    // The first event of a Table carries the columns and is not shared; later events are.
    const first = this.#first && this.#negotiated.transformation?.kind === 'Table';
    if (shared === undefined || first) return this.#objectFrame(notice);
    const name = this.#names[notice.type];
    const key = notice.record === shared.record ? name : `${name} former`;
    const known = shared.frame(key);
    if (known !== undefined) return known;
    const frame = this.#objectFrame(notice);
    shared.cacheFrame(key, frame);
    return frame;
  }

  #objectFrame(notice: ObjectNotice): Uint8Array {
    const { store } = this.#call.operations;
    const asStored = notice.record.modRevision === notice.revision;
    const { serializer } = this.#negotiated;
    if (this.#transform === undefined && asStored && serializer.mediaType === JSON_MEDIA_TYPE) {
      return encodeUtf8(jsonWatchFrame(notice.type, store.text(notice.record)));
    }
    const object = asStored ? store.read(notice.record) : atRevision(store.read(notice.record), notice.revision);
    return this.#frame(notice.type, this.#transformed(object));
  }

  #transformed(object: StoredObject): JsonObject {
    this.#first = false;
    return this.#transform === undefined ? object : this.#transform(object);
  }

  #bookmark(notice: Extract<WatchNotice, { type: 'BOOKMARK' }>): StoredObject {
    const { info, environment } = this.#call.operations.store;
    const annotations = notice.initialEventsEnd
      ? { annotations: { [environment.dialect.initialEventsEndAnnotation]: 'true' } }
      : {};
    return {
      kind: info.kind,
      apiVersion: info.apiVersion,
      metadata: { resourceVersion: String(notice.revision), ...annotations },
    };
  }

  #frame(type: WatchEventType, object: JsonObject): Uint8Array {
    return frameOf(this.#negotiated.serializer, type, object, this.#call);
  }
}

const JSON_MEDIA_TYPE = 'application/json';

function frameOf(serializer: Serializer, type: WatchEventType, object: JsonObject, call: ResourceCall): Uint8Array {
  if (serializer.mediaType === JSON_MEDIA_TYPE) return encodeUtf8(jsonWatchFrame(type, asciiJson(object)));
  const encoded = serializer.encode(object, { pretty: false, schemaFor: call.responder.schemaFor });
  return protobufWatchFrame(type, typeof encoded === 'string' ? encodeUtf8(encoded) : encoded);
}

function transformerOf(
  call: ResourceCall,
  { transformation }: Negotiated,
): ((object: StoredObject) => JsonObject) | undefined {
  if (transformation === undefined || transformation.kind === 'APIGroupDiscoveryList') return undefined;
  const { responder, operations } = call;
  if (transformation.kind !== 'Table')
    return (object) => partialObjectMetadata(object, responder.dialect, transformation.version);
  const events = tableEvents(tableOptions(call, operations.store, transformation.version));
  return (object) => events(object, responder.clock.now());
}

/** Returns an object that no longer matches in its former state, with the revision at which it stopped matching. */
export function atRevision(object: StoredObject, revision: number): StoredObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

/**
 * Yields the messages of a watch over WebSocket, one per event: JSON text, or a protobuf message without its length
 * prefix.
 */
export async function* watchMessages(
  call: ResourceCall,
  notices: AsyncIterableIterator<WatchNotice>,
  negotiated: Negotiated,
  pace: WatchPace,
): AsyncGenerator<string | Uint8Array> {
  const frames = new Frames(new FrameEncoder(call, negotiated), notices, pace);
  const isText = negotiated.serializer.mediaType === JSON_MEDIA_TYPE;
  for await (const frame of frames) yield isText ? decodeUtf8Lossy(frame).trimEnd() : frame.subarray(FRAME_HEAD_BYTES);
}
