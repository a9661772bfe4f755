/**
 * Metrics of a server in the Prometheus text format 0.0.4.
 *
 * Own code instead of a library: a request updates several series, and may cost less than a microsecond for it. A
 * {@link Metric.series} is looked up once and then costs an addition.
 *
 * @module
 */

import { goFloat, ownMember } from '../../foundation/index.js';
import type { MetricRules, MetricStability } from './metric-rules.js';
import { metricsOfMetrics } from './table/server-metrics.js';

/** Label values of a series, by label. */
export type MetricLabels<Label extends string = string> = Readonly<Record<Label, string>>;

/** Declaration of a metric: a row of a table, such as `requestMetrics.apiserver_request_total`. */
export interface MetricOptions<Label extends string = string> {
  /** Letters, digits and `_`, ending with the unit. */
  readonly name: string;
  readonly help: string;
  /** How stable Kubernetes declares the metric, which its help text begins with; absent for metrics of others. */
  readonly stability?: MetricStability | undefined;
  /** Release in which Kubernetes deprecated it, such as `1.27.0`. It is hidden from the next minor release on. */
  readonly deprecated?: string | undefined;
  /** The labels of each series. Default: any. */
  readonly labels?: readonly Label[] | undefined;
}

/** Declaration of a histogram. */
export interface HistogramOptions<Label extends string = string> extends MetricOptions<Label> {
  readonly type?: 'histogram' | undefined;
  /** Upper bounds of the buckets, ascending, without infinity. */
  readonly buckets: readonly number[];
}

type MetricType = 'counter' | 'gauge' | 'histogram';

/**
 * Maximum number of series per metric. Labels come from what the server serves, not from requests, so this is a
 * safeguard. What exceeds it is not counted.
 */
const MAX_SERIES = 10_000;

/** How a metric is shown. Default: as it is. */
interface MetricPresentation {
  readonly isShown?: boolean | undefined;
  readonly isDeprecated?: boolean | undefined;
  /** Replaces the values of labels that are not shown. */
  readonly filter?: ((labels: MetricLabels) => MetricLabels) | undefined;
}

/** A metric: series for each combination of label values. */
abstract class SeriesTable<Series, Label extends string> {
  abstract readonly type: MetricType;
  readonly options: MetricOptions;
  protected readonly table = new Map<string, Series>();
  readonly #presentation: MetricPresentation;

  constructor(options: MetricOptions, presentation: MetricPresentation = {}) {
    this.options = options;
    this.#presentation = presentation;
  }

  /** Whether it is shown. What nobody sees need not be measured. */
  get isShown(): boolean {
    return this.#presentation.isShown !== false;
  }

