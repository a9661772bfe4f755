import { ApiError, type Dialect } from '../../foundation/index.js';
import { acceptsOneOf, parseAccept, parseMediaType, type AcceptClause } from './accept.js';
import {
  defaultDecodeLimits,
  type DecodeLimits,
  type Negotiated,
  type Serializer,
  type Transformation,
} from './codec.js';
import { jsonSerializer } from './json/json.js';
import { protobufSerializer } from './protobuf/protobuf.js';
import { yamlSerializer } from './yaml/yaml.js';

/** Properties of a response that its format depends on. */
export interface NegotiateOptions {
  /** True when it is a stream of events: only media types with framing, and Table or metadata-only events. */
  readonly watch?: boolean | undefined;
  /** True when it is a discovery document: only the aggregated form, no Table. */
  readonly discovery?: boolean | undefined;
  /**
   * True when the kind has protobuf field numbers. Without them protobuf is available only for metadata. Default true.
   */
  readonly protobuf?: boolean | undefined;
  /** True when the kind has a Table form. Default true. */
  readonly table?: boolean | undefined;
  /** True when it has other forms than the object itself. A Status and a discovery document have none. Default true. */
  readonly forms?: boolean | undefined;
  /**
   * True when the path is a collection, which can be listed and watched: the router's 406 then lists the stream types,
   * too.
   */
  readonly collection?: boolean | undefined;
  /** True when it is a custom resource: no router checks the header first, so only one message of the 406 exists. */
  readonly custom?: boolean | undefined;
  /** True when it is a document that exists only in JSON. */
  readonly jsonOnly?: boolean | undefined;
}

/** All options, with their defaults. */
type AllOptions = Readonly<Record<keyof NegotiateOptions, boolean>>;

/** Conversion between bytes and JSON values for one dialect. */
export interface Codec {
  /** Limits of the bodies that its serializers decode. */
  readonly limits: DecodeLimits;
  readonly json: Serializer;
  readonly yaml: Serializer;
  readonly protobuf: Serializer;
  /** Serializers in order of preference, for a client that accepts any type. */
  readonly serializers: readonly Serializer[];
  /**
   * Negotiates the format of a response.
   *
   * @param accept the Accept header; undefined or empty means JSON
   * @throws ApiError 406: `Available representations: …` when no media type in the header is supported,
   *   `only the following media types are accepted: …` when one is supported, but not with its parameters
   */
  negotiate(accept: string | undefined, options?: NegotiateOptions): Negotiated;
  /** Negotiates the format of a failure: a Status is never transformed; the fallback is indented JSON. */
  negotiateError(accept: string | undefined): Negotiated;
  /**
   * Returns the serializer for a request body.
   *
   * @param contentType the Content-Type header; undefined or empty means JSON
   * @param options `protobuf: false` for a kind without field numbers
   * @throws ApiError 415
   */
  serializerFor(contentType: string | undefined, options?: Pick<NegotiateOptions, 'protobuf'>): Serializer;
}

/** Options of {@link createCodec}. */
export interface CodecOptions {
  readonly dialect: Dialect;
  readonly limits?: DecodeLimits | undefined;
}

/** Maximum number of headers per cache. */
const MAX_CACHED_HEADERS = 256;

/** Creates the codec of a dialect. Its only state is a bounded cache of headers. */
export function createCodec(options: CodecOptions): Codec {
  return new DialectCodec(options.dialect, options.limits ?? defaultDecodeLimits);
}

/** The negotiations of one set of options. */
interface Restrictions {
  readonly options: AllOptions;
  readonly cache: BoundedCache<Negotiated>;
}

/** Encodes the options as one number. */
const bitsOf = (options: NegotiateOptions): number =>
  (options.watch === true ? 1 : 0) |
  (options.discovery === true ? 2 : 0) |
  (options.protobuf === false ? 4 : 0) |
  (options.table === false ? 8 : 0) |
  (options.forms === false ? 16 : 0) |
  (options.collection === true ? 32 : 0) |
  (options.custom === true ? 64 : 0) |
  (options.jsonOnly === true ? 128 : 0);

const optionsOf = (bits: number): AllOptions => ({
  watch: (bits & 1) !== 0,
  discovery: (bits & 2) !== 0,
  protobuf: (bits & 4) === 0,
  table: (bits & 8) === 0,
  forms: (bits & 16) === 0,
  collection: (bits & 32) !== 0,
  custom: (bits & 64) !== 0,
  jsonOnly: (bits & 128) !== 0,
});

