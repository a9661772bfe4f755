import { parseConfigurationText } from '../server/index.js';
import { text } from './flags/kinds.js';
import type { Flags } from './flags/flag.js';
import { valuesInFile } from './flags/file-values.js';
import { readFlagFile, reasonOf } from './serve/files.js';
import { UsageError } from './usage-error.js';

/** The flag of a configuration file. */
export const configFlag = {
  config: text(
    'FILE',
    '',
    'YAML file with values of flags, by name without dashes; docs/reference/serve-config.schema.json is its schema. Flags of the command line win.',
  ),
};

/** Returns the values of flags in a configuration file. @throws UsageError that names the file and the key */
export async function valuesInConfigFile(flags: Flags, path: string): Promise<ReadonlyMap<string, unknown>> {
  const content = await readFlagFile('config', path);
  try {
    return valuesInFile(flags, await parseConfigurationText(content));
  } catch (error) {
    throw new UsageError(`--config: ${path}: ${reasonOf(error)}`);
  }
}
