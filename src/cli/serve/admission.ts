import type { PluginOptions } from '../../admission/plugins/options.js';
import {
  admissionPluginNames,
  defaultAdmissionPlugins,
  type AdmissionPluginName,
} from '../../admission/plugins/table.js';
import { goQuote } from '../../meta/go-text.js';
import { UsageError } from '../usage-error.js';

const FLAGS = ['enable-admission-plugins', 'disable-admission-plugins'] as const;

/**
 * Returns the admission plugins of the flags. The program runs all that Kubernetes runs by default.
 *
 * @throws UsageError for unknown names, and for names in both flags
 */
export function admissionOf(values: Readonly<Record<(typeof FLAGS)[number], readonly string[]>>): PluginOptions {
  const [enable = [], disable = []] = FLAGS.map((flag) => values[flag].map((name) => known(flag, name)));
  const both = enable.filter((name) => disable.includes(name));
  if (both.length > 0)
    throw new UsageError(
      `[${[...new Set(both)].sort().join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`,
    );
  return {
    enable: [...new Set([...defaultAdmissionPlugins, ...enable])].filter((name) => !disable.includes(name)),
    disable,
  };
}

function known(flag: string, name: string): AdmissionPluginName {
  const found = admissionPluginNames.find((candidate) => candidate === name);
  if (found === undefined) throw new UsageError(`${flag} plugin ${goQuote(name)} is unknown`);
  return found;
}
