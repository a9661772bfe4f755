/**
 * Runtime checks of the server options, for programs without types. PEM texts, configurations and policies are checked
 * by the parts that read them.
 *
 * @module
 */
import {
  admissionPluginNames,
  eventLimitTypes,
  InProcessWebhook,
  podSecurityLevels,
  readNodeSelector,
  readVersion,
  scopeOperators,
  type LimitedScope,
  type PluginOptions,
} from '../../admission/index.js';
import {
  aBoolean,
  aCount,
  aFunction,
  aName,
  aNumber,
  aText,
  checkedElsewhere,
  checkOptions,
  dialects,
  either,
  implementing,
  listOf,
  matching,
  nested,
  oneOf,
  shown,
  withMethods,
  type DefinitionLimits,
  type OptionCheck,
  type OptionChecks,
} from '../../foundation/index.js';
import type { ServiceOptions } from '../../kinds/index.js';
import { checkDefinition, type AdmissionPlugin, type ResourceDefinition } from '../../registry/index.js';
import {
  aUser,
  type AuditBatchOptions,
  type AuditDeliveryOptions,
  type AuditLogOptions,
  type AuditSinkOptions,
  type AuditWebhookOptions,
  type WrongTokenLimits,
} from '../../security/index.js';
import {
  featureGates,
  type InFlightOptions,
  type MetricsOptions,
  type RequestInterceptor,
  type ServerLimits,
  type ServiceHandlers,
  type VersionOptions,
  type WatchLimits,
} from '../../server/index.js';
import { LEAST_OBJECTS_TEXT, type Storage } from '../../storage/index.js';
import type { ApiServerOptions } from '../api-server.js';
import type { AuthenticationOptions } from '../authentication/authentication.js';
import type { CertificateOptions } from '../authentication/certificates.js';
import type { ServiceAccountOptions } from '../authentication/service-accounts.js';
import { controllerNames } from '../controllers/controller-table.js';
import type { AuditOptions } from '../observability/audit.js';
import {
  anAccessWebhook,
  anAuthenticationConfiguration,
  anHttpClient,
  anObject,
  anOpenIdConnect,
  aTokenWebhook,
  authorizationConfigurationChecks,
  texts,
} from './outbound-checks.js';

const STORAGE_METHODS = [
  'get',
  'list',
  'create',
  'update',
  'delete',
  'watch',
  'expiries',
  'currentRevision',
  'compactedRevision',
  'compact',
  'ping',
  'close',
] as const satisfies readonly (keyof Storage)[];

/** Checks a storage engine. */
export const aStorage = withMethods('a storage engine, such as createMemoryStorage() returns', ...STORAGE_METHODS);
/** Checks a clock. */
export const aClock = withMethods('a clock', 'now', 'after');
const anEntropy = withMethods('a source of randomness', 'uuid', 'bytes');
const aLogger = withMethods('a logger', 'info', 'error');
const milliseconds = aCount('milliseconds', 1);
const aTextOrAFunction = matching(
  'a text, or a function that returns it',
  (value) => typeof value === 'string' || typeof value === 'function',
);

const aShare = matching(
  'a number above 0 and at most 1',
  (value) => typeof value === 'number' && value > 0 && value <= 1,
);

/** Checks `limits.inFlight`. */
export const inFlightChecks: OptionChecks<InFlightOptions> = {
  maxReadOnly: aCount('requests'),
  maxMutating: aCount('requests'),
  maxWaiting: aCount('requests'),
  maxBodyBytes: aCount('bytes'),
  userShare: aShare,
};

/** Checks `limits.watches`. */
export const watchChecks: OptionChecks<WatchLimits> = {
  max: aCount('watches'),
  maxPerUser: aCount('watches'),
  initialStatesPerUser: aCount('watches'),
};

/** Checks `services`; {@link LateServiceAllocation} parses the ranges. */
const serviceChecks: OptionChecks<ServiceOptions & ServiceHandlers> = {
  clusterIPRange: aText,
  nodePortRange: aText,
  proxy: aFunction,
};

/** Checks `limits.definitions`. */
const definitionChecks: OptionChecks<DefinitionLimits> = {
  versions: aCount('versions', 1),
  patternInstructions: aCount('instructions', 1),
  versionPatternInstructions: aCount('instructions', 1),
  conditions: aCount('conditions'),
  schemas: aCount('schemas', 1),
  depth: aCount('levels', 1),
  ruleCharacters: aCount('characters'),
  columns: aCount('columns'),
  pathCharacters: aCount('characters', 1),
  pathSegments: aCount('steps', 1),
  pathDescents: aCount('recursive descents'),
};

