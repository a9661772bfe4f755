import type { JsonObject, JsonValue } from '../../foundation/index.js';
import type { Flags } from './flag.js';
import { flagsInFiles, schemaOf } from './file-values.js';
import { helpOf } from './help.js';

/** Returns the JSON Schema of configuration files, for editors. */
export function fileSchema(title: string, flags: Flags): JsonObject {
  const properties = Object.entries(flagsInFiles(flags)).map(([name, flag]): [string, JsonValue] => [
    name,
    { description: helpOf(flag), ...schemaOf(flag) },
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    type: ['object', 'null'],
    additionalProperties: false,
    properties: Object.fromEntries(properties),
  };
}
