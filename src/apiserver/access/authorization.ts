/**
 * Authorization of a server: the authorizers of its options or configuration file, in order (conventions.md,
 * "Authorization").
 *
 * @module
 */
import {
  untilAborted,
  type Clock,
  type Dialect,
  type Entropy,
  type Logger,
  type ReloadedFile,
  type ReloadMetrics,
} from '../../foundation/index.js';
import type { Catalogue } from '../../registry/index.js';
import {
  alwaysAllow,
  alwaysDeny,
  MASTERS_GROUP,
  mastersAuthorizer,
  rulesOf,
  unionAuthorizers,
  withRules,
  type AbacPolicy,
  type AuthorizationConfiguration,
  type Authorizer,
  type AuthorizerConfiguration,
  type AuthorizerType,
  type DecisionCache,
  type WebhookAuthorizerOptions,
} from '../../security/index.js';
import { importAuthz } from '../../security/late.js';
import {
  countingCertificateFaults,
  parseConfigurationText,
  Rbac,
  type FeatureGates,
  type Metrics,
  type NodeAccess,
} from '../../server/index.js';
import { importNodeAccess } from '../../server/late.js';
import { isConfigurationFile } from '../options/configuration-source.js';
import type { NamedAuthorizer } from './access.js';
import {
  authorizationProblems,
  NO_POLICIES,
  type AbacPolicySource,
  type AuthorizationByConfiguration,
  type AuthorizationByModes,
  type AuthorizationMode,
  type BuiltinAuthorization,
} from './authorization-options.js';

/** Dependencies of {@link Authorization}. */
export interface AuthorizationParts {
  readonly catalogue: Catalogue;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly featureGates: FeatureGates;
  readonly metrics: Metrics;
  readonly reloadMetrics: ReloadMetrics;
  /** Whether the store has the default roles and bindings. */
  readonly hasDefaultPolicy: boolean;
}

/** Caches of webhooks by name. The identity shows whether a webhook has changed and needs a new cache. */
type Caches = ReadonlyMap<string, { readonly identity: string; readonly cache: DecisionCache }>;

/** The active configuration. It is replaced as a whole. */
interface Generation {
  readonly authorize: Authorizer;
  readonly members: readonly Member[];
  readonly caches: Caches;
}

/** An active authorizer. Webhooks of a configuration have their own names; others are named by their type. */
interface Member extends NamedAuthorizer {
  readonly type: AuthorizerType;
}

const NO_CACHES: Caches = new Map();
/** Refuses every request before the start. */
const BEFORE_START: Generation = { authorize: alwaysDeny, members: [], caches: NO_CACHES };
const MASTERS: NamedAuthorizer = { name: MASTERS_GROUP, authorize: mastersAuthorizer };

/**
 * Authorization of one server. Members of `system:masters` are always allowed. Modules of unused authorizers are not
 * loaded.
 */
export class Authorization {
  /** Roles and bindings. They exist in every mode: escalation checks always apply. */
  readonly rbac: Rbac;
  /** Decides by the active configuration. */
  readonly authorize: Authorizer;
  readonly #options: BuiltinAuthorization;
  readonly #parts: AuthorizationParts;
  #node: NodeAccess | undefined;
  #abac: Authorizer | undefined;
  #current: Generation = BEFORE_START;
  #file: ReloadedFile | undefined;
  #started = false;

