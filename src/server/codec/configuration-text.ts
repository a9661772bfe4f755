import { encodeUtf8, type JsonValue } from '../../foundation/index.js';
import { parseYaml } from './yaml/yaml.js';

/**
 * Parses the YAML or JSON of a configuration file.
 *
 * @throws Error for invalid text or a duplicate field
 */
export async function parseConfigurationText(text: string): Promise<JsonValue> {
  const { value, duplicates } = await parseYaml(encodeUtf8(text));
  const [first] = duplicates;
  if (first !== undefined)
    throw new Error(
      `strict decoding error: ${duplicates.map((path) => `key ${JSON.stringify(path)} already set in map`).join(', ')}`,
    );
  return value;
}
