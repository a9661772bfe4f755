import {
  asciiJson,
  atOnce,
  UNBOUNDED_WORK,
  type JsonObject,
  type Steps,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';
import { metadataInText, textAtRevision, type ObjectNotice, type ResourceStore } from '../../registry/index.js';
import {
  partialObjectMetadata,
  partialObjectMetadataText,
  tableEvents,
  type EncodeContext,
  type Negotiated,
} from '../codec/index.js';
import { isLong } from '../responses/item-list.js';
import { tableOptions } from '../responses/response-context.js';
import type { ResourceCall } from './call.js';

/** The form in which a watch gets objects: compact JSON in ASCII, or protobuf. */
export interface WatchForm {
  /** Whether the next object is not encoded as other watches get it. */
  readonly isUnshared: boolean;
  /** Returns whether the object of an event takes long to encode. */
  isLong(notice: ObjectNotice): boolean;
  /** Encodes the object of an event. @throws ApiError 500 when it cannot be read */
  encode(notice: ObjectNotice, work: Work): Steps<string | Uint8Array>;
  /** Encodes an object that is not stored. */
  encodeObject(object: StoredObject): string | Uint8Array;
}

/** Returns the form of a watch. */
export function watchForm(call: ResourceCall, negotiated: Negotiated): WatchForm {
  if (negotiated.serializer.mediaType !== JSON_MEDIA_TYPE) return new BytesForm(call, negotiated);
  return negotiated.transformation?.kind === 'Table'
    ? new TableForm(call, negotiated.transformation.version)
    : new TextForm(call, negotiated);
}

export const JSON_MEDIA_TYPE = 'application/json';

/** The version of a form that has only the metadata of objects; undefined for whole objects. */
const metadataVersion = ({ transformation }: Negotiated): 'v1' | 'v1beta1' | undefined =>
  transformation?.kind === 'PartialObjectMetadata' || transformation?.kind === 'PartialObjectMetadataList'
    ? transformation.version
    : undefined;

/** Objects, or their metadata, as JSON. They are made of stored texts, without decoding them where that suffices. */
class TextForm implements WatchForm {
  readonly isUnshared = false;
  readonly #store: ResourceStore;
  readonly #metadata: MetadataTexts | undefined;

  constructor(call: ResourceCall, negotiated: Negotiated) {
    const version = metadataVersion(negotiated);
    this.#store = call.operations.store;
    this.#metadata = version === undefined ? undefined : new MetadataTexts(call, version);
  }

  isLong({ record, revision }: ObjectNotice): boolean {
    return record.modRevision !== revision && isLong(record);
  }

  *encode(notice: ObjectNotice, work: Work): Steps<string> {
    const text = textOf(this.#store, notice);
    const known = text === undefined || this.#metadata === undefined ? text : this.#metadata.inText(text);
    return known ?? this.encodeObject(yield* objectOf(this.#store, notice, work));
  }

  encodeObject(object: StoredObject): string {
    return this.#metadata === undefined ? asciiJson(object) : this.#metadata.of(object);
  }
}

/** The metadata of objects as JSON. */
class MetadataTexts {
  readonly #call: ResourceCall;
  readonly #version: 'v1' | 'v1beta1';

  constructor(call: ResourceCall, version: 'v1' | 'v1beta1') {
    this.#call = call;
    this.#version = version;
  }

  /** Returns the metadata in the text of an object; undefined when the object is needed. */
  inText(text: string): string | undefined {
    const { operations, responder } = this.#call;
    const metadata = metadataInText(text, operations.store.typePrefix.length);
    return metadata === undefined ? undefined : partialObjectMetadataText(metadata, responder.dialect, this.#version);
  }

  of(object: StoredObject): string {
    return asciiJson(partialObjectMetadata(object, this.#call.responder.dialect, this.#version));
  }
}

/** The end of a Table of which the row includes no object, and what follows an object. */
const NO_OBJECT = 'null}]}';
const OBJECT_END = '}]}';

/** Tables of one row, as JSON. Objects are decoded for the cells; what a row includes is made of the stored text. */
class TableForm implements WatchForm {
  readonly #call: ResourceCall;
  readonly #table: (object: StoredObject, nowMs: number, work: Work) => Steps<JsonObject>;
  /** Returns the object that a row includes. @param text the object, where it is known */
  readonly #included: (object: StoredObject, text: string | undefined) => string;
  /** Only the first Table has the columns. */
  isUnshared = true;

  constructor(call: ResourceCall, version: 'v1' | 'v1beta1') {
    const options = tableOptions(call, call.operations.store, version);
    const metadata = new MetadataTexts(call, version);
    this.#call = call;
    this.#table = tableEvents({ ...options, includeObject: 'None' });
    this.#included = {
      None: () => 'null',
      Object: (object: StoredObject, text: string | undefined) => text ?? asciiJson(object),
      Metadata: (object: StoredObject, text: string | undefined) =>
        (text === undefined ? undefined : metadata.inText(text)) ?? metadata.of(object),
    }[options.includeObject];
  }

  isLong({ record }: ObjectNotice): boolean {
    return isLong(record);
  }

  *encode(notice: ObjectNotice, work: Work): Steps<string> {
    const { store } = this.#call.operations;
    const object = yield* objectOf(store, notice, work);
    return yield* this.#row(object, textOf(store, notice), work);
  }

  encodeObject(object: StoredObject): string {
    return atOnce(this.#row(object, undefined, UNBOUNDED_WORK));
  }

  *#row(object: StoredObject, text: string | undefined, work: Work): Steps<string> {
    const table = asciiJson(yield* this.#table(object, this.#call.responder.clock.now(), work));
    this.isUnshared = false;
    return table.slice(0, -NO_OBJECT.length) + this.#included(object, text) + OBJECT_END;
  }
}

/** Objects, or their metadata, as protobuf. */
class BytesForm implements WatchForm {
  readonly isUnshared = false;
  readonly #call: ResourceCall;
  readonly #negotiated: Negotiated;

  constructor(call: ResourceCall, negotiated: Negotiated) {
    this.#call = call;
    this.#negotiated = negotiated;
  }

  isLong({ record }: ObjectNotice): boolean {
    return isLong(record);
  }

  *encode(notice: ObjectNotice, work: Work): Steps<string | Uint8Array> {
    const object = yield* objectOf(this.#call.operations.store, notice, work);
    const { serializer } = this.#negotiated;
    if (serializer.steps === undefined || !isLong(notice.record)) return this.encodeObject(object);
    return yield* serializer.steps(this.#sent(object), contextOf(this.#call), work);
  }

  encodeObject(object: StoredObject): string | Uint8Array {
    return this.#negotiated.serializer.encode(this.#sent(object), contextOf(this.#call));
  }

  #sent(object: StoredObject): JsonObject {
    const version = metadataVersion(this.#negotiated);
    return version === undefined ? object : partialObjectMetadata(object, this.#call.responder.dialect, version);
  }
}

const contextOf = ({ responder: { schemaFor } }: ResourceCall): EncodeContext => ({ pretty: false, schemaFor });

/** Returns the text of the object of an event; undefined when the object is needed. */
function textOf(store: ResourceStore, { record, revision }: ObjectNotice): string | undefined {
  const text = store.text(record);
  return record.modRevision === revision ? text : textAtRevision(text, store.typePrefix.length, revision);
}

/** Reads the object of an event. The decoded form of a long one is worth less than its memory. */
function* objectOf(store: ResourceStore, { record, revision }: ObjectNotice, work: Work): Steps<StoredObject> {
  const object = isLong(record) ? yield* store.peekSteps(work, record) : store.read(record);
  if (record.modRevision === revision) return object;
  // An object that no longer matches, in its former state, has the revision at which it stopped matching.
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
