import { isJsonObject, type JsonValue } from '../../../foundation/index.js';
import { problemOfLabels, type MetricsOptions } from '../../../server/index.js';
import { orUsageError } from '../files.js';
import { labelValues, type AllowedLabels, type TelemetryValues } from '../flags/telemetry-flags.js';
import { readYamlFile } from '../yaml-file.js';

/**
 * Returns the options of metrics that the flags set.
 *
 * @throws UsageError when the manifest cannot be read or is invalid
 */
export async function metricsOptions(values: TelemetryValues): Promise<MetricsOptions> {
  return {
    showHiddenForVersion: values['show-hidden-metrics-for-version'],
    disabled: values['disabled-metrics'],
    allowLabels: await allowedLabels(values),
  };
}

async function allowedLabels(values: TelemetryValues): Promise<AllowedLabels> {
  const given = values['allow-metric-labels'];
  const path = values['allow-metric-labels-manifest'];
  if (Object.keys(given).length > 0 || path === '') return given;
  return orUsageError('allow-metric-labels-manifest', async () => readManifest(await readYamlFile(path)));
}

/** Parses a manifest of allowed values. @throws Error when it has another form */
function readManifest(manifest: JsonValue): AllowedLabels {
  if (!isJsonObject(manifest)) throw new Error('must have pairs such as "metric,label: value,value"');
  const allowed = Object.fromEntries(
    Object.entries(manifest).map(([key, value]) => {
      if (typeof value !== 'string') throw new Error(`${JSON.stringify(key)} must have a text of values`);
      return [key, labelValues(value)];
    }),
  );
  const problem = problemOfLabels(allowed);
  if (problem !== undefined) throw new Error(problem.replace(/^allowLabels /, ''));
  return allowed;
}
