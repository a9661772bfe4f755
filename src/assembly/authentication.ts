/**
 * How a server finds out who asks: every way that its options switch on, in one order (conventions.md, "Authentication").
 *
 * @module
 */
import {
  anonymousAuthenticator, audienceAgnostic, bearerTokenAuthenticator, composeAuthentication, createBootstrapTokenAuthenticator, createRequestHeaderAuthenticator, createStaticTokenAuthenticator,
  createWebhookTokenAuthenticator, createX509Authenticator, unionTokenAuthenticators, webSocketBearerAuthenticator, withAuthenticatedTokenGroup, type Authenticator,
  type RequestHeaderAuthenticatorOptions, type ServiceAccountLookup, type StaticToken, type TokenAuthenticator, type WebhookTokenAuthenticatorOptions, type X509AuthenticatorOptions,
} from '../authn/index.js';
import type { Clock, Entropy } from '../meta/clock.js';
import type { StoredObject } from '../meta/object.js';
import type { ReloadMetrics } from '../meta/reloaded-file.js';
import type { Dialect } from '../names/dialect.js';
import { fetchHttpClient, type HttpClient } from '../outbound/index.js';
import type { ResourceDefinition } from '../registry/definition.js';
import { Node, Pod, Secret, ServiceAccount } from '../resources/index.js';
import type { FeatureGates } from '../server/feature-gates.js';
import type { Logger } from '../server/logger.js';
import type { DocumentSource } from '../server/non-resource-routes.js';
import type { Storage } from '../storage/index.js';
import { JwtAuthenticators, type JwtAuthenticatorsOptions } from './jwt-authenticators.js';
import { defaultIssuer, ServiceAccounts, type ServiceAccountOptions } from './service-accounts.js';

/** Ways to find out who asks. Tokens of service accounts are always known; everything else is off until it is named. */
export interface AuthenticationOptions extends JwtAuthenticatorsOptions {
  /** Users by bearer token. */
  readonly tokens?: readonly StaticToken[];
  /** Further ways to find out who asks; asked before all others. */
  readonly authenticators?: readonly Authenticator[];
  /**
   * Whether requests without credentials are let in as `system:anonymous`; default true, but not where everything is allowed
   * (mode `AlwaysAllow`). What they may do is the authorizer's word.
   * Not together with an authentication configuration that says it.
   */
  readonly anonymous?: boolean;
  /** Audiences of the server itself; default its issuers of service-account tokens. */
  readonly apiAudiences?: readonly string[];
  /** Tokens of service accounts. */
  readonly serviceAccounts?: ServiceAccountOptions;
  /** Whether bootstrap tokens, which are Secrets of the system's namespace, are credentials; default false. */
  readonly bootstrapTokens?: boolean;
  /** Users by client certificate. */
  readonly clientCertificates?: Omit<X509AuthenticatorOptions, 'clock'>;
  /** A proxy in front that has found out who asks, and says so in header fields. */
  readonly requestHeader?: Omit<RequestHeaderAuthenticatorOptions, 'clock'>;
  /** A service that is asked whose token it is. */
  readonly tokenWebhook?: Omit<WebhookTokenAuthenticatorOptions, 'dialect' | 'clock' | 'entropy' | 'audiences'>;
  /** Sends the server's own requests; default the platform's `fetch`, which cannot be given authorities or certificates. */
  readonly httpClient?: HttpClient;
}

/** What authentication needs of its server. */
export interface AuthenticationParts {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly storage: Storage;
  readonly logger: Logger;
  readonly featureGates: FeatureGates;
  readonly reloadMetrics: ReloadMetrics;
  /** Who owns the process, and the token by which tools reach the server as its owner. */
  readonly owner: StaticToken;
  /** Whether requests without credentials are let in where the options do not say. */
  readonly anonymousByDefault: () => boolean;
  /** Looks an object up as it is now. */
  find(definition: ResourceDefinition, namespace: string, name: string): Promise<StoredObject | undefined>;
}

/** Who asks, to one server. */
export class Authentication {
  readonly apiAudiences: readonly string[];
  readonly serviceAccounts: ServiceAccounts;
  /** Whose token a token is, by every way that there is. For reviews: a token that nobody knows is an error. */
  readonly token: TokenAuthenticator;
  /** Who sent a request. */
  readonly request: Authenticator;
  /** Documents that are served beside the API, by path. */
  readonly documents: ReadonlyMap<string, DocumentSource>;
  readonly #webTokens: JwtAuthenticators;
  readonly #options: AuthenticationOptions;
  #anonymous: Authenticator | undefined;

