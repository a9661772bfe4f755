/**
 * Metrics of a server in the Prometheus text format 0.0.4.
 *
 * @module
 */

/** Label values of a series, by label. */
export type MetricLabels = Readonly<Record<string, string>>;

/** Declaration of a metric. */
export interface MetricOptions {
  /** Letters, digits and `_`, ending with the unit. */
  readonly name: string;
  readonly help: string;
}

type MetricType = 'counter' | 'gauge';

/** Maximum number of series per metric. Labels come from configuration, not from requests, so this is a safeguard. */
const MAX_SERIES = 1_000;

/** A metric: a number for each combination of label values. */
export class Metric {
  readonly options: MetricOptions;
  readonly type: MetricType;
  readonly #values = new Map<string, number>();

  constructor(type: MetricType, options: MetricOptions) {
    this.type = type;
    this.options = options;
  }

  /** Sets a gauge. */
  set(value: number, labels: MetricLabels = {}): void {
    const series = seriesOf(labels);
    if (this.#values.has(series) || this.#values.size < MAX_SERIES) this.#values.set(series, value);
  }

  /** Adds to a counter, or to a gauge. */
  add(value = 1, labels: MetricLabels = {}): void {
    this.set((this.#values.get(seriesOf(labels)) ?? 0) + value, labels);
  }

  /** Returns the value of a series; undefined when it was never set. */
  get(labels: MetricLabels = {}): number | undefined {
    return this.#values.get(seriesOf(labels));
  }

  /** Returns the metric in the text format; empty without series. */
  toString(): string {
    if (this.#values.size === 0) return '';
    const { name, help } = this.options;
    const lines = [...this.#values].map(([series, value]) => `${name}${series} ${value}\n`);
    return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${this.type}\n${lines.join('')}`;
  }
}

/** Formats label values in the text format, sorted by label. */
function seriesOf(labels: MetricLabels): string {
  const names = Object.keys(labels).sort();
  return names.length === 0 ? '' : `{${names.map((name) => `${name}="${escaped(labels[name] ?? '')}"`).join(',')}}`;
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** The metrics of a server. */
export class Metrics {
  readonly #metrics = new Map<string, Metric>();

  /** Returns the counter of that name; creates it at the first call. */
  counter(options: MetricOptions): Metric {
    return this.#metric('counter', options);
  }

  /** Returns the gauge of that name; creates it at the first call. */
  gauge(options: MetricOptions): Metric {
    return this.#metric('gauge', options);
  }

  #metric(type: MetricType, options: MetricOptions): Metric {
    const known = this.#metrics.get(options.name);
    if (known !== undefined) {
      if (known.type !== type) throw new TypeError(`metric ${options.name} is a ${known.type}`);
      return known;
    }
    const metric = new Metric(type, options);
    this.#metrics.set(options.name, metric);
    return metric;
  }

  /** Returns all metrics in the text format, sorted by name. */
  toString(): string {
    return [...this.#metrics.values()].sort((a, b) => (a.options.name < b.options.name ? -1 : 1)).join('');
  }
}

/** Media type of {@link Metrics.toString}. */
export const METRICS_MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
