/**
 * Authentication of a server: all methods of its options in a fixed order (conventions.md, "Authentication").
 *
 * @module
 */
import {
  whenReady,
  type Clock,
  type Dialect,
  type Entropy,
  type HttpClient,
  type Logger,
  type ReloadMetrics,
  type StoredObject,
} from '../../foundation/index.js';
import { importOutbound } from '../../foundation/late.js';
import { Node, Pod, Secret, ServiceAccount } from '../../kinds/index.js';
import type { ResourceDefinition } from '../../registry/index.js';
import {
  anonymousAuthenticator,
  audienceAgnostic,
  bearerTokenAuthenticator,
  composeAuthentication,
  createBootstrapTokenAuthenticator,
  createStaticTokenAuthenticator,
  defaultIssuer,
  identityReader,
  unionTokenAuthenticators,
  webSocketBearerAuthenticator,
  withAuthenticatedTokenGroup,
  withinTokenLimit,
  type AuthenticationConfiguration,
  type Authenticator,
  type ClientCertificateOptions,
  type GeneratedAuthority,
  type OpenIdConnectOptions,
  type RequestHeaderOptions,
  type ServiceAccountLookup,
  type StaticToken,
  type TokenAuthenticator,
  type TokenWebhookOptions,
  type WrongTokenLimits,
  type JwtIssuer,
} from '../../security/index.js';
import { importIssuedCertificates, importRequestHeader, importTokenWebhook, importX509 } from '../../security/late.js';
import {
  certificateLifetimeMeter,
  countingCertificateFaults,
  type DocumentSource,
  type FeatureGates,
  type Metrics,
} from '../../server/index.js';
import { importTokenCacheMetrics } from '../../server/late.js';
import type { Storage } from '../../storage/index.js';
import type { ConfigurationSource } from '../options/configuration-source.js';
import type { JwtAuthenticators } from './jwt-authenticators.js';
import { checkJwtOptions } from './jwt-options.js';
import { ServiceAccounts, type ServiceAccountOptions } from './service-accounts.js';

/** Authentication methods. Service account tokens are always enabled; every other method is disabled by default. */
export interface AuthenticationOptions {
  /** Static bearer tokens and their users. */
  readonly tokens?: readonly StaticToken[] | undefined;
  /** Custom authenticators; they run before all others. */
  readonly authenticators?: readonly Authenticator[] | undefined;
  /**
   * Whether requests without credentials are accepted as `system:anonymous`. Default true, except in mode
   * `AlwaysAllow`. The authorizer decides what they can do. Cannot be combined with an authentication configuration
   * that sets it.
   */
  readonly anonymous?: boolean | undefined;
  /** One provider of OpenID Connect. Cannot be combined with `configuration`. */
  readonly openIdConnect?: OpenIdConnectOptions | undefined;
  /**
   * Any number of issuers of JSON Web Tokens, and the paths for anonymous requests: `--authentication-config` (KEP-3331).
   * A file is reloaded when it changes.
   */
  readonly configuration?: ConfigurationSource<AuthenticationConfiguration> | undefined;
  /** Audiences of the server; default the issuers of its service account tokens. */
  readonly apiAudiences?: readonly string[] | undefined;
  /** Options of service account tokens. */
  readonly serviceAccounts?: ServiceAccountOptions | undefined;
  /** Whether bootstrap tokens (Secrets in the system namespace) are accepted; default false. */
  readonly bootstrapTokens?: boolean | undefined;
  /**
   * Maximum number of wrong bootstrap tokens per minute before clients receive 429; valid tokens are always accepted.
   */
  readonly wrongBootstrapTokens?: WrongTokenLimits | undefined;
  /** Client certificate authentication, in addition to certificates issued by the server's own authority. */
  readonly clientCertificates?: ClientCertificateOptions | undefined;
  /** An authenticating proxy that names the user in headers. */
  readonly requestHeader?: RequestHeaderOptions | undefined;
  /** A webhook that authenticates tokens. */
  readonly tokenWebhook?: TokenWebhookOptions | undefined;
  /**
   * Bearer token of the server's owner, which `kubeConfig` of the server contains; default a random token. It grants all
   * permissions.
   */
  readonly ownerToken?: string | undefined;
}

