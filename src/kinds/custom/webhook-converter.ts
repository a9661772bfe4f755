/**
 * Conversion by a webhook, or by a function of the process in its place.
 *
 * @module
 */
import {
  ApiError,
  cloneJson,
  fetchHttpClient,
  groupName,
  inSlices,
  isJsonObject,
  isLongValue,
  jsonText,
  LONG_VALUE,
  messageOf,
  partOf,
  SharedWork,
  WebhookClient,
  type Clock,
  type DecodeAnswer,
  type Dialect,
  type Entropy,
  type FindService,
  type HttpClient,
  type JsonObject,
  type JsonValue,
  type Steps,
  type StoredObject,
  type Work,
  type WorkPart,
} from '../../foundation/index.js';
import { jsonTypeName } from '../../machinery/index.js';
import { API_EXTENSIONS_GROUP } from '../builtin/apiextensions/strategy.js';
import type { CustomResourceConversion, WebhookConversion } from '../builtin/apiextensions/types.js';
import { callConversion, FUNCTION_TIMEOUT_MS, type ConversionFunction } from './call-conversion.js';
import { convertedObjects, reviewText, reviewVersionOf } from './conversion-review.js';
import { checkedConversion, InvalidConversion } from './converted-object.js';
import { noConversion, type Converter } from './versions.js';

/** The tools that the conversions of one server need. */
export interface ConverterTools {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Default the platform's `fetch`, which has no certificate authorities of its own. */
  readonly http?: HttpClient | undefined;
  /** Finds the address of a webhook that is called through a service. */
  readonly findService: FindService;
  /** Maximum size of a response, in bytes; default 16 MiB. It is also at most 4 times its request and 1 MiB. */
  readonly maxAnswerBytes?: number | undefined;
  /** Decodes the responses. */
  readonly decode: DecodeAnswer;
  /** Begins the work of a conversion that is not a part of a request; undefined where nothing limits its memory. */
  readonly ownWork?: (() => WorkPart) | undefined;
  /** Functions in place of webhooks, by the name of the definition, `<plural>.<group>`. */
  readonly functions?: Readonly<Record<string, ConversionFunction>> | undefined;
}

/**
 * Limit of the objects in one request, in characters of JSON. More objects are sent in several requests, so that no
 * response takes long to decode, and the limit of responses does not refuse one of objects that grow.
 */
const MAX_REQUEST_TEXT = 2 * 1024 * 1024;
/** Default maximum size of a response, in bytes. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/** A response may have this multiple of the bytes of its request, and some more. */
const RESPONSE_FACTOR = 4;
const RESPONSE_EXTRA = 1024 * 1024;
/** Units of work of an object and of its text. */
const UNITS_PER_OBJECT = 20;
const CHARACTERS_PER_UNIT = 16;

/** Objects that are converted together. */
interface Batch {
  readonly objects: readonly StoredObject[];
  /** Their JSON texts. */
  readonly texts: readonly string[];
}

/** Sends objects to a conversion. Returns what it answers, unchecked. */
type Send = (batch: Batch, apiVersion: string, work: Work) => Promise<readonly JsonValue[]>;

/**
 * Returns the converter of a definition.
 *
 * @param name name of the definition, `<plural>.<group>`
 * @param conversion a valid `spec.conversion` with its defaults
 */
export function converterOf(
  name: string,
  conversion: CustomResourceConversion | undefined,
  tools: ConverterTools,
): Converter {
  if (conversion?.strategy !== 'Webhook') return noConversion;
  const { functions = {} } = tools;
  const convert = Object.hasOwn(functions, name) ? functions[name] : undefined;
  return convert === undefined
    ? new WebhookConverter(webhookSend(conversion.webhook, tools), tools.ownWork)
    : functionConverter(convert, tools);
}

/** Returns the converter that calls a function in place of a webhook. */
export const functionConverter = (
  convert: ConversionFunction,
  { clock, ownWork }: Pick<ConverterTools, 'clock' | 'ownWork'>,
): Converter => new WebhookConverter(functionSend(convert, clock), ownWork);

/** Returns what posts reviews to the webhook. */
function webhookSend(webhook: WebhookConversion | undefined, tools: ConverterTools): Send {
  const { dialect, clock, entropy, http = fetchHttpClient(), findService, decode } = tools;
  const { maxAnswerBytes = MAX_RESPONSE_BYTES } = tools;
  const client = new WebhookClient(webhook?.clientConfig ?? {}, {
    http,
    clock,
    findService,
    userAgent: `${dialect.apiServerName}-admission`,
    maxBytes: maxAnswerBytes,
  });
  const group = groupName(API_EXTENSIONS_GROUP, dialect);
  const versions = webhook?.conversionReviewVersions ?? [];
  return async ({ texts }, desiredApiVersion, work) => {
    const request = { group, version: reviewVersionOf(versions), uid: entropy.uuid(), desiredApiVersion, texts };
    const text = reviewText(request);
    work.reserve(text.length);
    const maxBytes = Math.min(maxAnswerBytes, RESPONSE_FACTOR * text.length + RESPONSE_EXTRA);
    const answer = await client.post(text, { maxBytes, reserve: (bytes) => work.reserve(bytes) });
    return convertedObjects(answer, request, { decode, work });
  };
}

