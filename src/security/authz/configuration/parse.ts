/**
 * Parses an AuthorizationConfiguration strictly: unknown fields are refused.
 *
 * @module
 */
import {
  goQuote,
  groupName,
  isJsonObject,
  jsonText,
  parseGoDuration,
  systemGroup,
  type Dialect,
  type JsonObject,
  type JsonValue,
} from '../../../foundation/index.js';
import {
  list,
  readAs,
  requiredText,
  structNode,
  text,
  unknownFieldText,
  type StructuralSchema,
} from '../../../machinery/index.js';
import type { UncheckedAuthorizationConfiguration, UncheckedWebhook } from './types.js';

const KIND = 'AuthorizationConfiguration';
const VERSIONS = ['v1', 'v1beta1', 'v1alpha1'] as const;
const AUTHORIZED_TTL_MS = 300_000;
const UNAUTHORIZED_TTL_MS = 30_000;

/** The fields before conversion. */
interface WrittenWebhook extends Omit<UncheckedWebhook, 'authorizedTTL' | 'unauthorizedTTL' | 'timeout'> {
  readonly authorizedTTL?: string | undefined;
  readonly unauthorizedTTL?: string | undefined;
  readonly timeout?: string | undefined;
}

interface Written {
  readonly authorizers: readonly {
    readonly type?: string | undefined;
    readonly name?: string | undefined;
    readonly webhook?: WrittenWebhook | undefined;
  }[];
}

/**
 * Parses an authorization configuration of `apiserver.config.<suffix>/v1`, `v1beta1` or `v1alpha1`, which have the same
 * fields. The caller parses the YAML and refuses duplicate fields.
 *
 * @returns the configuration with the defaults of Kubernetes, not validated
 * @throws Error in the words of Kubernetes for a wrong kind or version, a field of a wrong type, an invalid duration,
 *   or an unknown field: `strict decoding error: unknown field "authorizers[0].foo"`
 */
export function parseAuthorizationConfiguration(
  value: JsonValue,
  dialect: Dialect,
): UncheckedAuthorizationConfiguration {
  if (!isJsonObject(value)) throw new Error('the authorization configuration must be an object');
  checkKind(value, dialect);
  const { object, unknownFields } = readAs<Written>(value, authorizationConfigurationSchema, { origin: 'builtin' });
  const { authorizers } = object;
  const configuration = {
    authorizers: authorizers.map(({ webhook, ...authorizer }) =>
      webhook === undefined ? authorizer : { ...authorizer, webhook: readWebhook(webhook) },
    ),
  };
  if (unknownFields.length > 0)
    throw new Error(`strict decoding error: ${unknownFields.map(unknownFieldText).join(', ')}`);
  return configuration;
}

function readWebhook({ authorizedTTL, unauthorizedTTL, timeout = '0', ...webhook }: WrittenWebhook): UncheckedWebhook {
  return {
    ...webhook,
    authorizedTTL: authorizedTTL === undefined ? AUTHORIZED_TTL_MS : parseGoDuration(authorizedTTL),
    unauthorizedTTL: unauthorizedTTL === undefined ? UNAUTHORIZED_TTL_MS : parseGoDuration(unauthorizedTTL),
    timeout: parseGoDuration(timeout),
  };
}

function checkKind(value: JsonObject, dialect: Dialect): void {
  const { apiVersion = '', kind = '' } = value;
  if (kind === '') throw new Error("Object 'Kind' is missing in the authorization configuration");
  if (apiVersion === '') throw new Error("Object 'apiVersion' is missing in the authorization configuration");
  const group = groupName(systemGroup('apiserver.config'), dialect);
  if (kind === KIND && VERSIONS.some((version) => apiVersion === `${group}/${version}`)) return;
  throw new Error(`no kind ${shown(kind)} is registered for version ${shown(apiVersion)}`);
}

const shown = (value: JsonValue): string => (typeof value === 'string' ? goQuote(value) : jsonText(value));

const webhook = structNode('WebhookConfiguration', {
  authorizedTTL: text,
  unauthorizedTTL: text,
  timeout: text,
  subjectAccessReviewVersion: text,
  matchConditionSubjectAccessReviewVersion: text,
  failurePolicy: text,
  connectionInfo: structNode('WebhookConnectionInfo', { type: text, kubeConfigFile: text }),
  matchConditions: list(structNode('WebhookMatchCondition', { expression: requiredText })),
});

/** The fields of an AuthorizationConfiguration, for all its versions. */
const authorizationConfigurationSchema: StructuralSchema = structNode('AuthorizationConfiguration', {
  apiVersion: text,
  kind: text,
  authorizers: list(structNode('AuthorizerConfiguration', { type: text, name: text, webhook }), 'always'),
});
