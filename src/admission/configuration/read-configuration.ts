/**
 * Reads a configuration of a plugin, as Kubernetes decodes it.
 *
 * @module
 */
import {
  goQuote,
  groupName,
  isJsonObject,
  jsonText,
  systemGroup,
  type Dialect,
  type JsonValue,
} from '../../foundation/index.js';
import { readAs, text, unknownFieldText, type StructuralSchema } from '../../machinery/index.js';

/** A kind of configuration in the versions that have the same fields. */
export interface ConfigurationKind {
  /** Group without the suffix of the dialect: `apiserver.config`. */
  readonly group: string;
  readonly versions: readonly string[];
  readonly kind: string;
}

/** The parts with which a configuration is read. */
export interface ConfigurationReader {
  readonly dialect: Dialect;
  /** Reports fields that are ignored, as in Kubernetes. */
  readonly onUnknownFields: (fields: readonly string[]) => void;
}

/** How a configuration is read. */
export interface ConfigurationForm {
  readonly kinds: readonly ConfigurationKind[];
  /** Fields besides `apiVersion` and `kind`. */
  readonly schema: StructuralSchema;
  /** Whether unknown fields are refused. Default they are ignored, and reported. */
  readonly isStrict?: boolean | undefined;
}

/**
 * Reads a configuration.
 *
 * @throws Error for a wrong kind or version, a field of a wrong type, or an unknown field of a strict form, in the words
 *   of Kubernetes
 */
export function readConfiguration<Type>(
  value: JsonValue,
  { kinds, schema, isStrict = false }: ConfigurationForm,
  { dialect, onUnknownFields }: ConfigurationReader,
): Type {
  if (!isJsonObject(value)) throw new Error('the configuration must be an object');
  const { apiVersion, kind } = value;
  if (kind === undefined || kind === '') throw new Error("Object 'Kind' is missing in the configuration");
  if (apiVersion === undefined || apiVersion === '')
    throw new Error("Object 'apiVersion' is missing in the configuration");
  const expected = kinds.flatMap(({ group, versions, kind: name }) =>
    versions.map((version) => ({ kind: name, apiVersion: `${groupName(systemGroup(group), dialect)}/${version}` })),
  );
  if (!expected.some((known) => known.kind === kind && known.apiVersion === apiVersion)) {
    const shown = [kind, apiVersion].map((given) => (typeof given === 'string' ? goQuote(given) : jsonText(given)));
    const wanted = expected.map((known) => `${known.kind} of ${known.apiVersion}`).join(', ');
    throw new Error(`no kind ${shown[0]} is registered for version ${shown[1]}: expected ${wanted}`);
  }
  const { object, unknownFields } = readAs<Type>(value, typed(schema), { origin: 'builtin' });
  if (unknownFields.length === 0) return object;
  const fields = unknownFields.map(unknownFieldText);
  if (isStrict) throw new Error(`strict decoding error: ${fields.join(', ')}`);
  onUnknownFields(fields);
  return object;
}

/** Returns a schema with the fields that every configuration has. */
const typed = (schema: StructuralSchema): StructuralSchema => ({
  ...schema,
  properties: new Map([['apiVersion', text], ['kind', text], ...(schema.properties ?? [])]),
});
