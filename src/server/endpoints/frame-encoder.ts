import {
  asciiJson,
  atOnce,
  encodeUtf8,
  inSlices,
  workOf,
  type JsonObject,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';
import type { LogEvent, ObjectNotice, WatchNotice } from '../../registry/index.js';
import { lengthOfText } from '../../storage/index.js';
import { jsonWatchFrame, protobufWatchFrame, type Negotiated, type WatchEventType } from '../codec/index.js';
import { accountableUser } from '../filters/in-flight.js';
import { watchSeries, type WatchSeries } from '../metrics/watch-metrics.js';
import type { ResourceCall } from './call.js';
import { JSON_MEDIA_TYPE, watchForm, type WatchForm } from './watch-form.js';

/** Encodes notices as frames. Watches of the same form share the frames of events. */
export class FrameEncoder {
  readonly #call: ResourceCall;
  readonly #negotiated: Negotiated;
  readonly #form: WatchForm;
  readonly #work: Work;
  /** Names of the frames of each type of event. Made once: the hash of a new text costs more than its look-up. */
  readonly #names: Readonly<Record<ObjectNotice['type'], string>>;
  readonly #sent: WatchSeries;

  constructor(call: ResourceCall, negotiated: Negotiated) {
    const { store } = call.operations;
    this.#call = call;
    this.#negotiated = negotiated;
    this.#form = watchForm(call, negotiated);
    this.#work = workOf(call.context);
    this.#sent = watchSeries(call.responder.metrics, store.info);
    const { transformation, serializer } = negotiated;
    const form = `${store.info.apiVersion} ${serializer.mediaType} ${transformation?.kind ?? ''} ${transformation?.version ?? ''} ${call.scope.query.get('includeObject') ?? ''}`;
    this.#names = { ADDED: `${form} ADDED`, MODIFIED: `${form} MODIFIED`, DELETED: `${form} DELETED` };
  }

  /** Encodes a notice. Returns undefined when that takes long: {@link encodeLong} does it. */
  encode(notice: WatchNotice): Uint8Array | undefined {
    const frame = this.#encode(notice);
    if (frame !== undefined) this.#count(frame);
    return frame;
  }

  /** Encodes the notice of a long object in slices, unless another watch does so at this time. */
  async encodeLong(notice: ObjectNotice): Promise<Uint8Array> {
    const { responder, scope } = this.#call;
    const shared = this.#sharedBy(notice);
    const make = async (): Promise<Uint8Array> =>
      framed(notice.type, await inSlices(this.#work, this.#form.encode(notice, this.#work), 'watch'));
    const frame = await responder.longFrames.take(accountableUser(scope).username, () =>
      shared === undefined
        ? make()
        : shared.sharedFrame(this.#nameOf(notice, shared), lengthOfText(notice.record), make),
    );
    this.#count(frame);
    return frame;
  }

  #count(frame: Uint8Array): void {
    this.#sent.events.add();
    this.#sent.sizes.observe(frame.length);
  }

  #encode(notice: WatchNotice): Uint8Array | undefined {
    if (notice.type === 'ERROR') return this.#statusFrame(notice.status);
    if (notice.type === 'BOOKMARK') return framed('BOOKMARK', this.#form.encodeObject(this.#bookmark(notice)));
    const shared = this.#sharedBy(notice);
    if (shared === undefined) return this.#objectFrame(notice);
    const name = this.#nameOf(notice, shared);
    const known = shared.frame(name);
    if (known !== undefined) return known;
    const frame = this.#objectFrame(notice);
    if (frame !== undefined) shared.cacheFrame(name, frame);
    return frame;
  }

  /** Returns the event of a notice, if other watches of the form get the same frame. */
  #sharedBy({ source }: ObjectNotice): LogEvent | undefined {
    return this.#form.isUnshared ? undefined : source;
  }

  #nameOf({ type, record }: ObjectNotice, shared: LogEvent): string {
    const name = this.#names[type];
    return record === shared.record ? name : `${name} former`;
  }

  #objectFrame(notice: ObjectNotice): Uint8Array | undefined {
    if (this.#form.isLong(notice)) return undefined;
    return framed(notice.type, atOnce(this.#form.encode(notice, this.#work)));
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

  /** Encodes a Status, which has no other form. */
  #statusFrame(status: JsonObject): Uint8Array {
    const { serializer } = this.#negotiated;
    const { schemaFor } = this.#call.responder;
    const isJson = serializer.mediaType === JSON_MEDIA_TYPE;
    return framed('ERROR', isJson ? asciiJson(status) : serializer.encode(status, { pretty: false, schemaFor }));
  }
}

/** Returns the frame of an encoded object: of a line of JSON, or of protobuf. */
function framed(type: WatchEventType, object: string | Uint8Array): Uint8Array {
  return typeof object === 'string' ? encodeUtf8(jsonWatchFrame(type, object)) : protobufWatchFrame(type, object);
}
