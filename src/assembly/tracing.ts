import type { Dialect } from '../names/dialect.js';
import { loadOpenTelemetry, type Tracer, type TracerProvider } from '../server/tracing/open-telemetry.js';
import { RequestTracer } from '../server/tracing/request-tracer.js';

/**
 * What makes the spans of requests: a tracer of OpenTelemetry, or a provider of tracers. The package
 * `@opentelemetry/api`, version 1, must be installed.
 */
export type TracingOptions = { readonly tracer: Tracer } | { readonly tracerProvider: TracerProvider };

/** Returns what traces the requests of a server; undefined without the option. */
export function requestTracer(options: TracingOptions | undefined, dialect: Dialect): RequestTracer | undefined {
  if (options === undefined) return undefined;
  const tracer = 'tracer' in options ? options.tracer : options.tracerProvider.getTracer(dialect.apiServerName);
  return new RequestTracer({ load: loadOpenTelemetry, tracer });
}
