import { loading, type Dialect } from '../../foundation/index.js';
import type { RequestTracer, RequestTracing, Tracer, TracerProvider } from '../../server/index.js';
import { importOpenTelemetry, importRequestTracer } from '../../server/late.js';

/**
 * The source of the spans of requests: a tracer of OpenTelemetry, or a provider of tracers. The package
 * `@opentelemetry/api`, version 1, must be installed.
 */
export type TracingOptions = { readonly tracer: Tracer } | { readonly tracerProvider: TracerProvider };

/** Returns what traces the requests of a server; undefined without the option. Its code is loaded at the start. */
export function requestTracing(options: TracingOptions | undefined, dialect: Dialect): RequestTracing | undefined {
  if (options === undefined) return undefined;
  const tracer = 'tracer' in options ? options.tracer : options.tracerProvider.getTracer(dialect.apiServerName);
  let loaded: Promise<RequestTracer> | undefined;
  const load = (): Promise<RequestTracer> => (loaded ??= loading(loadTracer(tracer)));
  // The start of the server fails with the reason; its requests fail with the start.
  const loadIfPossible = (): Promise<RequestTracer | undefined> => load().catch(() => undefined);
  return {
    async start() {
      await load();
    },
    traced: async (scope, work) => (await loadIfPossible())?.traced(scope, work) ?? work(),
    tracedAcceptance: async (scope, work, statusOf) =>
      (await loadIfPossible())?.tracedAcceptance(scope, work, statusOf) ?? work(),
  };
}

async function loadTracer(tracer: Tracer): Promise<RequestTracer> {
  const [{ loadOpenTelemetry }, { RequestTracer }] = await Promise.all([importOpenTelemetry(), importRequestTracer()]);
  return new RequestTracer(await loadOpenTelemetry(), tracer);
}