  /** Returns the series of label values; creates it at the first call. Keep it, instead of looking it up each time. */
  series(labels?: MetricLabels<Label>): Series {
    const given: MetricLabels = labels ?? {};
    const key = seriesOf(this.#presentation.filter?.(given) ?? given);
    let series = this.table.get(key);
    if (series === undefined) {
      series = this.make();
      if (this.table.size < MAX_SERIES) this.table.set(key, series);
    }
    return series;
  }

  /** Removes a series. */
  remove(labels: MetricLabels<Label>): void {
    this.table.delete(seriesOf(labels));
  }

  /** Returns the metric in the text format; empty without series, and for a metric that is not shown. */
  toString(): string {
    if (this.table.size === 0 || !this.isShown) return '';
    const { name, stability, deprecated } = this.options;
    const since = this.#presentation.isDeprecated === true ? `(Deprecated since ${deprecated}) ` : '';
    const help = `${stability === undefined ? '' : `[${stability}] `}${since}${this.options.help}`;
    const lines = [...this.table].map(([key, series]) => this.lines(name, key, series));
    return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${this.type}\n${lines.join('')}`;
  }

  protected abstract make(): Series;
  protected abstract lines(name: string, key: string, series: Series): string;
}

/** A number of a counter or gauge. */
export class NumberSeries {
  value = 0;

  /** Adds to the number. */
  add(value = 1): void {
    this.value += value;
  }
}

/** A counter or gauge. */
export class Metric<Label extends string = string> extends SeriesTable<NumberSeries, Label> {
  readonly type: 'counter' | 'gauge';

  constructor(type: 'counter' | 'gauge', options: MetricOptions, presentation?: MetricPresentation) {
    super(options, presentation);
    this.type = type;
  }

  /** Sets a gauge. */
  set(value: number, labels?: MetricLabels<Label>): void {
    this.series(labels).value = value;
  }

  /** Adds to a counter, or to a gauge. */
  add(value = 1, labels?: MetricLabels<Label>): void {
    this.series(labels).add(value);
  }

  /** Returns the value of a series; undefined when there is none. */
  get(labels?: MetricLabels<Label>): number | undefined {
    return this.table.get(seriesOf(labels ?? {}))?.value;
  }

  protected override make(): NumberSeries {
    return new NumberSeries();
  }

  protected override lines(name: string, key: string, { value }: NumberSeries): string {
    return `${name}${key} ${numberText(value)}\n`;
  }
}

/** The observations of a histogram. */
export class HistogramSeries {
  readonly bounds: readonly number[];
  /** Number of observations in each bucket alone. */
  readonly counts: number[];
  count = 0;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = bounds.map(() => 0);
  }

  /** Records an observation. @param times how often it was made */
  observe(value: number, times = 1): void {
    this.count += times;
    this.sum += value * times;
    const { bounds, counts } = this;
    for (let index = 0; index < bounds.length; index += 1) {
      if (value <= (bounds[index] as number)) {
        counts[index] = (counts[index] as number) + times;
        return;
      }
    }
  }
}

/** A histogram. */
export class Histogram<Label extends string = string> extends SeriesTable<HistogramSeries, Label> {
  readonly type = 'histogram';
  readonly #buckets: readonly number[];

  constructor(options: HistogramOptions, presentation?: MetricPresentation) {
    super(options, presentation);
    this.#buckets = options.buckets;
  }

  protected override make(): HistogramSeries {
    return new HistogramSeries(this.#buckets);
  }

  protected override lines(name: string, key: string, { bounds, counts, count, sum }: HistogramSeries): string {
    const labelled = (bound: string): string => (key === '' ? `{le="${bound}"}` : `${key.slice(0, -1)},le="${bound}"}`);
    let below = 0;
    const buckets = bounds.map((bound, index) => {
      below += counts[index] as number;
      return `${name}_bucket${labelled(numberText(bound))} ${numberText(below)}\n`;
    });
    return `${buckets.join('')}${name}_bucket${labelled('+Inf')} ${numberText(count)}\n${name}_sum${key} ${numberText(sum)}\n${name}_count${key} ${numberText(count)}\n`;
  }
}

/** Formats label values in the text format, sorted by label. */
function seriesOf(labels: MetricLabels): string {
  const names = Object.keys(labels).sort();
  return names.length === 0 ? '' : `{${names.map((name) => `${name}="${escaped(labels[name] ?? '')}"`).join(',')}}`;
}

/** Formats a number as Prometheus' own libraries do: queries name buckets by their text, such as `le="1e+06"`. */
function numberText(value: number): string {
  if (Number.isFinite(value)) return goFloat(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** Sets metrics whose values are known only when they are read. */
export type MetricCollector = () => void | Promise<void>;

/** The metrics of a server. */
export class Metrics {
  readonly #metrics = new Map<string, Metric | Histogram>();
  readonly #collectors: MetricCollector[] = [];
  readonly #rules: MetricRules | undefined;

  /** @param rules what is shown; default everything */
  constructor(rules?: MetricRules) {
    this.#rules = rules;
    if (rules !== undefined && rules.disabledCount > 0)
      this.counter(metricsOfMetrics.disabled_metrics_total).add(rules.disabledCount);
  }

  /** Returns the counter of that name; creates it at the first call. */
  counter<Label extends string = string>(
    options: MetricOptions<Label> & { readonly type?: 'counter' | undefined },
  ): Metric<Label> {
    return this.#number('counter', options);
  }

  /** Returns the gauge of that name; creates it at the first call. */
  gauge<Label extends string = string>(
    options: MetricOptions<Label> & { readonly type?: 'gauge' | undefined },
  ): Metric<Label> {
    return this.#number('gauge', options);
  }

  /** Returns the histogram of that name; creates it at the first call. */
  histogram<Label extends string = string>(options: HistogramOptions<Label>): Histogram<Label> {
    const known = this.#metrics.get(options.name) ?? this.#add(new Histogram(options, this.#presentationOf(options)));
    if (!(known instanceof Histogram)) throw new TypeError(`metric ${options.name} is a ${known.type}`);
    return known;
  }

  /** Calls a function before metrics are read. */
  onCollect(collector: MetricCollector): void {
    this.#collectors.push(collector);
  }

  #number(type: 'counter' | 'gauge', options: MetricOptions): Metric {
    const known =
      this.#metrics.get(options.name) ?? this.#add(new Metric(type, options, this.#presentationOf(options)));
    if (known.type !== type || !(known instanceof Metric))
      throw new TypeError(`metric ${options.name} is a ${known.type}`);
    return known;
  }

  #presentationOf(options: MetricOptions): MetricPresentation {
    const rules = this.#rules;
    if (rules === undefined) return {};
    return {
      isShown: rules.visibility(options) === 'shown',
      isDeprecated: rules.isDeprecated(options),
      filter: rules.labelFilter(options.name, () =>
        this.counter(metricsOfMetrics.cardinality_enforcement_unexpected_categorizations_total).add(),
      ),
    };
  }

  #add<Added extends Metric | Histogram>(metric: Added): Added {
    const { options } = metric;
    this.#metrics.set(options.name, metric);
    const { stability, deprecated = '' } = options;
    if (this.#rules === undefined || stability === undefined || ownMember(metricsOfMetrics, options.name) !== undefined)
      return metric;
    if (this.#rules.visibility(options) === 'hidden') this.counter(metricsOfMetrics.hidden_metrics_total).add();
    else
      this.counter(metricsOfMetrics.registered_metrics_total).add(1, {
        stability_level: stability,
        deprecated_version: deprecated,
      });
    return metric;
  }

  /** Returns all metrics in the text format with their current values, sorted by name. */
  async read(): Promise<string> {
    for (const collector of this.#collectors) await collector();
    return String(this);
  }

  /** Returns all metrics in the text format, sorted by name. */
  toString(): string {
    return [...this.#metrics.values()].sort((a, b) => (a.options.name < b.options.name ? -1 : 1)).join('');
  }
}

/** Media type of {@link Metrics.toString}. */
export const METRICS_MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
