import { encodeUtf8, type JsonValue } from '../../foundation/index.js';
import { parseYaml } from '../../server/index.js';
import { readText } from './files.js';

/** Reads a file in YAML or JSON. @throws Error when it cannot be read, or for invalid text or a duplicate field */
export async function readYamlFile(path: string): Promise<JsonValue> {
  const { value, duplicates } = await parseYaml(encodeUtf8(await readText(path)));
  const [first] = duplicates;
  if (first !== undefined) throw new Error(`strict decoding error: ${first}`);
  return value;
}
