/**
 * The metrics of requests, by the names and labels of Kubernetes 1.31.
 *
 * @module
 */
import { appendTo, ownMember } from '../../foundation/index.js';
import type { LateStatus } from '../filters/deadline.js';
import { chunksLength, isStream, textLength, type ResponseBody } from '../requests/http.js';
import type { RequestScope } from '../requests/request-scope.js';
import type { HistogramSeries, Metrics, NumberSeries } from './metrics.js';
import { requestMetrics } from './table/request-metrics.js';

/** Verbs as metrics report them. */
const VERBS: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
};
/** Methods of requests that are not for resources. Clients can invent others. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);
const APPLY = 'apply-patch';
const CONNECT: ReadonlySet<string> = new Set(['attach', 'exec', 'portforward', 'proxy']);

/** The series of requests with the same labels. */
interface RouteSeries {
  readonly durations: HistogramSeries;
  readonly sliDurations: HistogramSeries;
  /** Undefined where it is hidden. */
  readonly sloDurations: HistogramSeries | undefined;
  readonly sizes: HistogramSeries | undefined;
  readonly lasting: NumberSeries;
  /** Requests by their code. */
  readonly totals: Map<number, NumberSeries>;
  readonly labels: RouteLabels;
}

/** The labels of a route. */
type RouteLabels = Readonly<
  Record<'component' | 'verb' | 'dry_run' | 'scope' | 'group' | 'version' | 'resource' | 'subresource', string>
>;

/** Compares first what differs most often. */
const sameRoute = (a: RouteLabels, b: RouteLabels): boolean =>
  a.verb === b.verb &&
  a.scope === b.scope &&
  a.subresource === b.subresource &&
  a.version === b.version &&
  a.group === b.group &&
  a.dry_run === b.dry_run &&
  a.resource === b.resource;

/** The parts that {@link RequestMetrics} reads. */
export interface RequestMetricsParts {
  readonly metrics: Metrics;
  readonly now: () => number;
  /** Whether a resource or one of its subresources is served. Others are not told apart: clients can invent them. */
  readonly serves: (info: RequestScope['info']) => boolean;
}

/** Counts and measures the requests of a server. */
export class RequestMetrics {
  readonly #parts: RequestMetricsParts;
  /** The routes of each resource: few. A key of all labels would be made for each request. */
  readonly #routes = new Map<string, RouteSeries[]>();

  constructor(parts: RequestMetricsParts) {
    this.#parts = parts;
  }

  /** Counts a request that has been answered. */
  answered(scope: RequestScope, code: number, body: ResponseBody): void {
    const route = this.#routeOf(scope);
    this.#count(route, code, scope.receivedMs, excludedMs(scope));
    if (route.sizes !== undefined) route.sizes.observe(sizeOf(body));
  }

  /** Counts a watch or a connection while it lasts. */
  lasting(scope: RequestScope): LastingRequest {
    const beganMs = this.#parts.now();
    const route = this.#routeOf(scope);
    return new LastingRequest(route.lasting, (code) => this.#count(route, code, beganMs));
  }

  /** Counts a request that the server ended itself: beyond its limits, or at its deadline. */
  terminated(scope: RequestScope, code: number): void {
    const { labels } = this.#routeOf(scope);
    const { dry_run: _dryRun, ...rest } = labels;
    this.#parts.metrics
      .counter(requestMetrics.apiserver_request_terminations_total)
      .add(1, { ...rest, code: String(code) });
  }

  /** Counts a response whose connection was ended instead of answered. */
  aborted(scope: RequestScope): void {
    const { dry_run: _dryRun, component: _component, ...labels } = this.#routeOf(scope).labels;
    this.#parts.metrics.counter(requestMetrics.apiserver_request_aborts_total).add(1, labels);
  }

  /** Counts what became of a request after it had been answered with a timeout. */
  afterTimeout(status: LateStatus): void {
    this.#parts.metrics
      .counter(requestMetrics.apiserver_request_post_timeout_total)
      .add(1, { source: 'timeout-handler', status });
  }

  #count(
    { durations, sliDurations, sloDurations, totals, labels }: RouteSeries,
    code: number,
    beganMs: number,
    excluded = 0,
  ): void {
    const tookMs = this.#parts.now() - beganMs;
    durations.observe(tookMs / 1000);
    const ownSeconds = (tookMs - excluded) / 1000;
    sliDurations.observe(ownSeconds);
    if (sloDurations !== undefined) sloDurations.observe(ownSeconds);
    let total = totals.get(code);
    if (total === undefined) {
      total = this.#parts.metrics
        .counter(requestMetrics.apiserver_request_total)
        .series({ ...labels, code: String(code) });
      totals.set(code, total);
    }
    total.add(1);
  }