  /** @throws Error | TypeError when an option is wrong, or two contradict each other */
  constructor(options: AuthenticationOptions, parts: AuthenticationParts) {
    this.#options = options;
    const { dialect, clock } = parts;
    const { serviceAccounts = {}, requestHeader, clientCertificates } = options;
    const issuers = serviceAccounts.issuers ?? [defaultIssuer(dialect)];
    this.apiAudiences = options.apiAudiences ?? issuers;
    this.serviceAccounts = new ServiceAccounts(serviceAccounts, { ...parts, apiAudiences: this.apiAudiences, lookup: lookupOf(parts) });
    this.#webTokens = new JwtAuthenticators(options, {
      ...parts,
      http: options.httpClient ?? fetchHttpClient(),
      apiAudiences: this.apiAudiences,
      rules: { dialect, disallowedIssuers: issuers, anonymousConfigurable: parts.featureGates.enabled('AnonymousAuthConfigurableEndpoints') },
      metrics: parts.reloadMetrics,
    });
    const tokens = unionTokenAuthenticators(this.#tokenAuthenticators(options, parts));
    this.token = withAuthenticatedTokenGroup(tokens);
    const known = [
      ...(options.authenticators ?? []),
      ...(requestHeader === undefined ? [] : [createRequestHeaderAuthenticator({ ...requestHeader, clock })]),
      ...(clientCertificates === undefined ? [] : [createX509Authenticator({ ...clientCertificates, clock })]),
      bearerTokenAuthenticator(tokens),
      webSocketBearerAuthenticator(tokens, dialect),
    ];
    this.#anonymous = defaultAnonymous(options.anonymous, parts.anonymousByDefault);
    // Who is anonymous may be said by a configuration that is read later.
    this.request = composeAuthentication(known, (request) => this.#anonymous?.(request));
    this.documents = this.serviceAccounts.documents();
  }

  /**
   * Takes over what takes time: the authentication configuration.
   *
   * @throws Error with all that is wrong with it
   */
  async start(): Promise<void> {
    if (this.#options.authenticationConfiguration === undefined) return;
    await this.#webTokens.start();
    const { anonymous } = this.#webTokens;
    if (anonymous === undefined) return;
    if (this.#options.anonymous !== undefined) throw new Error('--anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file');
    const { conditions } = anonymous;
    const paths = conditions === undefined || conditions.length === 0 ? {} : { paths: conditions.map(({ path }) => path) };
    this.#anonymous = anonymous.enabled ? anonymousAuthenticator(paths) : undefined;
  }

  /** Ends what goes on in the background. */
  close(): void {
    this.#webTokens.close();
  }

  /** In production's order. Those that know nothing of audiences speak for the server's own. */
  #tokenAuthenticators({ tokens = [], bootstrapTokens = false, tokenWebhook }: AuthenticationOptions, parts: AuthenticationParts): readonly TokenAuthenticator[] {
    const { entropy, clock, dialect, owner, find } = parts;
    const own = this.apiAudiences;
    return [
      audienceAgnostic(own, createStaticTokenAuthenticator([owner, ...tokens], entropy)),
      this.serviceAccounts.authenticate,
      ...(bootstrapTokens ? [audienceAgnostic(own, createBootstrapTokenAuthenticator({ lookup: (namespace, name) => find(Secret, namespace, name), dialect, clock }))] : []),
      this.#webTokens.authenticate,
      ...(tokenWebhook === undefined ? [] : [createWebhookTokenAuthenticator({ ...tokenWebhook, audiences: own, dialect, clock, entropy })]),
    ];
  }
}

/** The objects that tokens are bound to, where the server keeps them. Their schemas have what the look-up reads. */
function lookupOf({ find }: AuthenticationParts): ServiceAccountLookup {
  return {
    serviceAccount: (namespace, name) => find(ServiceAccount, namespace, name),
    secret: (namespace, name) => find(Secret, namespace, name),
    pod: (namespace, name) => find(Pod, namespace, name),
    node: (name) => find(Node, '', name),
  };
}

/** Which authorizers decide may change while the server runs. */
function defaultAnonymous(wanted: boolean | undefined, byDefault: () => boolean): Authenticator | undefined {
  if (wanted === false) return undefined;
  const anonymous = anonymousAuthenticator();
  return wanted === true ? anonymous : (request) => (byDefault() ? anonymous(request) : undefined);
}
