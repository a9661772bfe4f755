import {
  encodeBase64Text,
  groupName,
  isArray,
  isJsonObject,
  ownMember,
  systemGroup,
  type Dialect,
  type JsonObject,
  type JsonValue,
} from '../../foundation/index.js';
import type { ResourceDefinition } from '../../registry/index.js';
import type { Random } from './random.js';
import { requiredFields } from './required-fields.js';

/** The facts that a template depends on. */
export interface TemplateContext {
  readonly name: string;
  readonly namespace: string;
  readonly dialect: Dialect;
  readonly random: Random;
}

/** The least fields of a valid object. Its own name is chosen by some kinds. */
export interface Template {
  readonly fields: JsonObject;
  readonly name?: string | undefined;
}

/** A certificate request of `CN=fake,O=example`, and a certificate of an authority that is valid until 2120. */
const REQUEST = `-----BEGIN CERTIFICATE REQUEST-----
MIHbMIGDAgEAMCExEDAOBgNVBAoMB2V4YW1wbGUxDTALBgNVBAMMBGZha2UwWTAT
BgcqhkjOPQIBBggqhkjOPQMBBwNCAARf27DdhMXUbTkk83pfwMZkE5kYYvEqa/VR
Coy4yoFiijy1foW7YzbqhwEJ6p1CHxoLLWUoKrWCJxfgQMlCWWsFoAAwCgYIKoZI
zj0EAwIDRwAwRAIgQ2uPOy7hcvsjr6qjjqPXZ9KW2gIvI3TMaTZ896HTmMUCICEY
qBV+qImGd+L1adEyafkNcSdmqr4Zpg2GJqP7boYj
-----END CERTIFICATE REQUEST-----
`;
const AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBNDCB3KADAgECAgEBMAoGCCqGSM49BAMCMBkxFzAVBgNVBAMTDmZha2UgYXV0
aG9yaXR5MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAZMRcwFQYD
VQQDEw5mYWtlIGF1dGhvcml0eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJd+
pgCkQWQ4vecfZyA3CdoTNhBzH2V6HtNqxqpBz6OgS5Bm9CGXARu8lSW4emA19bfp
Aux5Q/TAi/4GLeP6fM2jEzARMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwID
RwAwRAIgbPzhbeZMZx1HdqTgNMj6/pT9bFaR5mPXr6l3CwybeeUCIDFTIzAts6hE
qirdYRsuPcW6EfRCzT8cl3RRqrgzr/wO
-----END CERTIFICATE-----
`;

const roleRef =
  (kind: string) =>
  ({ name, dialect }: TemplateContext): Template => ({
    fields: {
      roleRef: { apiGroup: groupName(systemGroup('rbac.authorization'), dialect), kind, name },
      subjects: [{ apiGroup: groupName(systemGroup('rbac.authorization'), dialect), kind: 'User', name: 'jane' }],
    },
  });

const question = ({ namespace }: TemplateContext): JsonObject => ({
  resourceAttributes: { verb: 'get', resource: 'pods', namespace },
});

/** Kinds whose fields depend on the object's name, its namespace or the dialect. */
const TEMPLATES: Readonly<Record<string, (context: TemplateContext) => Template>> = {
  'Event.': ({ namespace }) => ({
    fields: {
      involvedObject: { kind: 'Pod', namespace, name: 'web' },
      reason: 'Tried',
      message: 'tried',
      type: 'Normal',
    },
  }),
  'Event.events': ({ namespace }) => ({
    fields: {
      regarding: { kind: 'Pod', namespace, name: 'web' },
      ...{ eventTime: '2024-01-01T00:00:00.000000Z', reportingController: 'example.com/controller' },
      ...{ reportingInstance: 'controller-0', action: 'Try', reason: 'Tried', type: 'Normal' },
    },
  }),
  'RoleBinding.rbac': roleRef('Role'),
  'ClusterRoleBinding.rbac': roleRef('ClusterRole'),
  'CertificateSigningRequest.certificates': () => ({
    fields: { spec: { request: encodeBase64Text(REQUEST), signerName: 'example.com/signer', usages: ['client auth'] } },
  }),
  'ClusterTrustBundle.certificates': () => ({ fields: { spec: { trustBundle: AUTHORITY } } }),
  'SubjectAccessReview.authorization': (context) => ({ fields: { spec: { user: 'jane', ...question(context) } } }),
  'LocalSubjectAccessReview.authorization': (context) => ({ fields: { spec: { user: 'jane', ...question(context) } } }),
  'SelfSubjectAccessReview.authorization': (context) => ({ fields: { spec: question(context) } }),
  'SelfSubjectRulesReview.authorization': ({ namespace }) => ({ fields: { spec: { namespace } } }),
  'CustomResourceDefinition.apiextensions': ({ random }) => {
    const word = random.word(8);
    const names = { plural: `${word}s`, singular: word, kind: word.charAt(0).toUpperCase() + word.slice(1) };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } };
    return {
      name: `${names.plural}.example.com`,
      fields: {
        spec: {
          ...{ group: 'example.com', scope: 'Namespaced', names },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      },
    };
  },
  'APIService.apiregistration': ({ random }) => {
    const group = `${random.word(8)}.example.com`;
    return {
      name: `v1.${group}`,
      fields: { spec: { version: 'v1', group, groupPriorityMinimum: 1000, versionPriority: 15 } },
    };
  },
  'IPAddress.networking': ({ random }) => ({
    name: `10.${random.below(256)}.${random.below(256)}.${1 + random.below(254)}`,
    fields: { spec: { parentRef: { group: '', resource: 'services', namespace: 'default', name: 'web' } } },
  }),
  'ServiceCIDR.networking': ({ random }) => ({ fields: { spec: { cidrs: [`10.${random.below(256)}.0.0/16`] } } }),
  'StorageVersion.internal': ({ random }) => ({ name: `example.com.${random.word(8)}`, fields: { spec: {} } }),
};

/** Returns the least fields of a valid object of a built-in kind; undefined for kinds that are not built in. */
export function templateOf(definition: ResourceDefinition, context: TemplateContext): Template | undefined {
  if (definition.origin !== 'builtin') return undefined;
  const { group, kind } = definition;
  const word = (typeof group === 'string' ? group : group.system).split('.')[0] ?? '';
  const made = ownMember(TEMPLATES, `${kind}.${word}`)?.(context);
  if (made !== undefined) return made;
  return { fields: named(requiredFields[`${kind}.${word}`] ?? {}, context.name) };
}

/** Returns fields with the name of the object in place of the name in the samples, so that selectors differ. */
function named(fields: JsonObject, name: string): JsonObject {
  const replace = (value: JsonValue): JsonValue => {
    if (value === 'sample') return name;
    if (isArray(value)) return value.map(replace);
    return isJsonObject(value) ? named(value, name) : value;
  };
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value === undefined ? undefined : replace(value)]),
  );
}
