/**
 * Parses an AuthenticationConfiguration strictly: unknown fields are refused.
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
  type JsonObject,
  type JsonValue,
} from '../../../foundation/index.js';
import { readAs, unknownFieldText } from '../../../machinery/index.js';
import { authenticationConfigurationSchema } from './schema.js';
import type { AuthenticationConfiguration } from './types.js';

const KIND = 'AuthenticationConfiguration';
const VERSIONS = ['v1beta1', 'v1alpha1'] as const;

/**
 * Parses an authentication configuration of `apiserver.config.<suffix>/v1beta1` or `v1alpha1`. The caller parses the
 * YAML and refuses duplicate fields.
 *
 * @returns the configuration with the defaults of Kubernetes, not validated
 * @throws Error in the words of Kubernetes for a wrong kind or version, a field of a wrong type, or an unknown field:
 *   `strict decoding error: unknown field "jwt[0].issuer.foo"`
 */
export function parseAuthenticationConfiguration(value: JsonValue, dialect: Dialect): AuthenticationConfiguration {
  if (!isJsonObject(value)) throw new Error('the authentication configuration must be an object');
  checkKind(value, dialect);
  const { object, unknownFields } = readAs<AuthenticationConfiguration & { apiVersion: string; kind: string }>(
    value,
    authenticationConfigurationSchema,
    { origin: 'builtin' },
  );
  if (unknownFields.length > 0)
    throw new Error(`strict decoding error: ${unknownFields.map(unknownFieldText).join(', ')}`);
  const { apiVersion: _apiVersion, kind: _kind, ...configuration } = object;
  return configuration;
}

function checkKind(value: JsonObject, dialect: Dialect): void {
  const { apiVersion = '', kind = '' } = value;
  if (kind === '') throw new Error("Object 'Kind' is missing in the authentication configuration");
  if (apiVersion === '') throw new Error("Object 'apiVersion' is missing in the authentication configuration");
  const group = groupName(systemGroup('apiserver.config'), dialect);
  if (kind === KIND && VERSIONS.some((version) => apiVersion === `${group}/${version}`)) return;
  throw new Error(`no kind ${shown(kind)} is registered for version ${shown(apiVersion)}`);
}

const shown = (value: JsonValue): string => (typeof value === 'string' ? goQuote(value) : jsonText(value));