/** Checks `limits`. */
export const limitChecks: OptionChecks<ServerLimits> = {
  bodyBytes: aCount('bytes', 1),
  bodyContainers: aCount('objects and lists', 1),
  inFlight: nested(inFlightChecks),
  watches: nested(watchChecks),
  requestTimeoutMs: milliseconds,
  requestCpuMs: aCount('milliseconds'),
  conversionAnswerBytes: aCount('bytes', 1),
  definitions: nested(definitionChecks),
  minWatchMs: milliseconds,
  watchHistoryMs: milliseconds,
  watchHistoryEvents: aCount('events', 1),
  historyBytes: aNumber('bytes', 1),
  memoryBytes: aNumber('bytes', 1),
  objectsTextBytes: matching(
    `0 for no limit, or a number of bytes, ${LEAST_OBJECTS_TEXT} (1Mi) or more`,
    (value) => typeof value === 'number' && (value === 0 || value >= LEAST_OBJECTS_TEXT),
  ),
  encodingBytes: aNumber('bytes'),
  bookmarkIntervalMs: milliseconds,
  revisionWaitMs: aCount('milliseconds'),
  closeTimeoutMs: milliseconds,
};

const serviceAccountChecks: OptionChecks<ServiceAccountOptions> = {
  issuers: texts,
  signingKey: aName,
  verificationKeys: texts,
  maxTokenExpirationSeconds: aNumber('seconds'),
  extendTokenExpiration: aBoolean,
  lookup: aBoolean,
  jwksUri: aName,
};

const anAuthority: OptionCheck = matching(
  'an authority, as { certificatePem, keyPem }, a function that returns one, "made" or "none"',
  (value) =>
    typeof value === 'function' ||
    value === 'made' ||
    value === 'none' ||
    (typeof value === 'object' && value !== null && 'certificatePem' in value && 'keyPem' in value),
);

const certificateChecks: OptionChecks<CertificateOptions> = {
  authority: anAuthority,
  signers: anObject,
  durationMs: checkedElsewhere,
};

const authorities = {
  certificateAuthorities: aTextOrAFunction,
  onReloadFailure: aFunction,
  cacheSize: aCount('chains'),
};

/** Checks `wrongBootstrapTokens`. */
export const wrongTokenChecks: OptionChecks<WrongTokenLimits> = {
  perSource: aCount('tokens'),
  inAll: aCount('tokens'),
};

const authenticationChecks: OptionChecks<AuthenticationOptions> = {
  tokens: listOf(nested({ token: aName, user: aUser }, ['token', 'user']), 'a list of { token, user }'),
  authenticators: listOf(aFunction, 'a list of functions'),
  anonymous: aBoolean,
  apiAudiences: texts,
  serviceAccounts: nested(serviceAccountChecks),
  bootstrapTokens: aBoolean,
  wrongBootstrapTokens: nested(wrongTokenChecks),
  clientCertificates: nested({ ...authorities, userConversion: aFunction }, ['certificateAuthorities']),
  requestHeader: nested(
    {
      ...authorities,
      allowedNames: listOf(aText),
      usernameHeaders: listOf(aText),
      groupHeaders: listOf(aText),
      extraHeaderPrefixes: listOf(aText),
    },
    ['certificateAuthorities'],
  ),
  tokenWebhook: aTokenWebhook,
  httpClient: anHttpClient,
  openIdConnect: anOpenIdConnect,
  authenticationConfiguration: anAuthenticationConfiguration,
};

const byModes: OptionCheck = nested(
  { modes: listOf(aName, 'a list of modes'), abac: checkedElsewhere, webhook: anAccessWebhook },
  ['modes'],
);
const byConfiguration: OptionCheck = nested({ ...authorizationConfigurationChecks, abac: checkedElsewhere }, [
  'configuration',
]);

/** Checks authorization by modes or by a configuration, distinguished by the members that are set. */
const anAuthorization: OptionCheck = (value, path) =>
  (typeof value === 'object' && value !== null && 'configuration' in value ? byConfiguration : byModes)(value, path);

/** Checks the members of an admission plugin. */
export const pluginChecks: OptionChecks<AdmissionPlugin> = {
  name: aName,
  operations: listOf(oneOf('CREATE', 'UPDATE', 'DELETE', 'CONNECT'), 'a list of operations'),
  kinds: listOf(anObject, 'a list of kinds'),
  mutate: aFunction,
  validate: aFunction,
};