/** Dependencies of {@link Authentication}. */
export interface AuthenticationParts {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly storage: Storage;
  readonly logger: Logger;
  readonly featureGates: FeatureGates;
  readonly metrics: Metrics;
  readonly reloadMetrics: ReloadMetrics;
  /** Sends requests to the issuers of tokens; default the platform's `fetch`. */
  readonly httpClient: HttpClient | undefined;
  /** The authority that the server created, whose client certificates are trusted; undefined when it creates none. */
  readonly generatedAuthority: (() => Promise<GeneratedAuthority>) | undefined;
  /** The owner of the process, and the token with which tools authenticate as the owner. */
  readonly owner: StaticToken;
  /** Authenticates the owners of the servers that share the storage; undefined when no other process uses it. */
  readonly otherOwners: TokenAuthenticator | undefined;
  /** Returns whether the token of the owner was revoked in the storage. */
  readonly isOwnerRevoked: () => boolean | Promise<boolean>;
  /** Returns the default of anonymous access. */
  readonly anonymousByDefault: () => boolean;
  /** Looks up a current object. */
  find(definition: ResourceDefinition, namespace: string, name: string): Promise<StoredObject | undefined>;
}

/**
 * Authentication of one server. No request is authenticated before the start. Modules of disabled methods are not
 * loaded.
 */
export class Authentication {
  readonly apiAudiences: readonly string[];
  readonly serviceAccounts: ServiceAccounts;
  /** Documents that are served in addition to the API, by path. */
  readonly documents: ReadonlyMap<string, DocumentSource>;
  readonly #options: AuthenticationOptions;
  readonly #parts: AuthenticationParts;
  readonly #issuers: readonly string[];
  #webTokens: JwtAuthenticators | undefined;
  #token: TokenAuthenticator = () => undefined;
  #request: Authenticator = () => undefined;
  #anonymous: Authenticator | undefined;

