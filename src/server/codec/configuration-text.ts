import { encodeUtf8, type JsonValue } from '../../foundation/index.js';
import { parseYaml } from './yaml/yaml.js';

/**
 * Parses the YAML or JSON of a configuration file.
 *
 * @throws Error for invalid text or a duplicate field
 */
export async function parseConfigurationText(text: string): Promise<JsonValue> {
  const { value, duplicates } = await parseYaml(encodeUtf8(text));
  // Each is a whole sentence with its line.
  if (duplicates.length > 0) throw new Error(`strict decoding error: ${duplicates.join(', ')}`);
  return value;
}