const PLUGIN_REQUIRED = ['name', 'operations'] as const satisfies readonly (keyof AdmissionPlugin)[];

/** Checks an admission plugin. Instances of classes may have methods on the prototype and additional members. */
const aPlugin: OptionCheck = (value, path) => {
  // It was checked when it was made.
  if (value instanceof InProcessWebhook) return undefined;
  if (typeof value !== 'object' || value === null)
    return `the option ${path} must be an admission plugin, or a webhook that webhook() returns, got ${shown(value)}`;
  const prototype: unknown = Object.getPrototypeOf(value);
  const problem =
    prototype === Object.prototype || prototype === null
      ? nested(pluginChecks, PLUGIN_REQUIRED)(value, path)
      : undefined;
  if (problem !== undefined) return problem;
  if (!('mutate' in value) && !('validate' in value))
    return `the option ${path} must have mutate or validate: otherwise the plugin does nothing`;
  if (!('operations' in value) || !Array.isArray(value.operations) || value.operations.length === 0)
    return `the option ${path}.operations must name at least one operation: otherwise the plugin is never called`;
  return undefined;
};

/** Checks a list of names of admission plugins. */
const pluginNames: OptionCheck = (value, path) => {
  const problem = listOf(aText, 'a list of names of admission plugins')(value, path);
  if (problem !== undefined || !Array.isArray(value)) return problem;
  const unknown: unknown = value.find((name) => !admissionPluginNames.some((known) => known === name));
  if (unknown !== undefined)
    return `the option ${path}: the admission plugin ${shown(unknown)} is unknown; the known ones are ${admissionPluginNames.join(', ')}`;
  return undefined;
};

const aPolicyVersion: OptionCheck = (value, path) =>
  typeof value === 'string' && readVersion(value) !== undefined
    ? undefined
    : `the option ${path} must be "latest" or "v1.x", got ${shown(value)}`;

const aNodeSelector: OptionCheck = (value, path) =>
  typeof value === 'string' && readNodeSelector(value) !== undefined
    ? undefined
    : `the option ${path} must be a selector of labels such as "env=test,region=west", got ${shown(value)}`;

const nodeSelectors: OptionCheck = (value, path) =>
  anObject(value, path) ??
  Object.entries(value as object)
    .map(([namespace, selector]) => aNodeSelector(selector, `${path}[${JSON.stringify(namespace)}]`))
    .find((problem) => problem !== undefined);

const aLevel = oneOf(...podSecurityLevels);

const aScope = nested(
  {
    scopeName: aName,
    operator: oneOf(...scopeOperators),
    values: listOf(aName),
  } satisfies OptionChecks<LimitedScope>,
  ['scopeName', 'operator'],
);

const tolerations = listOf(
  nested({
    key: aText,
    operator: oneOf('Exists', 'Equal'),
    value: aText,
    effect: aText,
    tolerationSeconds: aNumber('seconds'),
  }),
  'a list of tolerations',
);

const admissionPluginChecks: OptionChecks<PluginOptions> = {
  enable: pluginNames,
  disable: pluginNames,
  podSecurity: nested({
    defaults: nested({
      enforce: aLevel,
      enforceVersion: aPolicyVersion,
      audit: aLevel,
      auditVersion: aPolicyVersion,
      warn: aLevel,
      warnVersion: aPolicyVersion,
    }),
    exemptions: nested({ usernames: listOf(aName), runtimeClasses: listOf(aName), namespaces: listOf(aName) }),
  }),
  eventRateLimit: nested(
    {
      limits: listOf(
        nested(
          {
            type: oneOf(...eventLimitTypes),
            qps: aCount('events per second'),
            burst: aCount('events'),
            cacheSize: aCount('keys'),
          },
          ['type', 'qps', 'burst'],
        ),
        'a list of limits',
      ),
    },
    ['limits'],
  ),
  podNodeSelector: nested({ clusterDefault: aNodeSelector, allowed: nodeSelectors }),
  defaultTolerations: nested({ notReadySeconds: aCount('seconds'), unreachableSeconds: aCount('seconds') }),
  podTolerationRestriction: nested({ default: tolerations, whitelist: tolerations }),
  imagePolicyWebhook: nested(
    {
      post: aFunction,
      allowTtlMs: aCount('milliseconds'),
      denyTtlMs: aCount('milliseconds'),
      retryBackoffMs: aCount('milliseconds'),
      defaultAllow: aBoolean,
    },
    ['post'],
  ),
  resourceQuota: nested({
    limitedResources: listOf(
      nested({ apiGroup: aText, resource: aName, matchContains: listOf(aName), matchScopes: listOf(aScope) }, [
        'resource',
      ]),
      'a list of limited resources',
    ),
  }),
  mutatingWebhooks: nested({ credentials: aFunction }),
  validatingWebhooks: nested({ credentials: aFunction }),
};

