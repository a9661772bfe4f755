import type { ApiServerOptions } from '../../api-server.js';
import { parseConfigurationText } from '../../assembly/configuration-source.js';
import { isJsonObject } from '../../meta/json.js';
import { problemOfLabels } from '../../server/metric-rules.js';
import { orUsageError, readText } from './files.js';
import { labelValues, type AllowedLabels, type TelemetryValues } from './telemetry-flags.js';

/**
 * Returns the options of metrics that the flags set.
 *
 * @throws UsageError when the manifest cannot be read or is invalid
 */
export async function metricsOptions(values: TelemetryValues): Promise<NonNullable<ApiServerOptions['metrics']>> {
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
  return orUsageError('allow-metric-labels-manifest', async () => readManifest(await readText(path)));
}

/** Parses a manifest of allowed values. @throws Error when it has another form */
async function readManifest(text: string): Promise<AllowedLabels> {
  const manifest = await parseConfigurationText(text);
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
