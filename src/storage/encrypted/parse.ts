/**
 * Parses an EncryptionConfiguration strictly: unknown fields are refused. No message contains a value of the file other
 * than its kind and version.
 *
 * @module
 */
import {
  aggregateText,
  goQuote,
  groupName,
  isJsonObject,
  systemGroup,
  type Dialect,
  type JsonObject,
  type JsonValue,
} from '../../foundation/index.js';
import { readAs, unknownFieldText } from '../../machinery/index.js';
import { encryptionConfigurationSchema } from './schema.js';
import type { EncryptionConfiguration, EncryptionProvider } from './types.js';
import { validateEncryptionConfiguration } from './validate.js';
import { V1_IS_OFF, versionOf } from './validate-kms.js';

const KIND = 'EncryptionConfiguration';

/**
 * Parses and validates an encryption configuration of `apiserver.config.<suffix>/v1`. The caller parses the YAML and
 * refuses duplicate fields.
 *
 * @throws Error in the words of Kubernetes for a wrong kind or version, an unknown field, or invalid values
 */
export function parseEncryptionConfiguration(value: JsonValue, dialect: Dialect): EncryptionConfiguration {
  if (!isJsonObject(value)) throw new Error('the encryption configuration must be an object');
  checkKind(value, dialect);
  const { object, unknownFields } = readAs<EncryptionConfiguration>(value, encryptionConfigurationSchema, {
    origin: 'builtin',
  });
  if (unknownFields.length > 0)
    throw new Error(`strict decoding error: ${unknownFields.map(unknownFieldText).join(', ')}`);
  const errors = validateEncryptionConfiguration(object, dialect);
  if (errors.length > 0) throw new Error(aggregateText(errors));
  const isV1 = ({ kms }: EncryptionProvider): boolean => kms !== undefined && versionOf(kms) === 'v1';
  if (object.resources.some(({ providers }) => providers.some(isV1))) throw new Error(V1_IS_OFF);
  return object;
}

function checkKind(value: JsonObject, dialect: Dialect): void {
  const { apiVersion, kind } = value;
  if (typeof kind !== 'string' || kind === '')
    throw new Error("Object 'Kind' is missing in the encryption configuration");
  if (typeof apiVersion !== 'string' || apiVersion === '')
    throw new Error("Object 'apiVersion' is missing in the encryption configuration");
  if (kind === KIND && apiVersion === `${groupName(systemGroup('apiserver.config'), dialect)}/v1`) return;
  throw new Error(`no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)}`);
}