const perSecond = matching('a number above 0', (value) => typeof value === 'number' && value > 0);
const off: OptionCheck = matching('an object, or false', (value) => value === false);

const deliveryChecks: OptionChecks<AuditDeliveryOptions> = {
  mode: oneOf('batch', 'blocking', 'blocking-strict'),
  batch: nested({
    bufferSize: aCount('events', 1),
    bufferBytes: aNumber('bytes', 1),
    maxSize: aCount('events', 1),
    maxWaitMs: aCount('milliseconds'),
    throttle: either(off, nested({ qps: perSecond, burst: aCount('batches', 1) })),
  } satisfies OptionChecks<AuditBatchOptions>),
  truncate: either(off, nested({ maxEventBytes: aCount('bytes', 1), maxBatchBytes: aCount('bytes', 1) })),
};

/** Checks `audit.sink`. */
const anAuditSink: OptionCheck = either(
  aFunction,
  nested({ ...deliveryChecks, write: aFunction, timeoutMs: milliseconds } satisfies OptionChecks<AuditSinkOptions>, [
    'write',
  ]),
);

const auditLogChecks: OptionChecks<AuditLogOptions> = {
  ...deliveryChecks,
  output: withMethods('an output of lines, such as auditFile() returns', 'write'),
  format: oneOf('json', 'legacy'),
};

const auditWebhookChecks: OptionChecks<AuditWebhookOptions> = {
  ...deliveryChecks,
  post: aFunction,
  initialBackoffMs: milliseconds,
  timeoutMs: milliseconds,
};

/** Checks `audit`; the policy is checked when the server starts. */
const auditChecks: OptionChecks<AuditOptions> = {
  policy: anObject,
  sink: anAuditSink,
  log: nested(auditLogChecks, ['output']),
  webhook: nested(auditWebhookChecks, ['post']),
};

/** Checks `metrics`; {@link MetricRules} checks the texts. */
const metricsChecks: OptionChecks<MetricsOptions> = {
  showHiddenForVersion: aText,
  disabled: listOf(aName, 'a list of names of metrics'),
  allowLabels: (value, path) =>
    anObject(value, path) ??
    Object.entries(value as object)
      .map(([key, values]) => listOf(aText, 'a list of values')(values, `${path}[${JSON.stringify(key)}]`))
      .find((problem) => problem !== undefined),
};

const aTracer = nested({ tracer: withMethods('a tracer of OpenTelemetry', 'startSpan') }, ['tracer']);
const aTracerProvider = nested({ tracerProvider: withMethods('a provider of tracers of OpenTelemetry', 'getTracer') }, [
  'tracerProvider',
]);

/** Checks `tracing`: a tracer or a provider. */
const aTracing: OptionCheck = (value, path) =>
  (typeof value === 'object' && value !== null && 'tracer' in value ? aTracer : aTracerProvider)(value, path);

const versionChecks: OptionChecks<VersionOptions> = {
  packageVersion: aText,
  gitCommit: aText,
  buildDate: aText,
  runtime: aText,
  platform: aText,
};

const controllers = listOf(oneOf(...controllerNames), 'a list of controller names');

const interceptorChecks: OptionChecks<RequestInterceptor> = {
  request: aFunction,
  storage: aFunction,
  attach: aFunction,
  watch: aFunction,
  written: aFunction,
};