  /** @throws Error | TypeError | RangeError for invalid or contradictory options */
  constructor(options: AuthenticationOptions, parts: AuthenticationParts) {
    this.#options = options;
    this.#parts = parts;
    const { serviceAccounts = {} } = options;
    this.#issuers = serviceAccounts.issuers ?? [defaultIssuer(parts.dialect)];
    checkJwtOptions(options, this.#issuers);
    // Throws for invalid header names.
    if (options.requestHeader !== undefined) identityReader(options.requestHeader);
    this.apiAudiences = options.apiAudiences ?? this.#issuers;
    this.serviceAccounts = new ServiceAccounts(serviceAccounts, {
      ...parts,
      apiAudiences: this.apiAudiences,
      lookup: lookupOf(parts),
    });
    this.documents = this.serviceAccounts.documents();
    this.#anonymous = defaultAnonymous(options.anonymous, parts.anonymousByDefault);
  }

  /** Authenticates a token with all methods. For reviews: an unknown token is an error. */
  readonly token: TokenAuthenticator = (token, request) => this.#token(token, request);

  /** Authenticates a request. */
  readonly request: Authenticator = (request) => this.#request(request);

  /**
   * Loads and reads the configured methods.
   *
   * @throws Error with all errors of the authentication configuration, and for invalid certificate authorities
   */
  async start(): Promise<void> {
    await this.#startWebTokens();
    const tokens = withinTokenLimit(unionTokenAuthenticators(await this.#tokenAuthenticators()));
    const known = [
      ...(this.#options.authenticators ?? []),
      ...(await this.#certificateAuthenticators()),
      bearerTokenAuthenticator(tokens),
      webSocketBearerAuthenticator(tokens, this.#parts.dialect),
    ];
    this.#token = withAuthenticatedTokenGroup(tokens);
    this.#request = composeAuthentication(known, (request) => this.#anonymous?.(request));
    await this.serviceAccounts.start();
  }

  /** The issuers of JSON Web Tokens that are in force, without that of service accounts. */
  get issuers(): readonly JwtIssuer[] {
    return this.#webTokens?.issuers ?? [];
  }

  /** Stops background work. */
  close(): void {
    this.#webTokens?.close();
    this.serviceAccounts.close();
  }

  async #startWebTokens(): Promise<void> {
    const { openIdConnect, configuration, anonymous: wanted } = this.#options;
    if (openIdConnect === undefined && configuration === undefined) return;
    const { JwtAuthenticators } = await import('./jwt-authenticators.js');
    const { dialect, featureGates, httpClient, reloadMetrics: metrics } = this.#parts;
    const http = httpClient ?? (await importOutbound()).fetchHttpClient();
    const rules = {
      dialect,
      disallowedIssuers: this.#issuers,
      anonymousConfigurable: featureGates.enabled('AnonymousAuthConfigurableEndpoints'),
    };
    this.#webTokens ??= new JwtAuthenticators(this.#options, {
      ...this.#parts,
      http,
      apiAudiences: this.apiAudiences,
      rules,
      metrics,
    });
    await this.#webTokens.start();
    const { anonymous } = this.#webTokens;
    if (anonymous === undefined) return;
    if (wanted !== undefined)
      throw new Error(
        '--anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file',
      );
    const { conditions } = anonymous;
    const paths =
      conditions === undefined || conditions.length === 0 ? {} : { paths: conditions.map(({ path }) => path) };
    this.#anonymous = anonymous.enabled ? anonymousAuthenticator(paths) : undefined;
  }

  /**
   * Returns the token authenticators in the order of Kubernetes. Tokens without audiences are valid for the server's
   * own.
   */
  async #tokenAuthenticators(): Promise<readonly TokenAuthenticator[]> {
    const { tokens = [], bootstrapTokens = false, wrongBootstrapTokens: wrong = {}, tokenWebhook } = this.#options;
    const { entropy, clock, dialect, otherOwners, find, metrics } = this.#parts;
    const own = this.apiAudiences;
    const known: TokenAuthenticator[] = [
      audienceAgnostic(own, this.#staticTokens(tokens)),
      this.serviceAccounts.authenticate,
    ];
    if (otherOwners !== undefined) known.push(audienceAgnostic(own, otherOwners));
    if (bootstrapTokens)
      known.push(
        audienceAgnostic(
          own,
          createBootstrapTokenAuthenticator({
            lookup: (namespace, name) => find(Secret, namespace, name),
            dialect,
            clock,
            wrong,
          }),
        ),
      );
    if (this.#webTokens !== undefined) known.push(this.#webTokens.authenticate);
    if (tokenWebhook !== undefined) {
      const { createWebhookTokenAuthenticator } = await importTokenWebhook();
      const { tokenCacheMeter } = await importTokenCacheMetrics();
      const cacheMeter = tokenCacheMeter(metrics, clock);
      const post = countingCertificateFaults(tokenWebhook.post, metrics);
      known.push(
        createWebhookTokenAuthenticator({ ...tokenWebhook, post, audiences: own, cacheMeter, dialect, clock, entropy }),
      );
    }
    return known;
  }

  #staticTokens(tokens: readonly StaticToken[]): TokenAuthenticator {
    const { entropy, owner, isOwnerRevoked } = this.#parts;
    const all = createStaticTokenAuthenticator([owner, ...tokens], entropy);
    const others = createStaticTokenAuthenticator(tokens, entropy);
    return (token, request) =>
      whenReady(all(token, request), (result) =>
        result === undefined
          ? undefined
          : whenReady(isOwnerRevoked(), (isRevoked) => (isRevoked ? others(token, request) : result)),
      );
  }

  /** Returns the certificate authenticators in the order of Kubernetes. */
  async #certificateAuthenticators(): Promise<readonly Authenticator[]> {
    const { requestHeader, clientCertificates } = this.#options;
    const { clock, generatedAuthority, metrics } = this.#parts;
    const known: Authenticator[] = [];
    if (requestHeader !== undefined) {
      const { createRequestHeaderAuthenticator } = await importRequestHeader();
      known.push(createRequestHeaderAuthenticator({ ...requestHeader, clock }));
    }
    if (clientCertificates !== undefined) {
      const { createX509Authenticator } = await importX509();
      const measureLifetime = certificateLifetimeMeter(metrics);
      known.push(createX509Authenticator({ ...clientCertificates, clock, measureLifetime }));
    }
    if (generatedAuthority !== undefined) {
      // Certificates that the other authorities refuse have been measured there.
      const measureLifetime = clientCertificates === undefined ? certificateLifetimeMeter(metrics) : undefined;
      known.push(
        forCertificates(async () => {
          const { issuedCertificates } = await importIssuedCertificates();
          return issuedCertificates(await generatedAuthority(), {
            userConversion: clientCertificates?.userConversion,
            clock,
            measureLifetime,
          });
        }),
      );
    }
    return known;
  }
}

/** Looks up bound objects in the server's storage. Their schemas contain the fields that the lookup reads. */
function lookupOf({ find }: AuthenticationParts): ServiceAccountLookup {
  return {
    serviceAccount: (namespace, name) => find(ServiceAccount, namespace, name),
    secret: (namespace, name) => find(Secret, namespace, name),
    pod: (namespace, name) => find(Pod, namespace, name),
    node: (name) => find(Node, '', name),
  };
}

/** Returns a certificate authenticator that is loaded for the first certificate. */
function forCertificates(load: () => Promise<Authenticator>): Authenticator {
  let loaded: Authenticator | undefined;
  return (request) => {
    if (request.peer.certificate?.() === undefined) return undefined;
    return loaded === undefined ? load().then((authenticate) => (loaded ??= authenticate)(request)) : loaded(request);
  };
}

/**
 * Returns the authenticator of anonymous requests; undefined when they are disabled.
 *
 * @param byDefault returns the default, which can change with the authorizers while the server runs
 */
function defaultAnonymous(wanted: boolean | undefined, byDefault: () => boolean): Authenticator | undefined {
  if (wanted === false) return undefined;
  const anonymous = anonymousAuthenticator();
  return wanted === true ? anonymous : (request) => (byDefault() ? anonymous(request) : undefined);
}
