import { parseCsv } from '../../../security/index.js';
import { problemOfLabels, problemOfNames } from '../../../server/index.js';
import type { Flag, FlagValues } from '../../flags/flag.js';
import { list, text } from '../../flags/kinds.js';

/** Allowed values of labels, by `metric,label`. */
export type AllowedLabels = Readonly<Record<string, readonly string[]>>;

/**
 * Parses a value of `--allow-metric-labels`: `metric,label=value1,value2`. Several of them are each quoted as in CSV and
 * separated by commas.
 *
 * @throws Error when it has another form
 */
export function parseAllowedLabels(value: string): AllowedLabels {
  const pairs = value.split('=').length === 2 ? [value.replace(/^"|"$/g, '')] : (parseCsv(value)[0] ?? []);
  const allowed = Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 0) throw new Error(`${pair} must be formatted as metric,label=value,value`);
      return [pair.slice(0, at), labelValues(pair.slice(at + 1))];
    }),
  );
  const problem = problemOfLabels(allowed);
  if (problem !== undefined) throw new Error(problem.replace(/^allowLabels /, ''));
  return allowed;
}

/** Splits allowed values. */
export const labelValues = (text: string): readonly string[] => text.split(',');

const allowedLabels = (help: string): Flag<AllowedLabels> => ({
  valueName: 'PAIRS',
  help,
  fallback: {},
  shown: '',
  form: 'repeated',
  parse: (value, before) => ({ ...before, ...parseAllowedLabels(value) }),
});

function metricNames(help: string): Flag<readonly string[]> {
  const names = list('NAMES', [], help);
  return {
    ...names,
    parse(value, before) {
      const parsed = names.parse(value, before);
      const problem = problemOfNames(parsed);
      if (problem !== undefined) throw new Error(problem.replace(/^disabled /, ''));
      return parsed;
    },
  };
}

/** The flags of `serve` for metrics and traces. */
export const telemetryFlags = {
  'tracing-config-file': text(
    'FILE',
    '',
    'TracingConfiguration: the collector that traces are sent to, and how many requests are traced (docs/reference/tracing.md).',
  ),
  'show-hidden-metrics-for-version': text(
    'RELEASE',
    '',
    'The previous minor release (1.30): shows the metrics that are hidden because an earlier release deprecated them (docs/reference/metrics.md).',
  ),
  'disabled-metrics': metricNames('Names of metrics that are not shown.'),
  'allow-metric-labels': allowedLabels(
    'Values of metric labels that are shown; others are shown as unexpected: metric,label=value,value.',
  ),
  'allow-metric-labels-manifest': text(
    'FILE',
    '',
    'YAML file with the values of metric labels that are shown (metric,label: value,value). Ignored with --allow-metric-labels.',
  ),
};

/** Parsed values of the flags for metrics and traces. */
export type TelemetryValues = FlagValues<typeof telemetryFlags>;
