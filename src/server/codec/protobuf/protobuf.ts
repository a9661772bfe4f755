import {
  ApiError,
  atOnce,
  decodeUtf8Lossy,
  goQuote,
  inSlices,
  parseApiVersion,
  ProtobufError,
  ProtobufReader,
  ProtobufWriter,
  stringOrEmpty,
  UNBOUNDED_WORK,
  WireType,
  type Dialect,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../../../machinery/index.js';
import {
  defaultDecodeLimits,
  type DecodeContext,
  type DecodedDocument,
  type DecodeLimits,
  type EncodeContext,
  type ListEncoder,
  type ListFrame,
  type Serializer,
} from '../codec.js';
import { DecodeProblem, notRegistered, unhandledBody, unrecognizedBody } from '../decode-problem.js';
import { LONG_BODY } from '../json/json-decode.js';
import { listMetaSchema, machinerySchemas, partialObjectMetadataSchema } from '../meta-schemas.js';
import { ProtoEffort, readMessage, type ProtoDecodeContext } from './proto-decode.js';
import { ProtoSteps } from './proto-encode-steps.js';
import { writeMessage } from './proto-encode.js';
import { readSmall, UNITS_PER_FIELD } from './proto-small.js';
import { isNumbered, planOf, rootPlanOf, type FieldPlan, type MessagePlan } from './proto-plan.js';

/** The envelope of an object: its type, and the bytes of its message. */
interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

type SchemaLookup = (apiVersion: string, kind: string) => StructuralSchema | undefined;

/** Maximum nesting of envelopes in raw extensions. */
const MAX_ENVELOPES = 16;

/** Plans of lists, by the schema of their items. */
const listPlans = new WeakMap<StructuralSchema, MessagePlan>();

/**
 * Returns the serializer of the dialect's protobuf media type.
 *
 * An object is encoded in an envelope: four magic bytes, then a message `Unknown` with its apiVersion and kind and the
 * bytes of the object's message. Kinds without field numbers are not supported: decoding fails with 400, encoding with
 * 406. A Table is not supported either.
 */
export function protobufSerializer(dialect: Dialect, limits: DecodeLimits = defaultDecodeLimits): Serializer {
  const codec = new ProtobufCodec(dialect, limits);
  return {
    mediaType: dialect.protobufMediaType,
    aliases: [],
    streamMediaType: `${dialect.protobufMediaType};stream=watch`,
    decode: (body, context) => {
      const steps = codec.decode(body, context);
      return body.length < LONG_BODY || context.work === undefined
        ? atOnce(steps)
        : inSlices(context.work, steps, 'decode');
    },
    encode: (object, context: EncodeContext) =>
      codec.encode(object, (apiVersion, kind) => context.schemaFor(apiVersion, kind)),
    steps: (object, context, work) =>
      codec.encodeSteps(object, (apiVersion, kind) => context.schemaFor(apiVersion, kind), work),
    listEncoder: (list, context) => codec.listEncoder(list, (apiVersion, kind) => context.schemaFor(apiVersion, kind)),
  };
}

/** Returns true when objects of a schema can be encoded in protobuf: their fields have numbers. */
export const supportsProtobuf = isNumbered;

class ProtobufCodec {
  readonly #magic: Uint8Array;

  readonly #dialect: Dialect;
  readonly #limits: DecodeLimits;

  constructor(dialect: Dialect, limits: DecodeLimits) {
    this.#dialect = dialect;
    this.#limits = limits;
    this.#magic = Uint8Array.from(dialect.protobufMagic);
  }

  *decode(body: Uint8Array, context: DecodeContext): Steps<DecodedDocument> {
    const { work = UNBOUNDED_WORK, schema } = context;
    // The texts of the value.
    work.reserve(body.length);
    const lookup: SchemaLookup = (apiVersion, kind) => context.schemaFor(apiVersion, kind);
    let envelope: Envelope | undefined;
    try {
      envelope = yield* this.#open(body, work);
      const effort = new ProtoEffort(work, this.#limits.maxContainers);
      const value = yield* this.#content(envelope, { lookup, effort }, schema, 1);
      return { value, duplicates: [], duplicateForm: 'path' };
    } catch (error) {
      if (!(error instanceof DecodeProblem || error instanceof ProtobufError)) throw error;
      if (envelope === undefined || envelope.kind === '') throw unrecognizedBody(context.kind, error.message, body);
      const version = parseApiVersion(envelope.apiVersion)?.version ?? envelope.apiVersion;
      throw unhandledBody({ kind: envelope.kind, version }, context.kind, error.message);
    }
  }

  *#open(body: Uint8Array, work: Work): Steps<Envelope> {
    if (body.length === 0) throw new DecodeProblem('empty data');
    if (!this.#hasMagic(body)) {
      const expected = [...this.#magic].join(' ');
      throw new DecodeProblem(`provided data does not appear to be a protobuf message, expected prefix [${expected}]`);
    }
    const none: Uint8Array = new Uint8Array();
    let [apiVersion, kind, raw] = [none, none, none];
    const reader = new ProtobufReader(body, this.#magic.length);
    for (let number = reader.next(); number !== 0; number = reader.next()) {
      if (work.spend(UNITS_PER_FIELD)) yield;
      if (reader.wireType !== WireType.bytes || number > 2) reader.skip();
      else if (number === 2) raw = reader.bytes();
      else {
        const { slices } = yield* readSmall(reader.bytes(), work);
        apiVersion = slices.get(1) ?? apiVersion;
        kind = slices.get(2) ?? kind;
      }
    }
    return { apiVersion: decodeUtf8Lossy(apiVersion), kind: decodeUtf8Lossy(kind), raw };
  }

  #hasMagic(body: Uint8Array): boolean {
    return this.#magic.every((byte, index) => body[index] === byte);
  }

  /** Decodes the content of an envelope. An object without a type has the expected type. */
  *#content(
    envelope: Envelope,
    { lookup, effort }: { readonly lookup: SchemaLookup; readonly effort: ProtoEffort },
    expected: StructuralSchema | undefined,
    depth: number,
  ): Steps<JsonValue> {
    const { apiVersion, kind } = envelope;
    const plan =
      this.#planFor(apiVersion, kind, lookup) ??
      (kind === '' && isNumbered(expected) ? rootPlanOf(expected) : undefined);
    // Kubernetes knows the kind, but reads objects of custom kinds into a value without a type.
    if (plan === undefined && lookup(apiVersion, kind) !== undefined)
      throw new DecodeProblem("Object 'Kind' is missing in 'object has no kind field '");
    if (plan === undefined) throw new DecodeProblem(notRegistered(kind, apiVersion));
    const inner = function* (codec: ProtobufCodec, bytes: Uint8Array): Steps<JsonValue | undefined> {
      if (!codec.#hasMagic(bytes)) return undefined;
      if (depth >= MAX_ENVELOPES) throw new DecodeProblem('proto: exceeded max depth');
      return yield* codec.#content(yield* codec.#open(bytes, effort.work), { lookup, effort }, undefined, depth + 1);
    };
    const nested: ProtoDecodeContext = {
      depth: 1,
      limits: this.#limits,
      effort,
      envelope: (bytes) => inner(this, bytes),
    };
    const type = { ...(apiVersion === '' ? {} : { apiVersion }), ...(kind === '' ? {} : { kind }) };
    return { ...type, ...(yield* readMessage(envelope.raw, plan, nested)) };
  }

  encode(object: JsonObject, lookup: SchemaLookup): Uint8Array {
    const plan = this.#planOf(object, lookup);
    const writer = new ProtobufWriter();
    writeEnvelopeEnd(writer);
    const afterRaw = writer.length;
    writeMessage(writer, object, plan);
    writer.lengthSince(afterRaw);
    this.#writeEnvelopeStart(writer, object);
    return writer.finish();
  }

  *encodeSteps(object: JsonObject, lookup: SchemaLookup, work: Work): Steps<Uint8Array> {
    const plan = this.#planOf(object, lookup);
    const writer = new ProtobufWriter((bytes) => work.reserve(bytes));
    writeEnvelopeEnd(writer);
    const afterRaw = writer.length;
    yield* new ProtoSteps(writer, work).message(object, plan);
    writer.lengthSince(afterRaw);
    this.#writeEnvelopeStart(writer, object);
    return writer.view();
  }

  listEncoder({ members, items }: ListFrame, lookup: SchemaLookup): ListEncoder {
    const plan = this.#planOf(members, lookup);
    const fields = plan.fields.filter(({ name }) => name === items);
    const itemPlan = { ...plan, fields };
    const writer = new ProtobufWriter();
    return {
      output: 'bytes',
      item: (item) => {
        writer.clear();
        writeMessage(writer, { [items]: [item] }, itemPlan);
        return writer.view();
      },
      itemSteps: function* (item, work) {
        writer.clear();
        yield* new ProtoSteps(writer, work).message({ [items]: [item] }, itemPlan);
        return writer.view();
      },
      surround: (length) => {
        const tail = new ProtobufWriter();
        writeEnvelopeEnd(tail);
        const head = new ProtobufWriter();
        // The items are the last field of the message.
        writeMessage(head, members, { ...plan, fields: plan.fields.filter((field) => !fields.includes(field)) });
        head.varint(head.length + length);
        this.#writeEnvelopeStart(head, members);
        return { head: head.finish(), tail: tail.finish() };
      },
    };
  }

  /** Writes what precedes the length of an object's message. */
  #writeEnvelopeStart(writer: ProtobufWriter, object: JsonObject): void {
    writer.tag(2, WireType.bytes);
    const afterType = writer.length;
    writeText(writer, 2, stringOrEmpty(object['kind']));
    writeText(writer, 1, stringOrEmpty(object['apiVersion']));
    writer.lengthSince(afterType);
    writer.tag(1, WireType.bytes);
    writer.raw(this.#magic);
  }

  /** Returns the plan of an object. @throws ApiError 406 when it has none */
  #planOf(object: JsonObject, lookup: SchemaLookup): MessagePlan {
    const apiVersion = stringOrEmpty(object['apiVersion']);
    const kind = stringOrEmpty(object['kind']);
    const plan = this.#planFor(apiVersion, kind, lookup);
    if (plan !== undefined) return plan;
    throw new ApiError({
      message: `object ${kind} in version ${goQuote(apiVersion)} does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message`,
      reason: 'NotAcceptable',
      code: 406,
    });
  }

  #planFor(apiVersion: string, kind: string, lookup: SchemaLookup): MessagePlan | undefined {
    const version = parseApiVersion(apiVersion);
    const isMeta = version?.group === `meta.${this.#dialect.groupSuffix}`;
    if (isMeta && kind === 'PartialObjectMetadata') return rootPlanOf(partialObjectMetadataSchema);
    if (isMeta && kind === 'PartialObjectMetadataList') return listPlan(partialObjectMetadataSchema);
    const schema = lookup(apiVersion, kind);
    if (isNumbered(schema)) return rootPlanOf(schema);
    const item = kind.endsWith('List') ? lookup(apiVersion, kind.slice(0, -'List'.length)) : undefined;
    if (isNumbered(item)) return listPlan(item);
    // Options such as DeleteOptions are accepted in the version of any group.
    const machinery = machinerySchemas.get(kind);
    return machinery !== undefined && (isMeta || apiVersion === 'v1' || kind === 'DeleteOptions')
      ? planOf(machinery)
      : undefined;
  }
}