/** Returns what calls a function with copies of the objects. */
const functionSend =
  (convert: ConversionFunction, clock: Clock): Send =>
  ({ objects }, desiredApiVersion) =>
    callConversion(
      convert,
      objects.map((object) => cloneJson(object)),
      desiredApiVersion,
      { clock, timeoutMs: FUNCTION_TIMEOUT_MS },
    );

/** Converts by requests to a webhook, each with all objects that need it, and checks what it returns. */
export class WebhookConverter implements Converter {
  readonly asynchronous = true;
  readonly #send: Send;
  readonly #ownWork: () => WorkPart;

  constructor(send: Send, ownWork: ConverterTools['ownWork'] = () => partOf(new SharedWork())) {
    this.#send = send;
    this.#ownWork = ownWork;
  }

  async convert(
    objects: readonly StoredObject[],
    apiVersion: string,
    request?: Work,
  ): Promise<readonly StoredObject[]> {
    const results: StoredObject[] = [];
    const work = request === undefined ? this.#ownWork() : partOf(request);
    try {
      for (let from = 0; from < objects.length;) {
        const batch = await inSlices(work, batchSteps(objects, from, work), 'conversion');
        await this.#convertBatch(batch, apiVersion, work, results);
        from += batch.objects.length;
      }
    } finally {
      work.end();
    }
    return results;
  }

  /** Converts some objects, and appends what it returns. */
  async #convertBatch(batch: Batch, apiVersion: string, work: Work, results: StoredObject[]): Promise<void> {
    const { objects } = batch;
    const kind = kindTextOf(objects);
    const converted = await this.#send(batch, apiVersion, work).catch((error: unknown) => {
      if (error instanceof ApiError) throw error;
      throw conversionError(`conversion webhook for ${kind} failed: ${messageOf(error)}`, error);
    });
    if (converted.length !== objects.length)
      throw conversionError(
        `conversion webhook for ${kind} returned ${converted.length} objects, expected ${objects.length}`,
      );
    await inSlices(work, checkSteps(batch, converted, apiVersion, work, results), 'conversion');
  }
}

/** Checks the converted objects of a batch, and appends them to the results. */
function* checkSteps(
  { objects }: Batch,
  converted: readonly JsonValue[],
  apiVersion: string,
  work: Work,
  results: StoredObject[],
): Steps<void> {
  for (const [index, original] of objects.entries()) {
    try {
      results.push(checkedConversion(original, objectIn(converted[index]), apiVersion));
    } catch (error) {
      throw invalidConversion(error, kindTextOf(objects), objects.length === 1 ? undefined : index);
    }
    if (work.spend(UNITS_PER_OBJECT)) yield;
  }
}

/** Encodes the objects from an index on, as many as a request of limited size has. */
function* batchSteps(objects: readonly StoredObject[], from: number, work: Work): Steps<Batch> {
  const texts: string[] = [];
  let length = 0;
  for (let index = from; index < objects.length; index += 1) {
    const text = jsonText(objects[index]);
    if (texts.length > 0 && length + text.length > MAX_REQUEST_TEXT) break;
    texts.push(text);
    length += text.length;
    if (work.spend(UNITS_PER_OBJECT + text.length / CHARACTERS_PER_UNIT)) yield;
  }
  return { objects: objects.slice(from, from + texts.length), texts };
}

/** Formats the kind of the first object for messages: `group/version, Kind=kind`. */
function kindTextOf([object]: readonly StoredObject[]): string {
  const { apiVersion = '', kind = '' } = object ?? {};
  return `${apiVersion}, Kind=${kind}`;
}

/** Kubernetes answers a failed conversion with a bare 500: message and code, no reason. */
const conversionError = (message: string, cause?: unknown): ApiError => new ApiError({ message, code: 500 }, { cause });

/** An element of a response that is not an object with a kind. */
class NotAnObject extends Error {}

/** Returns an element of a response as an object. @throws NotAnObject in the words of Kubernetes's decoder */
function objectIn(value: JsonValue | undefined): JsonObject {
  if (value === undefined || value === null) throw new NotAnObject('unexpected end of JSON input');
  if (!isJsonObject(value)) {
    throw new NotAnObject(
      `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`,
    );
  }
  if (typeof value['kind'] !== 'string' || value['kind'] === '')
    throw new NotAnObject(`Object 'Kind' is missing in '${isLongValue(value) ? LONG_VALUE : jsonText(value)}'`);
  return value;
}

/**
 * Returns the error for an invalid converted object. Kubernetes words it differently for one object and for several,
 * and counts from 1 in the errors of an object's contents.
 *
 * @param index position of the object among several; undefined for a single one
 */
function invalidConversion(error: unknown, kind: string, index: number | undefined): unknown {
  if (error instanceof NotAnObject)
    return conversionError(
      index === undefined
        ? error.message
        : `conversion webhook for ${kind} returned invalid converted object at index ${index}: ${error.message}`,
      error,
    );
  if (!(error instanceof InvalidConversion)) return error;
  const what = index === undefined ? SINGLE[error.part] : `${SEVERAL[error.part]} at index ${index + 1}`;
  return conversionError(`conversion webhook for ${kind} returned ${what}: ${error.message}`, error);
}

const SINGLE = { type: 'invalid object at index 0', object: 'invalid object', metadata: 'invalid metadata' };
const SEVERAL = {
  type: 'invalid converted object',
  object: 'invalid converted object',
  metadata: 'invalid metadata in object',
};
