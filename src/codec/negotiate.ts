import { ApiError } from '../meta/api-error.js';
import type { Dialect } from '../names/dialect.js';
import { acceptsOneOf, parseAccept, parseMediaType, type AcceptClause } from './accept.js';
import {
  defaultDecodeLimits,
  type DecodeLimits,
  type Negotiated,
  type Serializer,
  type Transformation,
} from './codec.js';
import { jsonSerializer } from './json.js';
import { protobufSerializer } from './protobuf.js';
import { yamlSerializer } from './yaml.js';

/** What an answer is, as far as its form depends on it. */
export interface NegotiateOptions {
  /** A stream of events: only media types with a framing, and Table or metadata-only events. */
  readonly watch?: boolean;
  /** A discovery document: only the aggregated form, no Table. */
  readonly discovery?: boolean;
  /** Whether the kind has protobuf field numbers. Without them protobuf serves only metadata. Default true. */
  readonly protobuf?: boolean;
  /** Whether the kind has a Table form. Default true. */
  readonly table?: boolean;
  /** Whether there is any form besides the object itself. A Status and a document of discovery have none. Default true. */
  readonly forms?: boolean;
  /** The path of a collection, which may be listed and watched: the 406 of its router names the streams too. */
  readonly collection?: boolean;
  /** A custom resource: no router looks at the header first, so there is one text of the 406 only. */
  readonly custom?: boolean;
  /** A document that there is in JSON alone. */
  readonly jsonOnly?: boolean;
}

/** Everything between bytes and JSON values, for one dialect. */
export interface Codec {
  readonly json: Serializer;
  readonly yaml: Serializer;
  readonly protobuf: Serializer;
  /** In order of preference, for a client that takes anything. */
  readonly serializers: readonly Serializer[];
  /**
   * Finds the form of an answer.
   *
   * @param accept the Accept header; undefined or empty takes JSON
   * @throws ApiError 406: `Available representations: …` where no named media type is served at all, `only the following
   *   media types are accepted: …` where one is, but not with these parameters
   */
  negotiate(accept: string | undefined, options?: NegotiateOptions): Negotiated;
  /** The form of a failure: a Status is never transformed, and indented JSON where nothing else fits. */
  negotiateError(accept: string | undefined): Negotiated;
  /**
   * The serializer that reads a body.
   *
   * @param contentType the Content-Type header; undefined or empty is JSON
   * @param options `protobuf: false` for a kind without field numbers
   * @throws ApiError 415
   */
  serializerFor(contentType: string | undefined, options?: Pick<NegotiateOptions, 'protobuf'>): Serializer;
}

/** What {@link createCodec} takes. */
export interface CodecOptions {
  readonly dialect: Dialect;
  readonly limits?: DecodeLimits;
}

/** How many different headers are remembered, each. */
const REMEMBERED = 256;

/** Makes the codec of a dialect. It holds no state but a bounded memory of headers. */
export function createCodec(options: CodecOptions): Codec {
  return new DialectCodec(options.dialect, options.limits ?? defaultDecodeLimits);
}

/** What may be sent, for one set of options. */
interface Restrictions {
  readonly options: Required<NegotiateOptions>;
  readonly cache: BoundedCache<Negotiated>;
}

/** The options as one number. */
const bitsOf = (options: NegotiateOptions): number =>
  (options.watch === true ? 1 : 0) |
  (options.discovery === true ? 2 : 0) |
  (options.protobuf === false ? 4 : 0) |
  (options.table === false ? 8 : 0) |
  (options.forms === false ? 16 : 0) |
  (options.collection === true ? 32 : 0) |
  (options.custom === true ? 64 : 0) |
  (options.jsonOnly === true ? 128 : 0);

const optionsOf = (bits: number): Required<NegotiateOptions> => ({
  watch: (bits & 1) !== 0,
  discovery: (bits & 2) !== 0,
  protobuf: (bits & 4) === 0,
  table: (bits & 8) === 0,
  forms: (bits & 16) === 0,
  collection: (bits & 32) !== 0,
  custom: (bits & 64) !== 0,
  jsonOnly: (bits & 128) !== 0,
});

/** A failure: a Status, which every serializer carries. */
const FAILURE = optionsOf(bitsOf({ forms: false }));

class DialectCodec implements Codec {
  readonly json: Serializer;
  readonly yaml: Serializer;
  readonly protobuf: Serializer;
  readonly serializers: readonly Serializer[];
  /** By the bits of the options, made when they are first asked for. */
  private readonly restrictions: Restrictions[] = [];
  private readonly failures = new BoundedCache<Negotiated>(REMEMBERED);
  private readonly plainJson: Negotiated;

  constructor(
    private readonly dialect: Dialect,
    limits: DecodeLimits,
  ) {
    this.json = jsonSerializer(limits);
    this.yaml = yamlSerializer(limits);
    this.protobuf = protobufSerializer(dialect, limits);
    this.serializers = [this.json, this.yaml, this.protobuf];
    this.plainJson = {
      serializer: this.json,
      transformation: undefined,
      pretty: false,
      contentType: this.json.mediaType,
    };
  }

  negotiate(accept: string | undefined, options: NegotiateOptions = {}): Negotiated {
    if (accept === undefined || accept === '' || accept === 'application/json') return this.plainJson;
    const bits = bitsOf(options);
    const restrictions = (this.restrictions[bits] ??= {
      options: optionsOf(bits),
      cache: new BoundedCache<Negotiated>(REMEMBERED),
    });
    return restrictions.cache.get(accept, (header) => this.resolve(header, restrictions.options));
  }

