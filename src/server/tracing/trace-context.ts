/**
 * W3C Trace Context: the header fields `traceparent` and `tracestate`.
 *
 * @module
 */
import type { RequestHeaders } from '../requests/http.js';
import type { OpenTelemetryApi, TracerSpanContext } from './open-telemetry.js';

/** Version, trace, parent span, and flags. A later version may have more fields. */
const TRACE_PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;
/** Maximum length of a `tracestate` that is passed on: the specification asks for at least 512 characters. */
const MAX_STATE = 512;

/** Returns the span that a request names as its origin; undefined when it names none, or not as specified. */
export function remoteSpan(headers: RequestHeaders, api: OpenTelemetryApi): TracerSpanContext | undefined {
  const [, version = '', traceId = '', spanId = '', flags = '', more] =
    TRACE_PARENT.exec(headers.get('traceparent')?.trim() ?? '') ?? [];
  if (traceId === '' || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  const state = headers.get('tracestate') ?? '';
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return state === '' || state.length > MAX_STATE ? context : { ...context, traceState: api.createTraceState(state) };
}

/** Returns the header fields that name a span as the origin of a request. */
export function traceHeaders({ traceId, spanId, traceFlags, traceState }: TracerSpanContext): Record<string, string> {
  const traceparent = `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`;
  const tracestate = traceState?.serialize() ?? '';
  return tracestate === '' ? { traceparent } : { traceparent, tracestate };
}
