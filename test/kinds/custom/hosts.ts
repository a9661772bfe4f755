/** A custom kind with two versions: `spec.host` of v1beta1 is `spec.hostname` of v1. */
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { isJsonObject } from '../../../src/foundation/json/json.js';
import type { CustomResourceConversion, WebhookClientConfig } from '../../../src/kinds/builtin/apiextensions/types.js';
import { definition, type Json } from '../../server/custom/world.js';

export const HOSTS = 'hosts.example.com';
export const V1 = 'example.com/v1';
export const BETA = 'example.com/v1beta1';

/** Path of the objects in a version, or of one of them. */
export const hostsPath = (version: 'v1' | 'v1beta1', name?: string): string =>
  `/apis/example.com/${version}/namespaces/default/hosts${name === undefined ? '' : `/${name}`}`;

const versionOf = (name: string, stored: string, properties: Json): Json => ({
  name,
  served: true,
  storage: name === stored,
  selectableFields: Object.keys(properties)
    .filter((field) => field !== 'replicas')
    .map((field) => ({ jsonPath: `.spec.${field}` })),
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
});

const replicas = { type: 'integer', default: 1 };

/** The versions, stored in one of them. */
export const hostVersions = (stored: 'v1' | 'v1beta1' = 'v1'): Json[] => [
  versionOf('v1', stored, { hostname: { type: 'string' }, replicas }),
  versionOf('v1beta1', stored, { host: { type: 'string' }, replicas }),
];

/** The definition, with its conversion. */
export const hostDefinition = (conversion: CustomResourceConversion, stored: 'v1' | 'v1beta1' = 'v1'): Json =>
  definition({ plural: 'hosts', kind: 'Host', versions: hostVersions(stored), spec: { conversion } });

/** A conversion by a webhook. */
export const byWebhook = (
  clientConfig: WebhookClientConfig,
  conversionReviewVersions = ['v1'],
): CustomResourceConversion => ({
  strategy: 'Webhook',
  webhook: { clientConfig, conversionReviewVersions },
});

/** A conversion by a webhook that a function replaces. */
export const BY_FUNCTION = byWebhook({ url: 'https://127.0.0.1:1/convert' });

/** Converts a host, as its webhook does. */
export function convertedHost(object: JsonObject, apiVersion: string): JsonObject {
  const spec = isJsonObject(object['spec']) ? object['spec'] : {};
  const { host, hostname, ...rest } = spec;
  const name = host ?? hostname;
  const renamed = name === undefined ? {} : { [apiVersion === V1 ? 'hostname' : 'host']: name };
  return { ...object, apiVersion, spec: { ...rest, ...renamed } };
}

/** A host to create. */
export const host = (version: 'v1' | 'v1beta1', name: string, value: string): Json => ({
  apiVersion: `example.com/${version}`,
  kind: 'Host',
  metadata: { name },
  spec: { [version === 'v1' ? 'hostname' : 'host']: value },
});
