import type { JsonValue } from '../../foundation/index.js';
import { parseConfigurationText } from '../../server/index.js';
import { readText } from './files.js';

/** Reads a file in YAML or JSON. @throws Error when it cannot be read, or for invalid text or a duplicate field */
export async function readYamlFile(path: string): Promise<JsonValue> {
  return parseConfigurationText(await readText(path));
}