  #routeOf(scope: RequestScope): RouteSeries {
    const { info, request } = scope;
    const { isResource, verb, group, version, resource, subresource } = info;
    const dryRun = request.query.includes('dryRun=') ? dryRunOf(request.query) : '';
    const isRead = verb === 'get' || verb === 'list';
    const reported = isResource ? verbOf(scope) : METHODS.has(request.method) ? request.method : 'OTHER';
    const component = 'apiserver';
    if (isResource) {
      const scope = levelOf(info);
      const labels = { component, verb: reported, dry_run: dryRun, scope, group, version, resource, subresource };
      const known = this.#known(labels);
      if (known !== undefined) return known;
      if (this.#parts.serves(info)) return this.#added(labels, isRead);
    }
    // Paths that are not served share one route for each verb: clients can invent any number of paths.
    const labels = {
      component,
      verb: reported,
      dry_run: dryRun,
      scope: '',
      group: '',
      version: '',
      resource: '',
      subresource: '',
    };
    return this.#known(labels) ?? this.#added(labels, isRead);
  }

  #known(wanted: RouteLabels): RouteSeries | undefined {
    const routes = this.#routes.get(wanted.resource);
    if (routes === undefined) return undefined;
    for (const route of routes) if (sameRoute(route.labels, wanted)) return route;
    return undefined;
  }

  #added(labels: RouteLabels, isRead: boolean): RouteSeries {
    const route = this.#seriesOf(labels, isRead);
    appendTo(this.#routes, labels.resource, route);
    return route;
  }

  #seriesOf(labels: RouteLabels, isRead: boolean): RouteSeries {
    const { metrics } = this.#parts;
    const { dry_run: _dryRun, ...undried } = labels;
    const slo = metrics.histogram(requestMetrics.apiserver_request_slo_duration_seconds);
    return {
      labels,
      totals: new Map(),
      sliDurations: metrics.histogram(requestMetrics.apiserver_request_sli_duration_seconds).series(undried),
      sloDurations: slo.isShown ? slo.series(undried) : undefined,
      durations: metrics.histogram(requestMetrics.apiserver_request_duration_seconds).series(labels),
      sizes: isRead ? metrics.histogram(requestMetrics.apiserver_response_sizes).series(undried) : undefined,
      lasting: metrics.gauge(requestMetrics.apiserver_longrunning_requests).series(undried),
    };
  }
}

/** A watch or a connection: it is counted when it ends, by the code that it was opened with. */
export class LastingRequest {
  readonly #open: NumberSeries;
  readonly #count: (code: number) => void;
  #code: number | undefined;
  #lasts = true;

  constructor(open: NumberSeries, count: (code: number) => void) {
    this.#open = open;
    this.#count = count;
    open.add(1);
  }

  /** Notes that it was opened. One that was not is counted as other requests are. */
  opened(code: number): void {
    this.#code = code;
  }

  /** Counts its end. Only the first call counts. */
  end(): void {
    if (!this.#lasts) return;
    this.#lasts = false;
    this.#open.add(-1);
    if (this.#code !== undefined) this.#count(this.#code);
  }
}

/** Returns the time that a request spent waiting for others, in milliseconds. */
const excludedMs = ({ mutatingWebhooksMs, validatingWebhooksMs, queuedMs }: RequestScope): number =>
  mutatingWebhooksMs + validatingWebhooksMs + queuedMs;

function verbOf({ info: { verb, subresource }, request }: RequestScope): string {
  if (CONNECT.has(subresource) || verb === 'proxy') return 'CONNECT';
  if (verb === 'patch' && (request.headers.get('content-type') ?? '').includes(APPLY)) return 'APPLY';
  return ownMember(VERBS, verb) ?? 'OTHER';
}

function dryRunOf(query: string): string {
  const values = new URLSearchParams(query).getAll('dryRun').filter((value) => value !== '');
  if (values.length === 0) return '';
  return values.every((value) => value === 'All') ? 'All' : 'invalid';
}

/** Returns what a request concerns: one object, a namespace, or all namespaces. */
const levelOf = ({ name, namespace }: RequestScope['info']): string =>
  name !== '' ? 'resource' : namespace !== '' ? 'namespace' : 'cluster';

/** Returns the size of a body, in bytes; of a text, its length in characters. */
function sizeOf(body: ResponseBody): number {
  if (body === undefined || isStream(body)) return 0;
  if (typeof body === 'string' || body instanceof Uint8Array) return body.length;
  return 'chunks' in body ? chunksLength(body) : textLength(body);
}