/** Options of a failure: a Status, which every serializer supports. */
const FAILURE = optionsOf(bitsOf({ forms: false }));

class DialectCodec implements Codec {
  readonly json: Serializer;
  readonly yaml: Serializer;
  readonly protobuf: Serializer;
  readonly serializers: readonly Serializer[];
  /** Negotiations by the bits of the options, created on first use. */
  readonly #restrictions: Restrictions[] = [];
  readonly #failures = new BoundedCache<Negotiated>(MAX_CACHED_HEADERS);
  readonly #plainJson: Negotiated;

  readonly limits: DecodeLimits;
  readonly #dialect: Dialect;

  constructor(dialect: Dialect, limits: DecodeLimits) {
    this.limits = limits;
    this.#dialect = dialect;
    this.json = jsonSerializer(limits);
    this.yaml = yamlSerializer(limits);
    this.protobuf = protobufSerializer(dialect, limits);
    this.serializers = [this.json, this.yaml, this.protobuf];
    this.#plainJson = {
      serializer: this.json,
      transformation: undefined,
      pretty: false,
      contentType: this.json.mediaType,
    };
  }

  negotiate(accept: string | undefined, options: NegotiateOptions = {}): Negotiated {
    if (accept === undefined || accept === '' || accept === 'application/json') return this.#plainJson;
    const bits = bitsOf(options);
    const restrictions = (this.#restrictions[bits] ??= {
      options: optionsOf(bits),
      cache: new BoundedCache<Negotiated>(MAX_CACHED_HEADERS),
    });
    return restrictions.cache.get(accept, (header) => this.#resolve(header, restrictions.options));
  }

  negotiateError(accept: string | undefined): Negotiated {
    if (accept === undefined || accept === '') return this.#plainJson;
    return this.#failures.get(
      accept,
      (header) => this.#firstOf(header, FAILURE) ?? { ...this.#plainJson, pretty: true },
    );
  }

  serializerFor(contentType: string | undefined, options: Pick<NegotiateOptions, 'protobuf'> = {}): Serializer {
    const readable = options.protobuf === false ? [this.json, this.yaml] : this.serializers;
    const mediaType =
      contentType === undefined || contentType === '' ? this.json.mediaType : parseMediaType(contentType);
    const found = readable.find(
      (serializer) =>
        serializer.mediaType === mediaType || (mediaType !== undefined && serializer.aliases.includes(mediaType)),
    );
    if (found !== undefined) return found;
    throw unsupportedMediaType(readable.map((serializer) => serializer.mediaType));
  }

  #resolve(header: string, options: AllOptions): Negotiated {
    const names = (options.jsonOnly ? [this.json] : this.serializers).map((serializer) => serializer.mediaType);
    const streams = this.serializers.flatMap((serializer) =>
      serializer.streamMediaType === undefined ? [] : [`${serializer.mediaType};stream=watch`],
    );
    if (!options.custom && !acceptsOneOf(header, names))
      throw noRepresentation(options.collection ? [...names, ...streams] : names);
    if (options.jsonOnly) return this.#plainJson;
    const found = this.#firstOf(header, options);
    if (found !== undefined) return found;
    // The stream types are listed only if the object itself could be sent.
    throw notAcceptable(
      options.watch && this.#firstOf(header, { ...options, watch: false }) !== undefined ? streams : names,
    );
  }

  /** Negotiates the first supported member of the header. */
  #firstOf(header: string, options: AllOptions): Negotiated | undefined {
    for (const clause of parseAccept(header)) {
      for (const serializer of this.serializers) {
        const negotiated = matches(clause, serializer) ? this.#accept(clause, serializer, options) : undefined;
        if (negotiated !== undefined) return negotiated;
      }
    }
    return undefined;
  }

  /** Negotiates a member of the header with one serializer; undefined when they do not match. */
  #accept(clause: AcceptClause, serializer: Serializer, options: AllOptions): Negotiated | undefined {
    const stream = clause.parameters.get('stream');
    if (stream !== undefined && (stream !== 'watch' || serializer.streamMediaType === undefined)) return undefined;
    if (clause.parameters.has('sv')) return undefined;
    if (options.watch && serializer.streamMediaType === undefined) return undefined;
    if (!asksForForm(clause)) {
      if (serializer === this.protobuf && !options.protobuf) return undefined;
      const negotiated = plain(serializer, clause);
      return options.watch
        ? { ...negotiated, contentType: serializer.streamMediaType ?? serializer.mediaType }
        : negotiated;
    }
    if (!options.forms) return undefined;
    const transformation = options.discovery
      ? this.#discoveryForm(clause)
      : this.#objectForm(clause, serializer, options);
    if (transformation === undefined) return undefined;
    const contentType = options.discovery
      ? `${serializer.mediaType};g=${clause.parameters.get('g') ?? ''};v=${transformation.version};as=${transformation.kind}`
      : options.watch
        ? (serializer.streamMediaType ?? serializer.mediaType)
        : serializer.mediaType;
    return { ...plain(serializer, clause), transformation, contentType };
  }

  #discoveryForm({ parameters }: AcceptClause): Transformation | undefined {
    const version = parameters.get('v');
    if (
      parameters.get('as') !== 'APIGroupDiscoveryList' ||
      parameters.get('g') !== `apidiscovery.${this.#dialect.groupSuffix}`
    )
      return undefined;
    return version === 'v2' || version === 'v2beta1' ? { kind: 'APIGroupDiscoveryList', version } : undefined;
  }

  #objectForm({ parameters }: AcceptClause, serializer: Serializer, options: AllOptions): Transformation | undefined {
    const kind = parameters.get('as');
    const version = parameters.get('v');
    if (parameters.get('g') !== `meta.${this.#dialect.groupSuffix}` || (version !== 'v1' && version !== 'v1beta1'))
      return undefined;
    if (kind === 'Table') return options.table && serializer !== this.protobuf ? { kind, version } : undefined;
    return kind === 'PartialObjectMetadata' || kind === 'PartialObjectMetadataList' ? { kind, version } : undefined;
  }
}

