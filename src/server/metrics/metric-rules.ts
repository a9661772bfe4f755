/**
 * Which metrics a server shows, and which values of labels: the options of Kubernetes' `component-base/metrics`.
 *
 * Source: `component-base/metrics/options.go` and `version.go` of Kubernetes 1.31.
 *
 * @module
 */

/** How long a metric of Kubernetes keeps its name and labels. Shown before its help text. */
export type MetricStability = 'ALPHA' | 'BETA' | 'STABLE';

/** Options of the metrics of a server. */
export interface MetricsOptions {
  /**
   * The minor release before the one that the server follows, such as `1.30`: shows the metrics that are hidden because
   * they were deprecated in an earlier release (`--show-hidden-metrics-for-version`). Default: they are hidden.
   */
  readonly showHiddenForVersion?: string | undefined;
  /** Full names of metrics that are not shown (`--disabled-metrics`). Default none. */
  readonly disabled?: readonly string[] | undefined;
  /**
   * The values of labels that are shown, by metric and label: `{ 'apiserver_request_total,verb': ['GET', 'LIST'] }`
   * (`--allow-metric-labels`). Other values are shown as `unexpected`. Default: all values are shown.
   */
  readonly allowLabels?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The properties that decide whether a metric is shown. */
export interface MetricLifecycle {
  readonly name: string;
  /** Release in which it was deprecated, such as `1.27.0`; undefined for most. */
  readonly deprecated?: string | undefined;
}

/** Whether a metric is shown, and why not. */
export type MetricVisibility = 'shown' | 'hidden' | 'disabled';

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const METRIC_LABEL = /^[a-zA-Z_:][a-zA-Z0-9_:]*,[a-zA-Z_][a-zA-Z0-9_]*$/;

/** Value of a label whose own value is not allowed. */
const UNEXPECTED = 'unexpected';

/** The options of the metrics of a server, applied to its release. */
export class MetricRules {
  /** Number of names that are disabled. */
  readonly disabledCount: number;
  readonly #minor: number;
  readonly #showsHidden: boolean;
  readonly #disabled: ReadonlySet<string>;
  /** Allowed values by label, by metric. */
  readonly #allowed = new Map<string, Map<string, ReadonlySet<string>>>();

  /**
   * @param release the release that the server follows, such as `1.31`
   * @throws TypeError with the name of the option and the remedy
   */
  constructor(options: MetricsOptions = {}, release: string) {
    const { showHiddenForVersion = '', disabled = [], allowLabels = {} } = options;
    const problem =
      problemOfHidden(showHiddenForVersion, release) ?? problemOfNames(disabled) ?? problemOfLabels(allowLabels);
    if (problem !== undefined) throw new TypeError(`observability.metrics.${problem}`);
    this.#minor = minorOf(release);
    this.#showsHidden = showHiddenForVersion !== '';
    this.#disabled = new Set(disabled);
    this.disabledCount = disabled.length;
    for (const [key, values] of Object.entries(allowLabels)) {
      const [metric = '', label = ''] = key.split(',');
      const labels = this.#allowed.get(metric) ?? new Map<string, ReadonlySet<string>>();
      this.#allowed.set(metric, labels.set(label, new Set(values)));
    }
  }

  /** Returns whether a metric is shown. Disabling has precedence over showing what is hidden. */
  visibility({ name, deprecated }: MetricLifecycle): MetricVisibility {
    if (this.#disabled.has(name)) return 'disabled';
    return deprecated !== undefined && minorOf(deprecated) < this.#minor && !this.#showsHidden ? 'hidden' : 'shown';
  }

  /** Returns whether a metric is deprecated in the release of the server. */
  isDeprecated({ deprecated }: MetricLifecycle): boolean {
    return deprecated !== undefined && minorOf(deprecated) <= this.#minor;
  }

  /**
   * Returns a function that replaces the values of labels which are not allowed, and calls `replaced` for each;
   * undefined for a metric whose values are all allowed.
   */
  labelFilter(name: string, replaced: () => void): ((labels: LabelValues) => LabelValues) | undefined {
    const allowed = this.#allowed.get(name);
    if (allowed === undefined) return undefined;
    return (labels) =>
      Object.fromEntries(
        Object.entries(labels).map(([label, value]) => {
          if (allowed.get(label)?.has(value) !== false) return [label, value];
          replaced();
          return [label, UNEXPECTED];
        }),
      );
  }
}

type LabelValues = Readonly<Record<string, string>>;

/** Returns the number of a minor release: 31 for `1.31` and for `1.31.0`. */
const minorOf = (release: string): number => Number(release.split('.')[1]);

/** Returns the problem of a release whose hidden metrics are to be shown: only the previous minor release is allowed. */
export function problemOfHidden(version: string, release: string): string | undefined {
  const previous = `1.${minorOf(release) - 1}`;
  if (version === '' || version === previous) return undefined;
  return `showHiddenForVersion must be omitted or have the value ${JSON.stringify(previous)}. Only the previous minor version is allowed`;
}

/** Returns the problem of a list of names of metrics. */
export function problemOfNames(names: readonly string[]): string | undefined {
  const wrong = names.find((name) => !METRIC_NAME.test(name));
  return wrong === undefined ? undefined : `disabled must have names of metrics, got ${JSON.stringify(wrong)}`;
}

/** Returns the problem of a table of allowed values. */
export function problemOfLabels(allowed: Readonly<Record<string, readonly string[]>>): string | undefined {
  const wrong = Object.keys(allowed).find((key) => !METRIC_LABEL.test(key));
  return wrong === undefined
    ? undefined
    : `allowLabels must have keys of a metric and a label, such as "apiserver_request_total,verb", got ${JSON.stringify(wrong)}`;
}
