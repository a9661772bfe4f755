/**
 * The steps of a traced request, as the code that runs them sees them. The recorder is elsewhere.
 *
 * @module
 */

/** The known facts about a step, by OpenTelemetry's names or Kubernetes'. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A step of a traced request. */
export interface TraceSpan {
  /** Header fields that tell another server which trace its work belongs to: `traceparent`, and `tracestate` if any. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Begins a step of this step.
   *
   * @param kind `client` for a request to another server; default a step inside this one
   */
  child(name: string, attributes?: SpanAttributes, kind?: 'internal' | 'client'): TraceSpan;
  /** Notes something that happens at one moment of the step. */
  event(name: string, attributes?: SpanAttributes): void;
  /** Adds what became known during the step. */
  set(attributes: SpanAttributes): void;
  /** Ends the step. An error marks it as failed. */
  end(error?: unknown): void;
}

/**
 * Runs work as a step, which ends with it.
 *
 * @param parent the step around it; undefined for a request that is not traced, whose work just runs
 * @param attributes called only for a traced request
 */
export function inSpan<Result>(
  parent: TraceSpan | undefined,
  name: string,
  attributes: () => SpanAttributes,
  work: (span: TraceSpan | undefined) => Promise<Result>,
): Promise<Result> {
  return parent === undefined ? work(undefined) : runStep(parent.child(name, attributes()), work);
}

async function runStep<Result>(
  span: TraceSpan,
  work: (span: TraceSpan | undefined) => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work(span);
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}
