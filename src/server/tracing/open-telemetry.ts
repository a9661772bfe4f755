/**
 * The members of OpenTelemetry's API that a server uses. The types of `@opentelemetry/api` fulfil them; the package is
 * needed only where tracing is used.
 *
 * @module
 */

/** The additions of vendors to the identity of a span (`tracestate`). */
export interface TracerTraceState {
  get(key: string): string | undefined;
  set(key: string, value: string): TracerTraceState;
  unset(key: string): TracerTraceState;
  serialize(): string;
}

/** Identifies a span, as W3C Trace Context does. */
export interface TracerSpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Bit 0: whether the trace is sampled. */
  readonly traceFlags: number;
  readonly isRemote?: boolean;
  readonly traceState?: TracerTraceState;
}

/** Attributes of a span or an event. */
export type TracerAttributes = Record<string, string | number | boolean>;

/** A span of a {@link Tracer}. */
export interface TracerSpan {
  spanContext(): TracerSpanContext;
  setAttributes(attributes: TracerAttributes): unknown;
  addEvent(name: string, attributes?: TracerAttributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  recordException(exception: Error): void;
  updateName(name: string): unknown;
  isRecording(): boolean;
  end(): void;
}

/** Options of a new span. */
export interface TracerSpanOptions {
  /** 0 for a step inside, 1 for a request that is answered, 2 for a request to another server. */
  readonly kind?: number;
  readonly attributes?: TracerAttributes;
  readonly links?: { context: TracerSpanContext }[];
  /** Whether the span begins a trace of its own. */
  readonly root?: boolean;
}

/** Makes spans, as a `Tracer` of `@opentelemetry/api`. */
export interface Tracer {
  startSpan(name: string, options?: TracerSpanOptions, context?: object): TracerSpan;
}

/** Makes tracers, as a `TracerProvider` of `@opentelemetry/api`, such as `NodeTracerProvider`. */
export interface TracerProvider {
  getTracer(name: string, version?: string): Tracer;
}

/** The functions of the package `@opentelemetry/api`. */
export interface OpenTelemetryApi {
  readonly ROOT_CONTEXT: object;
  readonly trace: { setSpan(context: object, span: TracerSpan): object };
  readonly context: { with<Result>(context: object, work: () => Result): Result };
  createTraceState(text?: string): TracerTraceState;
}

/**
 * Loads `@opentelemetry/api`.
 *
 * @throws Error with the remedy when it is not installed
 */
export async function loadOpenTelemetry(): Promise<OpenTelemetryApi> {
  try {
    return await import('@opentelemetry/api');
  } catch (cause) {
    throw new Error(
      'the option observability.tracing needs the package @opentelemetry/api: npm install @opentelemetry/api, version 1',
      { cause },
    );
  }
}
