/**
 * Traces the requests of a server, as APIServerTracing of Kubernetes 1.31 does (KEP-647).
 *
 * Source: `apiserver/pkg/endpoints/filters/traces.go` of Kubernetes 1.31, and `otelhttp` for the attributes.
 *
 * @module
 */
import { onAbort, report, toError, type SpanAttributes, type TraceSpan } from '../../foundation/index.js';
import { endingWith } from '../filters/in-flight.js';
import { isStream, type ApiResponse } from '../requests/http.js';
import type { RequestInfo } from '../requests/request-info.js';
import type { RequestScope } from '../requests/request-scope.js';
import type { OpenTelemetryApi, Tracer, TracerSpan } from './open-telemetry.js';
import { remoteSpan, traceHeaders } from './trace-context.js';

const INTERNAL = 0;
const SERVER = 1;
const CLIENT = 2;
const ERROR = 2;

/** The parts that make the spans of a server. */
interface SpanParts {
  readonly api: OpenTelemetryApi;
  readonly tracer: Tracer;
}

/** A step that is recorded. */
class RecordedSpan implements TraceSpan {
  readonly #parts: SpanParts;
  readonly #span: TracerSpan;
  /** The context of steps of this step. */
  readonly context: object;
  #ended = false;

  constructor(parts: SpanParts, span: TracerSpan, around: object) {
    this.#parts = parts;
    this.#span = span;
    this.context = parts.api.trace.setSpan(around, span);
  }

  get headers(): Readonly<Record<string, string>> {
    return traceHeaders(this.#span.spanContext());
  }

  child(name: string, attributes: SpanAttributes = {}, kind: 'internal' | 'client' = 'internal'): TraceSpan {
    const options = { kind: kind === 'client' ? CLIENT : INTERNAL, attributes };
    return new RecordedSpan(this.#parts, this.#parts.tracer.startSpan(name, options, this.context), this.context);
  }

  event(name: string, attributes: SpanAttributes = {}): void {
    this.#span.addEvent(name, attributes);
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes);
  }

  end(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    if (error !== undefined) {
      const failure = toError(error);
      this.#span.recordException(failure);
      this.#span.setStatus({ code: ERROR, message: failure.message });
    }
    this.#span.end();
  }

  /** Ends the span of a request. As in OpenTelemetry's conventions, only an error of the server marks it as failed. */
  answered(status: number): void {
    if (this.#ended) return;
    this.#span.setAttributes({ 'http.status_code': status });
    if (status >= 500) this.#span.setStatus({ code: ERROR });
    this.end();
  }
}

/** A request that the tracer does not sample: nothing is recorded, but other servers learn of the trace. */
class UnsampledSpan implements TraceSpan {
  readonly headers: Readonly<Record<string, string>>;
  constructor(span: TracerSpan) {
    this.headers = traceHeaders(span.spanContext());
  }
  child(): TraceSpan {
    return this;
  }
  event(): void {}
  set(): void {}
  end(): void {}
}

/** Traces requests. No function rejects for a failure of the tracer. */
export interface RequestTracing {
  /** Loads what tracing needs. @throws Error with the remedy when OpenTelemetry is not installed */
  start(): Promise<void>;
  /**
   * Answers a request as one span, which ends with the response; that of a stream with the stream.
   *
   * @param work never rejects
   */
  traced(scope: RequestScope, work: () => Promise<ApiResponse>): Promise<ApiResponse>;
  /** Traces a request that becomes a connection, up to its acceptance. @param work never rejects */
  tracedAcceptance<Answer extends object>(
    scope: RequestScope,
    work: () => Promise<Answer>,
    statusOf: (answer: Answer) => number,
  ): Promise<Answer>;
}

/** Traces the requests of a server: see {@link RequestTracing}. */
export class RequestTracer implements Omit<RequestTracing, 'start'> {
  readonly #parts: SpanParts;

  constructor(api: OpenTelemetryApi, tracer: Tracer) {
    this.#parts = { api, tracer };
  }

  async traced(scope: RequestScope, work: () => Promise<ApiResponse>): Promise<ApiResponse> {
    const root = this.#begin(scope);
    if (root === undefined) return work();
    const answer = await this.#parts.api.context.with(root.context, work);
    const { status, body } = answer;
    const end = (): void => report(() => this.#end(scope, root, status));
    if (!isStream(body)) {
      end();
      return answer;
    }
    // A response that is never read never ends by itself.
    const stop = onAbort(scope.signal, end);
    const ended = (): void => {
      stop();
      end();
    };
    return { ...answer, body: { ...body, stream: endingWith(body.stream, ended) } };
  }

  async tracedAcceptance<Answer extends object>(
    scope: RequestScope,
    work: () => Promise<Answer>,
    statusOf: (answer: Answer) => number,
  ): Promise<Answer> {
    const root = this.#begin(scope);
    if (root === undefined) return work();
    const answer = await this.#parts.api.context.with(root.context, work);
    report(() => this.#end(scope, root, statusOf(answer)));
    return answer;
  }

  /** Begins the span of a request. Returns undefined when nothing is recorded. */
  #begin(scope: RequestScope): RecordedSpan | undefined {
    const { api, tracer } = this.#parts;
    let begun: RecordedSpan | undefined;
    report(() => {
      // A client must not decide what is recorded: its trace is linked, and the span begins a new one.
      const origin = remoteSpan(scope.headers, api);
      const links = origin === undefined ? [] : [{ context: origin }];
      const options = { kind: SERVER, root: true, links, attributes: requestAttributes(scope) };
      const span = tracer.startSpan(nameOf(scope), options, api.ROOT_CONTEXT);
      if (span.isRecording()) scope.span = begun = new RecordedSpan(this.#parts, span, api.ROOT_CONTEXT);
      else scope.span = new UnsampledSpan(span);
    });
    return begun;
  }

  #end(scope: RequestScope, root: RecordedSpan, status: number): void {
    // A filter that refused the request did not end its step.
    scope.filterSpan?.end();
    root.answered(status);
  }
}

/** Returns the name of a span: the method, with the route of a resource. It has few values, whatever clients send. */
function nameOf({ request: { method }, info }: RequestScope): string {
  return info.isResource ? `${method} ${routeOf(info)}` : method;
}

function routeOf({ group, version, namespace, resource, name, subresource }: RequestInfo): string {
  const prefix = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const inNamespace = namespace === '' ? '' : '/namespaces/{:namespace}';
  return `${prefix}${inNamespace}/${resource}${name === '' ? '' : '/{:name}'}${subresource === '' ? '' : `/${subresource}`}`;
}

/** Returns the attributes of a request by the conventions that `otelhttp` of Kubernetes 1.31 follows. */
function requestAttributes({ request, userAgent }: RequestScope): SpanAttributes {
  const { method, path, query, peer, headers } = request;
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(headers.get('host') ?? headers.get(':authority') ?? '') ?? [];
  return {
    'http.method': method,
    'http.scheme': peer.tls ? 'https' : 'http',
    'http.target': query === '' ? path : `${path}?${query}`,
    ...(host === '' ? {} : { 'net.host.name': host }),
    ...(port === undefined ? {} : { 'net.host.port': Number(port) }),
    ...(peer.address === undefined ? {} : { 'net.sock.peer.addr': peer.address }),
    ...(userAgent === '' ? {} : { 'user_agent.original': userAgent }),
  };
}