  /** @throws TypeError for contradictory options, in the words of Kubernetes */
  constructor(options: BuiltinAuthorization, parts: AuthorizationParts) {
    const problems = authorizationProblems(options, parts.featureGates);
    if (problems.length > 0) throw new TypeError(problems.join('; '));
    this.#options = options;
    this.#parts = parts;
    this.rbac = new Rbac(parts);
    this.authorize = withRules(
      (attributes) => this.#current.authorize(attributes),
      (user, namespace) => rulesOf(this.#current.authorize, user, namespace),
    );
  }

  /** The active authorizers in order. */
  get authorizers(): readonly NamedAuthorizer[] {
    return [MASTERS, ...this.#current.members];
  }

  /** Whether the Node authorizer is active: node agents are then restricted to their nodes. */
  get allowsNodes(): boolean {
    return this.#current.members.some(({ type }) => type === 'Node');
  }

  /** Default of anonymous access: false when everything is allowed. */
  get anonymousByDefault(): boolean {
    return !this.#current.members.some(({ type }) => type === 'AlwaysAllow');
  }

  /**
   * Applies the options and starts following a configuration file.
   *
   * @throws Error with all errors of the file, or with the first invalid policy
   */
  async start(): Promise<void> {
    if (this.#started) return;
    if (this.#options.abac !== undefined) this.#abac = await abacAuthorizer(this.#options.abac, this.#parts);
    if ('modes' in this.#options) await this.#startModes(this.#options);
    else await this.#startConfiguration(this.#options);
    this.#started = true;
  }

  /** Stops background work. */
  close(): void {
    this.#file?.close();
    this.rbac.stop();
    this.#node?.stop();
  }

  async #startModes({ modes, webhook }: AuthorizationByModes): Promise<void> {
    const member = async (mode: AuthorizationMode): Promise<Member> =>
      mode === 'Webhook' && webhook !== undefined ? this.#webhook(mode, webhook) : this.#sharedMember(mode);
    this.#current = generation(await Promise.all(modes.map(member)), NO_CACHES);
  }

  async #startConfiguration(options: AuthorizationByConfiguration): Promise<void> {
    const { configuration: source, files } = options;
    const { checkAuthorizationConfiguration, loadAuthorizationConfiguration, watchAuthorizationConfiguration } =
      await importAuthz();
    const { clock, dialect, featureGates, logger, reloadMetrics } = this.#parts;
    const rules = {
      dialect,
      withSelectors: featureGates.enabled('AuthorizeWithSelectors'),
      files,
    };
    if (!isConfigurationFile(source)) return this.#apply(await checkAuthorizationConfiguration(source, rules), options);
    const file = { parseText: parseConfigurationText, rules };
    const configuration = await loadAuthorizationConfiguration(source.text, file);
    await this.#apply(configuration, options);
    this.#file = watchAuthorizationConfiguration({
      ...file,
      initial: { text: source.text, configuration },
      read: () => source.read(),
      apply: (changed, signal) => this.#apply(changed, options, signal),
      onChange: source.onChange?.bind(source),
      clock,
      log: logger,
      metrics: reloadMetrics,
    });
  }

  /** Applies a configuration completely or not at all. An unchanged webhook keeps its cache. */
  async #apply(
    { authorizers }: AuthorizationConfiguration,
    options: AuthorizationByConfiguration,
    signal?: AbortSignal,
  ): Promise<void> {
    const caches = await this.#cachesFor(authorizers);
    const members = Promise.all(authorizers.map((authorizer) => this.#configured(authorizer, options, caches)));
    this.#current = generation(await untilAborted(members, signal), caches);
  }

  async #cachesFor(authorizers: readonly AuthorizerConfiguration[]): Promise<Caches> {
    const { DecisionCache } = await importAuthz();
    const { clock } = this.#parts;
    const caches = authorizers.flatMap((authorizer) => {
      if (authorizer.type !== 'Webhook') return [];
      const identity = JSON.stringify(authorizer.webhook);
      const before = this.#current.caches.get(authorizer.name);
      return [
        [
          authorizer.name,
          before?.identity === identity ? before : { identity, cache: new DecisionCache({ clock }) },
        ] as const,
      ];
    });
    return new Map(caches);
  }

  async #configured(
    authorizer: AuthorizerConfiguration,
    { connect }: AuthorizationByConfiguration,
    caches: Caches,
  ): Promise<Member> {
    if (authorizer.type !== 'Webhook') return this.#sharedMember(authorizer.type);
    const { name, webhook } = authorizer;
    if (connect === undefined)
      throw new TypeError(`the option "connect" is needed to reach the webhook ${JSON.stringify(name)}`);
    const {
      connectionInfo,
      subjectAccessReviewVersion: version,
      authorizedTTL: authorizedTtl,
      unauthorizedTTL: unauthorizedTtl,
      timeout,
      failurePolicy,
      matchConditions,
    } = webhook;
    const cache = caches.get(name)?.cache;
    return this.#webhook(name, {
      post: await connect(connectionInfo),
      version,
      timeout,
      failurePolicy,
      authorizedTtl,
      unauthorizedTtl,
      matchConditions,
      cache,
    });
  }

  async #webhook(
    name: string,
    options: Omit<WebhookAuthorizerOptions, 'dialect' | 'clock' | 'entropy' | 'withSelectors'>,
  ): Promise<Member> {
    const { createWebhookAuthorizer } = await importAuthz();
    const { dialect, clock, entropy, featureGates, logger, metrics } = this.#parts;
    const onError = (error: Error): void => {
      logger.error('failed to make webhook authorizer request', { authorizer: name, error: error.message });
      options.onError?.(error);
    };
    const authorize = await createWebhookAuthorizer({
      ...options,
      post: countingCertificateFaults(options.post, metrics),
      dialect,
      clock,
      entropy,
      withSelectors: featureGates.enabled('AuthorizeWithSelectors'),
      onError,
    });
    return { type: 'Webhook', name, authorize };
  }

  /** Returns the authorizer of a mode or type other than Webhook. @throws Error when there are no ABAC policies */
  async #sharedMember(type: AuthorizerType): Promise<Member> {
    const authorize = await this.#shared(type);
    if (authorize === undefined) throw new Error(NO_POLICIES);
    return { type, name: type, authorize };
  }

  /** Returns the authorizer of a type, shared by all configurations; undefined when there are no ABAC policies. */
  async #shared(type: AuthorizerType): Promise<Authorizer | undefined> {
    if (type === 'AlwaysAllow') return alwaysAllow;
    if (type === 'AlwaysDeny') return alwaysDeny;
    if (type === 'RBAC') return this.rbac.authorize;
    return type === 'Node' ? (await this.#nodeAccess()).authorize : this.#abac;
  }

  async #nodeAccess(): Promise<NodeAccess> {
    const { NodeAccess } = await importNodeAccess();
    const { featureGates } = this.#parts;
    const clusterTrustBundles = featureGates.enabled('ClusterTrustBundle');
    return (this.#node ??= new NodeAccess({ ...this.#parts, clusterTrustBundles }));
  }
}

const generation = (members: readonly Member[], caches: Caches): Generation => ({
  authorize: unionAuthorizers([MASTERS, ...members].map(({ authorize }) => authorize)),
  members,
  caches,
});

async function abacAuthorizer(source: AbacPolicySource, { dialect, logger }: AuthorizationParts): Promise<Authorizer> {
  const { createAbacAuthorizer, parseAbacPolicy } = await importAuthz();
  if (isPolicies(source)) return createAbacAuthorizer(source);
  const { path, text } = typeof source === 'string' ? { path: 'policy', text: source } : source;
  const { policies, warnings } = parseAbacPolicy(text, path, dialect);
  for (const warning of warnings) logger.info(warning);
  return createAbacAuthorizer(policies);
}

const isPolicies = (source: AbacPolicySource): source is readonly AbacPolicy[] => Array.isArray(source);
