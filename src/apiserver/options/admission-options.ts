import {
  admissionPluginNames,
  eventLimitTypes,
  InProcessWebhook,
  podSecurityLevels,
  readNodeSelector,
  readVersion,
  scopeOperators,
  type LimitedScope,
  type AdmissionPluginOptions,
  type WebhookPluginOptions,
} from '../../admission/index.js';
import {
  aBoolean,
  aCount,
  aDuration,
  aFunction,
  aName,
  anObject,
  aNumber,
  aText,
  listOf,
  nested,
  oneOf,
  shown,
  type OptionCheck,
  type OptionChecks,
} from '../../foundation/index.js';
import type { AdmissionPlugin } from '../../registry/index.js';

/**
 * Admission: the built-in plugins that run, by Kubernetes' names, and their settings; the plugins of the program.
 *
 * By default the built-in plugins of Kubernetes run, except ServiceAccount, which needs the accounts that a controller
 * creates, and TaintNodesByCondition, whose taint no controller of the server removes.
 */
export interface AdmissionOptions extends AdmissionPluginOptions {
  /** Plugins of the program, which run after the built-in ones, and webhooks that are functions of the process. */
  readonly plugins?: readonly (AdmissionPlugin | InProcessWebhook)[] | undefined;
  /** Credentials for the webhooks that API objects configure. Those of one kind of webhooks take precedence. */
  readonly webhooks?: WebhookPluginOptions | undefined;
}

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

const webhookCalls = nested({ credentials: aFunction } satisfies OptionChecks<WebhookPluginOptions>);

/** Checks the members of `admission`. */
const admissionChecks: OptionChecks<AdmissionOptions> = {
  plugins: listOf(aPlugin, 'a list of admission plugins'),
  webhooks: webhookCalls,
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
  defaultTolerations: nested({ notReady: aDuration, unreachable: aDuration }),
  podTolerationRestriction: nested({ default: tolerations, whitelist: tolerations }),
  imagePolicyWebhook: nested(
    {
      post: aFunction,
      allowTtl: aDuration,
      denyTtl: aDuration,
      retryBackoff: aDuration,
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
  mutatingWebhooks: webhookCalls,
  validatingWebhooks: webhookCalls,
};

/** Checks `admission`. */
export const anAdmission: OptionCheck = (value, path) =>
  Array.isArray(value)
    ? `the option ${path} must be an object, got an array: a list of plugins is ${path}.plugins now`
    : nested(admissionChecks)(value, path);

/** Returns what contradicts itself in `admission`. */
export function contradictionInAdmission({
  enable = [],
  disable = [],
  eventRateLimit,
  imagePolicyWebhook,
}: AdmissionOptions = {}): string | undefined {
  const twice = enable.find((name) => disable.includes(name));
  if (twice !== undefined)
    return `the admission plugin ${twice} is in both admission.enable and admission.disable; name it in only one of them`;
  if (enable.includes('EventRateLimit') && eventRateLimit === undefined)
    return 'the admission plugin EventRateLimit needs its limits: set admission.eventRateLimit';
  if (enable.includes('ImagePolicyWebhook') && imagePolicyWebhook === undefined)
    return 'the admission plugin ImagePolicyWebhook needs the service that decides: set admission.imagePolicyWebhook';
  return undefined;
}