/** Returns the plan of a list: `{metadata = 1, items = 2}`. */
function listPlan(item: StructuralSchema): MessagePlan {
  let plan = listPlans.get(item);
  if (plan === undefined) {
    const metadata = {
      name: 'metadata',
      number: 1,
      kind: 'message',
      cardinality: 'one',
      wrappedValues: false,
      pointer: false,
      schema: listMetaSchema,
    } as const;
    const items = { ...metadata, name: 'items', number: 2, cardinality: 'repeated', schema: itemSchema(item) } as const;
    plan = {
      fields: [metadata, items],
      byNumber: new Map<number, FieldPlan>([
        [1, metadata],
        [2, items],
      ]),
    };
    listPlans.set(item, plan);
  }
  return plan;
}

/** Returns the schema of a kind as the item of a list: with the field number of the metadata. */
function itemSchema(item: StructuralSchema): StructuralSchema {
  const metadata = rootPlanOf(item).byNumber.get(1);
  const properties = new Map(item.properties);
  if (metadata?.name === 'metadata')
    properties.set('metadata', { ...metadata.schema, presence: 'always', protoNumber: 1 });
  return { ...item, properties };
}

/** Writes what follows an object's message: its content type and encoding, which are always present and empty. */
function writeEnvelopeEnd(writer: ProtobufWriter): void {
  for (const number of [4, 3]) writeText(writer, number, '');
}

function writeText(writer: ProtobufWriter, number: number, text: string): void {
  writer.string(text);
  writer.tag(number, WireType.bytes);
}
