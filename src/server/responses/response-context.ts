/**
 * The form of a response: what the client negotiated, and what the responses of a server depend on.
 *
 * @module
 */
import { workOf, type Clock, type Dialect } from '../../foundation/index.js';
import type { StructuralSchema } from '../../machinery/index.js';
import type { ResourceStore } from '../../registry/index.js';
import {
  defaultColumns,
  parseIncludeObject,
  wantsPretty as prettyByDefault,
  type Codec,
  type EncodeContext,
  type IncludeObject,
  type Negotiated,
  type TableOptions,
} from '../codec/index.js';
import type { UserTurns } from '../limits/user-turns.js';
import type { Metrics } from '../metrics/metrics.js';
import type { ApiRequest } from '../requests/http.js';
import type { RequestScope } from '../requests/request-scope.js';
import type { KeptEncodings } from '../kept/index.js';
import type { LongBodyParts } from './long-body.js';

const JSON_MEDIA_TYPE = 'application/json';

/** Dependencies of the responses. */
export interface Responder {
  readonly metrics: Metrics;
  /** Whether the copies of objects that code of the server's owner gets are frozen. */
  readonly freezes: boolean;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly dialect: Dialect;
  /** Group of Table and other metadata kinds. */
  readonly metaGroup: string;
  readonly compress: boolean;
  /** The encoded items of lists that are requested again. */
  readonly encodings: KeptEncodings;
  /** The frames of long objects: those for the watches of a user are made one after another. */
  readonly longFrames: UserTurns;
  schemaFor(apiVersion: string, kind: string): StructuralSchema | undefined;
}

/** A request to respond to, in the form that its client negotiated. */
export interface ResponseContext {
  readonly responder: Responder;
  readonly scope: RequestScope;
  readonly negotiated: Negotiated;
}

/**
 * Returns whether the output is indented: by the Accept header or the parameter `pretty`; by default for browsers and
 * command-line clients.
 */
export function wantsPretty({ query, headers }: ApiRequest, negotiated: Negotiated): boolean {
  if (negotiated.pretty) return true;
  const parameter = query.includes('pretty') ? (new URLSearchParams(query).get('pretty') ?? undefined) : undefined;
  return prettyByDefault(parameter, headers.get('user-agent'));
}

/** Returns the context in which the serializer of a response encodes. */
export const encodeOptions = ({ responder, scope, negotiated }: ResponseContext): EncodeContext => ({
  pretty: wantsPretty(scope.request, negotiated),
  schemaFor: responder.schemaFor,
});

/** Returns whether the client wants objects in the form in which they are stored: JSON without indentation. */
export function isStoredForm(context: ResponseContext): boolean {
  return context.negotiated.transformation === undefined && isCompactJson(context);
}

/** Returns whether the client wants JSON without indentation, of the object or of another form. */
export function isCompactJson(context: ResponseContext): boolean {
  return isJson(context) && !wantsPretty(context.scope.request, context.negotiated);
}

/** Returns whether the client wants JSON. */
export const isJson = ({ negotiated }: ResponseContext): boolean => negotiated.serializer.mediaType === JSON_MEDIA_TYPE;

/** Returns the encodings that the client accepts, if the server compresses responses to such a request. */
export const acceptedEncoding = ({ responder, scope: { request } }: ResponseContext): string | undefined =>
  responder.compress && request.method === 'GET' ? request.headers.get('accept-encoding') : undefined;

/** Returns what long bodies of a response depend on. */
export const longBodyParts = ({ responder, scope }: ResponseContext): LongBodyParts => ({
  work: workOf(scope),
  clock: responder.clock,
  deadlineMs: scope.timeoutMs === undefined ? undefined : scope.receivedMs + scope.timeoutMs,
  heldBytes: 0,
});

/** Returns which part of the object each row of a Table includes. @throws ApiError 400 */
export function includeObjectOf(scope: RequestScope): IncludeObject {
  return parseIncludeObject(
    scope.request.query.includes('includeObject') ? (scope.query.get('includeObject') ?? undefined) : undefined,
  );
}

/** Returns the options of the Table of a kind. */
export function tableOptions(
  { responder, scope }: Omit<ResponseContext, 'negotiated'>,
  store: ResourceStore,
  version: TableOptions['version'],
): TableOptions {
  return {
    columns: store.info.columnsFor(responder.freezes) ?? defaultColumns,
    dialect: responder.dialect,
    version,
    includeObject: includeObjectOf(scope),
    nowMs: responder.clock.now(),
  };
}