  negotiateError(accept: string | undefined): Negotiated {
    if (accept === undefined || accept === '') return this.plainJson;
    return this.failures.get(accept, (header) => this.firstOf(header, FAILURE) ?? { ...this.plainJson, pretty: true });
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

  private resolve(header: string, options: Required<NegotiateOptions>): Negotiated {
    const names = (options.jsonOnly ? [this.json] : this.serializers).map((serializer) => serializer.mediaType);
    const streams = this.serializers.flatMap((serializer) =>
      serializer.streamMediaType === undefined ? [] : [`${serializer.mediaType};stream=watch`],
    );
    if (!options.custom && !acceptsOneOf(header, names))
      throw noRepresentation(options.collection ? [...names, ...streams] : names);
    if (options.jsonOnly) return this.plainJson;
    const found = this.firstOf(header, options);
    if (found !== undefined) return found;
    // A stream is asked for only where the object itself could be sent.
    throw notAcceptable(
      options.watch && this.firstOf(header, { ...options, watch: false }) !== undefined ? streams : names,
    );
  }

  /** What the first member of the header that can be served comes to. */
  private firstOf(header: string, options: Required<NegotiateOptions>): Negotiated | undefined {
    for (const clause of parseAccept(header)) {
      for (const serializer of this.serializers) {
        const negotiated = matches(clause, serializer) ? this.accept(clause, serializer, options) : undefined;
        if (negotiated !== undefined) return negotiated;
      }
    }
    return undefined;
  }

  /** What a member of the header comes to with one serializer; undefined when they do not fit. */
  private accept(
    clause: AcceptClause,
    serializer: Serializer,
    options: Required<NegotiateOptions>,
  ): Negotiated | undefined {
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
      ? this.discoveryForm(clause)
      : this.objectForm(clause, serializer, options);
    if (transformation === undefined) return undefined;
    const contentType = options.discovery
      ? `${serializer.mediaType};g=${clause.parameters.get('g') ?? ''};v=${transformation.version};as=${transformation.kind}`
      : options.watch
        ? (serializer.streamMediaType ?? serializer.mediaType)
        : serializer.mediaType;
    return { ...plain(serializer, clause), transformation, contentType };
  }

  private discoveryForm({ parameters }: AcceptClause): Transformation | undefined {
    const version = parameters.get('v');
    if (
      parameters.get('as') !== 'APIGroupDiscoveryList' ||
      parameters.get('g') !== `apidiscovery.${this.dialect.groupSuffix}`
    )
      return undefined;
    return version === 'v2' || version === 'v2beta1' ? { kind: 'APIGroupDiscoveryList', version } : undefined;
  }

  private objectForm(
    { parameters }: AcceptClause,
    serializer: Serializer,
    options: Required<NegotiateOptions>,
  ): Transformation | undefined {
    const kind = parameters.get('as');
    const version = parameters.get('v');
    if (parameters.get('g') !== `meta.${this.dialect.groupSuffix}` || (version !== 'v1' && version !== 'v1beta1'))
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

/** Whether a clause asks for another form than the object itself. */
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

/** 406 of the router: no media type of the header is served. */
function noRepresentation(mediaTypes: readonly string[]): ApiError {
  return new ApiError({
    message: `406: Not Acceptable\n\nAvailable representations: ${mediaTypes.join(', ')}`,
    reason: 'NotAcceptable',
    details: {},
    code: 406,
  });
}

/** 406 of the negotiation: a media type is served, but not as the header wants it. */
function notAcceptable(mediaTypes: readonly string[]): ApiError {
  return new ApiError({
    message: `only the following media types are accepted: ${mediaTypes.join(', ')}`,
    reason: 'NotAcceptable',
    code: 406,
  });
}

/**
 * 415 for a body in a media type that is not read here.
 *
 * @param mediaTypes those that are
 */
export function unsupportedMediaType(mediaTypes: readonly string[]): ApiError {
  return new ApiError({
    message: `the body of the request was in an unknown format - accepted media types include: ${mediaTypes.join(', ')}`,
    reason: 'UnsupportedMediaType',
    code: 415,
  });
}

/** What Go reads as a boolean that is true. */
const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/**
 * Whether indented output is wanted: the `pretty` parameter decides, and without it the programs that people read in
 * (curl, wget, browsers) get it.
 */
export function wantsPretty(parameter: string | undefined, userAgent: string | undefined): boolean {
  if (parameter !== undefined && parameter !== '') return TRUE.has(parameter);
  return userAgent !== undefined && /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}

/** A map that forgets everything when it has grown to its limit: small, fast, and safe against clients that make up keys. */
class BoundedCache<Value> {
  private readonly entries = new Map<string, Value>();

  /**
   * @param limit how many entries are kept
   * @param longest keys of more characters are computed each time and never kept
   */
  constructor(
    private readonly limit: number,
    private readonly longest = 512,
  ) {}

  /** The value of a key, made when it is not there. What `make` throws is not kept. */
  get(key: string, make: (key: string) => Value): Value {
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    if (key.length > this.longest) return value;
    if (this.entries.size >= this.limit) this.entries.clear();
    this.entries.set(key, value);
    return value;
  }
}
