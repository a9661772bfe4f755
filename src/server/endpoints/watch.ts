import { decodeUtf8Lossy, errors } from '../../foundation/index.js';
import { escapeFieldValue, FieldSelector } from '../../machinery/index.js';
import { WatchStream, type WatchNotice, type WatchOptions } from '../../registry/index.js';
import { FRAME_HEAD_BYTES, type Negotiated } from '../codec/index.js';
import type { ApiResponse, StreamBody } from '../requests/http.js';
import type { RequestScope } from '../requests/request-scope.js';
import { headersOf } from '../responses/respond.js';
import type { ResourceCall } from './call.js';
import { FrameEncoder } from './frame-encoder.js';
import { Frames } from './frames.js';
import { negotiate } from './negotiation.js';
import { listOptions } from './options.js';
import { JSON_MEDIA_TYPE } from './watch-form.js';
import { WatchPace } from './watch-pace.js';

/**
 * Parses the options of a watch request. A name in the path selects that object; a field selector must agree with it.
 *
 * @throws ApiError 400 for a field selector that does not agree
 */
export function watchOptionsOf(call: ResourceCall): WatchOptions {
  const { scope, operations } = call;
  const { info } = operations.store;
  const options = { ...listOptions(scope, info), ...selectedByPath(scope) };
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
