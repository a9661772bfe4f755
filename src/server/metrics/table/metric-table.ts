/**
 * The form of the table of metrics. Every metric that a server has is a row of this folder, in the file of its subject;
 * code that counts names the row. No other place declares a metric.
 *
 * @module
 */
import type { MetricStability } from '../metric-rules.js';

/** A row of a table of metrics. */
export interface MetricRow<Label extends string = string> {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** How stable Kubernetes declares the metric, which its help text begins with; undefined for metrics of others. */
  readonly stability: MetricStability | undefined;
  /** Release in which Kubernetes deprecated it, such as `1.27.0`. It is hidden from the next minor release on. */
  readonly deprecated?: string | undefined;
  /** The labels that every series of the metric has. */
  readonly labels: readonly Label[];
  /** Upper bounds of the buckets of a histogram, ascending, without infinity. */
  readonly buckets?: readonly number[] | undefined;
}

/** Rows with their names: letters, digits and `_`, ending with the unit. */
export type MetricTable<Rows> = { readonly [Name in keyof Rows]: Rows[Name] & { readonly name: Name } };

/** Returns a table of the rows, whose keys are the names of the metrics. */
export function metricTable<const Rows extends Readonly<Record<string, MetricRow>>>(rows: Rows): MetricTable<Rows>;
export function metricTable(rows: Readonly<Record<string, MetricRow>>): Readonly<Record<string, MetricRow>> {
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, { ...row, name }]));
}