/** Checks of the server options. */
export const serverOptionChecks: OptionChecks<ApiServerOptions> = {
  ...authenticationChecks,
  dialect: either(anObject, oneOf(...dialects.keys())),
  resources: listOf(
    matching('a kind that defineResource returned', (value) => typeof value === 'object' && value !== null),
    'a list of kinds',
  ),
  storage: aStorage,
  authorization: anAuthorization,
  authorizer: aFunction,
  interceptor: implementing('an interceptor, such as { request }', interceptorChecks, ['request']),
  admission: listOf(aPlugin, 'a list of admission plugins'),
  admissionPlugins: nested(admissionPluginChecks),
  webhooks: nested({
    resolveService: aFunction,
    serviceRouting: oneOf('Endpoints', 'ClusterIP'),
    credentials: aFunction,
  }),
  audit: nested(auditChecks, ['policy']),
  metrics: nested(metricsChecks),
  tracing: aTracing,
  conversionWebhooks: (value, path) =>
    anObject(value, path) ??
    Object.entries(value as object)
      .map(([name, convert]) => aFunction(convert, `${path}[${JSON.stringify(name)}]`))
      .find((problem) => problem !== undefined),
  enabledControllers: controllers,
  disabledControllers: controllers,
  terminatedPodThreshold: aCount('pods'),
  simulation: withMethods('a simulation that createSimulation returned', 'start'),
  rootCertificateAuthority: aFunction,
  certificates: nested(certificateChecks),
  services: nested(serviceChecks),
  featureGates: matching(
    'a text such as "WatchList=true", or an object such as { WatchList: true }',
    (value) =>
      typeof value === 'string' ||
      (typeof value === 'object' &&
        value !== null &&
        Object.values(value).every((on) => on === undefined || typeof on === 'boolean')),
  ),
  runtimeConfig: aText,
  allowPrivileged: aBoolean,
  release: aText,
  fairness: aBoolean,
  limits: nested(limitChecks),
  livezGracePeriodMs: aNumber('milliseconds'),
  ownerToken: aName,
  clock: aClock,
  entropy: anEntropy,
  logger: aLogger,
  pods: nested({ log: aFunction, exec: aFunction, attach: aFunction, portForward: aFunction, proxy: aFunction }),
  nodes: nested({ proxy: aFunction }),
  version: nested(versionChecks),
};

/**
 * Checks the server options and their combinations.
 *
 * @throws TypeError that names the option and its requirement
 */
export function checkServerOptions(options: ApiServerOptions): void {
  checkOptions('ApiServer', options, serverOptionChecks);
  const contradiction = contradictionOf(options);
  if (contradiction !== undefined) throw new TypeError(`ApiServer: ${contradiction}`);
}

function contradictionOf({
  audit,
  authorization,
  authorizer,
  enabledControllers = [],
  disabledControllers = [],
  tokens = [],
  ownerToken,
  resources = [],
  admissionPlugins: { enable = [], disable = [], eventRateLimit, imagePolicyWebhook } = {},
}: ApiServerOptions): string | undefined {
  if (authorizer !== undefined && authorization !== undefined)
    return 'the options authorizer and authorization cannot be given together';
  if (audit !== undefined && audit.sink === undefined && audit.log === undefined && audit.webhook === undefined)
    return 'the option audit needs sink, log or webhook: otherwise no event is written';
  const both = enabledControllers.find((name) => disabledControllers.includes(name));
  if (both !== undefined)
    return `the controller ${both} is in both enabledControllers and disabledControllers; name it in only one of them`;
  const twice = enable.find((name) => disable.includes(name));
  if (twice !== undefined)
    return `the admission plugin ${twice} is in both admissionPlugins.enable and admissionPlugins.disable; name it in only one of them`;
  if (enable.includes('EventRateLimit') && eventRateLimit === undefined)
    return 'the admission plugin EventRateLimit needs its limits: set admissionPlugins.eventRateLimit';
  if (enable.includes('ImagePolicyWebhook') && imagePolicyWebhook === undefined)
    return 'the admission plugin ImagePolicyWebhook needs the service that decides: set admissionPlugins.imagePolicyWebhook';
  const seen = new Set(ownerToken === undefined ? [] : [ownerToken]);
  for (const [index, { token }] of tokens.entries()) {
    if (seen.has(token)) return `the option tokens[${index}].token is given twice; a token has one user`;
    seen.add(token);
  }
  return resources.map(unknownGate).find((problem) => problem !== undefined);
}

/** Returns the problem of a kind with an unknown feature gate, which would never be enabled. */
function unknownGate({ kind, featureGate }: ResourceDefinition): string | undefined {
  if (featureGate === undefined || featureGates.some(({ name }) => name === featureGate)) return undefined;
  return `the option resources: ${kind} has the featureGate ${shown(featureGate)}, which does not exist, so it would never be served; omit it, or name one of ${featureGates.map(({ name }) => name).join(', ')}`;
}

/**
 * Checks custom kinds.
 *
 * @throws TypeError that names the invalid option of the kind
 */
export function checkGivenKinds(resources: readonly ResourceDefinition[]): void {
  for (const definition of resources) checkDefinition(definition);
}