function matches(clause: AcceptClause, serializer: Serializer): boolean {
  if (clause.type === '*') return clause.subtype === '*';
  if (clause.subtype === '*') return serializer.mediaType.startsWith(`${clause.type}/`);
  return serializer.mediaType === `${clause.type}/${clause.subtype}`;
}

/** Returns true when a clause asks for another form than the object itself. */
function asksForForm({ parameters }: AcceptClause): boolean {
  return parameters.has('as') || parameters.has('g') || parameters.has('v');
}

function plain(serializer: Serializer, clause: AcceptClause): Negotiated {
  return {
    serializer,
    transformation: undefined,
    pretty: clause.parameters.get('pretty') === '1',
    contentType: serializer.mediaType,
  };
}

/** Creates the router's 406: no media type in the header is supported. */
function noRepresentation(mediaTypes: readonly string[]): ApiError {
  return new ApiError({
    message: `406: Not Acceptable\n\nAvailable representations: ${mediaTypes.join(', ')}`,
    reason: 'NotAcceptable',
    details: {},
    code: 406,
  });
}

/** Creates the negotiation's 406: a media type is supported, but not with its parameters. */
function notAcceptable(mediaTypes: readonly string[]): ApiError {
  return new ApiError({
    message: `only the following media types are accepted: ${mediaTypes.join(', ')}`,
    reason: 'NotAcceptable',
    code: 406,
  });
}

/**
 * Creates the error 415 for a body of an unsupported media type.
 *
 * @param mediaTypes the supported media types
 */
export function unsupportedMediaType(mediaTypes: readonly string[]): ApiError {
  return new ApiError({
    message: `the body of the request was in an unknown format - accepted media types include: ${mediaTypes.join(', ')}`,
    reason: 'UnsupportedMediaType',
    code: 415,
  });
}

/** Spellings of true that Go accepts. */
const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/**
 * Returns true when the output is indented: according to the parameter `pretty`; by default for interactive clients
 * (curl, wget, browsers).
 */
export function wantsPretty(parameter: string | undefined, userAgent: string | undefined): boolean {
  if (parameter !== undefined && parameter !== '') return TRUE.has(parameter);
  return userAgent !== undefined && /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}

/** A cache that is cleared when it reaches its limit: fast, and safe against clients that send many different keys. */
class BoundedCache<Value> {
  readonly #entries = new Map<string, Value>();

  readonly #limit: number;
  readonly #longest: number;

  /**
   * @param limit maximum number of entries
   * @param longest maximum length of a cached key; values of longer keys are computed each time
   */
  constructor(limit: number, longest = 512) {
    this.#limit = limit;
    this.#longest = longest;
  }

  /** Returns the value of a key; computes it when it is missing. Errors of `compute` are not cached. */
  get(key: string, compute: (key: string) => Value): Value {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const value = compute(key);
    if (key.length > this.#longest) return value;
    if (this.#entries.size >= this.#limit) this.#entries.clear();
    this.#entries.set(key, value);
    return value;
  }
}
