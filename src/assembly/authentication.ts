/**
 * How a server finds out who asks: every way that its options switch on, in one order (conventions.md, "Authentication").
 *
 * @module
 */
import { anonymousAuthenticator } from '../authn/anonymous.js';
import { audienceAgnostic } from '../authn/audiences.js';
import {
  composeAuthentication,
  unionTokenAuthenticators,
  withAuthenticatedTokenGroup,
  type Authenticator,
  type TokenAuthenticator,
} from '../authn/authenticator.js';
import { bearerTokenAuthenticator, webSocketBearerAuthenticator } from '../authn/bearer-token.js';
import { createBootstrapTokenAuthenticator } from '../authn/bootstrap-token.js';
import type {
  RequestHeaderAuthenticatorOptions,
  ServiceAccountLookup,
  WebhookTokenAuthenticatorOptions,
  X509AuthenticatorOptions,
} from '../authn/index.js';
import { identityReader } from '../authn/request-header/identity-headers.js';
import { createStaticTokenAuthenticator, type StaticToken } from '../authn/static-token.js';
import type { WrongTokenLimits } from '../authn/wrong-token-throttle.js';
import type { Clock, Entropy } from '../meta/clock.js';
import type { StoredObject } from '../meta/object.js';
import type { ReloadMetrics } from '../meta/reloaded-file.js';
import type { Dialect } from '../names/dialect.js';
import type { HttpClient } from '../outbound/index.js';
import type { ResourceDefinition } from '../registry/definition.js';
import { Node, Pod, Secret, ServiceAccount } from '../resources/index.js';
import type { FeatureGates } from '../server/feature-gates.js';
import type { Logger } from '../meta/logger.js';
import type { DocumentSource } from '../server/non-resource-routes.js';
import type { Storage } from '../storage/index.js';
import { defaultIssuer } from './default-issuer.js';
import type { JwtAuthenticators } from './jwt-authenticators.js';
import { checkJwtOptions, type JwtAuthenticatorsOptions } from './jwt-options.js';
import type { MadeAuthority } from './made-authority.js';
import { ServiceAccounts, type ServiceAccountOptions } from './service-accounts.js';

/** Ways to find out who asks. Tokens of service accounts are always known; everything else is off until it is named. */
export interface AuthenticationOptions extends JwtAuthenticatorsOptions {
  /** Users by bearer token. */
  readonly tokens?: readonly StaticToken[] | undefined;
  /** Further ways to find out who asks; asked before all others. */
  readonly authenticators?: readonly Authenticator[] | undefined;
  /**
   * Whether requests without credentials are let in as `system:anonymous`; default true, but not where everything is allowed
   * (mode `AlwaysAllow`). What they may do is the authorizer's word.
   * Not together with an authentication configuration that says it.
   */
  readonly anonymous?: boolean | undefined;
  /** Audiences of the server itself; default its issuers of service-account tokens. */
  readonly apiAudiences?: readonly string[] | undefined;
  /** Tokens of service accounts. */
  readonly serviceAccounts?: ServiceAccountOptions | undefined;
  /** Whether bootstrap tokens, which are Secrets of the system's namespace, are credentials; default false. */
  readonly bootstrapTokens?: boolean | undefined;
  /** How many wrong bootstrap tokens in a minute are answered with 401 before their senders get 429; right ones are always taken. */
  readonly wrongBootstrapTokens?: WrongTokenLimits | undefined;
  /** Users by client certificate, besides those to whom the server itself has issued one by an authority that it has made. */
  readonly clientCertificates?: Omit<X509AuthenticatorOptions, 'clock'> | undefined;
  /** A proxy in front that has found out who asks, and says so in header fields. */
  readonly requestHeader?: Omit<RequestHeaderAuthenticatorOptions, 'clock'> | undefined;
  /** A service that is asked whose token it is. */
  readonly tokenWebhook?:
    Omit<WebhookTokenAuthenticatorOptions, 'dialect' | 'clock' | 'entropy' | 'audiences'> | undefined;
  /** Sends the server's own requests; default the platform's `fetch`, which cannot be given authorities or certificates. */
  readonly httpClient?: HttpClient | undefined;
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
  /** The authority that the server has made, whose client certificates are trusted; undefined where it makes none. */
  readonly madeAuthority: (() => Promise<MadeAuthority>) | undefined;
  /** Who owns the process, and the token by which tools reach the server as its owner. */
  readonly owner: StaticToken;
  /** Whether requests without credentials are let in where the options do not say. */
  readonly anonymousByDefault: () => boolean;
  /** Looks an object up as it is now. */
  find(definition: ResourceDefinition, namespace: string, name: string): Promise<StoredObject | undefined>;
}

/** Who asks, to one server. Nobody is known before the start; what the options do not name is not loaded. */
export class Authentication {
  readonly apiAudiences: readonly string[];
  readonly serviceAccounts: ServiceAccounts;
  /** Documents that are served beside the API, by path. */
  readonly documents: ReadonlyMap<string, DocumentSource>;
  readonly #options: AuthenticationOptions;
  readonly #parts: AuthenticationParts;
  readonly #issuers: readonly string[];
  #webTokens: JwtAuthenticators | undefined;
  #token: TokenAuthenticator = () => undefined;
  #request: Authenticator = () => undefined;
  #anonymous: Authenticator | undefined;

  /** @throws Error | TypeError | RangeError when an option is wrong, or two contradict each other */
  constructor(options: AuthenticationOptions, parts: AuthenticationParts) {
    this.#options = options;
    this.#parts = parts;
    const { serviceAccounts = {} } = options;
    this.#issuers = serviceAccounts.issuers ?? [defaultIssuer(parts.dialect)];
    checkJwtOptions(options, this.#issuers);
    // Throws for names that no header can have.
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

  /** Whose token a token is, by every way that there is. For reviews: a token that nobody knows is an error. */
  readonly token: TokenAuthenticator = (token, request) => this.#token(token, request);

  /** Who sent a request. */
  readonly request: Authenticator = (request) => this.#request(request);

  /**
   * Takes over what takes time: what is loaded and read.
   *
   * @throws Error with all that is wrong with the authentication configuration; when the authorities of certificates cannot be read
   */
  async start(): Promise<void> {
    await this.#startWebTokens();
    const tokens = unionTokenAuthenticators(await this.#tokenAuthenticators());
    const known = [
      ...(this.#options.authenticators ?? []),
      ...(await this.#certificateAuthenticators()),
      bearerTokenAuthenticator(tokens),
      webSocketBearerAuthenticator(tokens, this.#parts.dialect),
    ];
    this.#token = withAuthenticatedTokenGroup(tokens);
    this.#request = composeAuthentication(known, (request) => this.#anonymous?.(request));
  }

  /** Ends what goes on in the background. */
  close(): void {
    this.#webTokens?.close();
  }

  async #startWebTokens(): Promise<void> {
    const { openIdConnect, authenticationConfiguration, httpClient, anonymous: wanted } = this.#options;
    if (openIdConnect === undefined && authenticationConfiguration === undefined) return;
    const { JwtAuthenticators } = await import('./jwt-authenticators.js');
    const http = httpClient ?? (await import('../outbound/index.js')).fetchHttpClient();
    const { dialect, featureGates, reloadMetrics: metrics } = this.#parts;
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

  /** In production's order. Those that know nothing of audiences speak for the server's own. */
  async #tokenAuthenticators(): Promise<readonly TokenAuthenticator[]> {
    const { tokens = [], bootstrapTokens = false, wrongBootstrapTokens: wrong = {}, tokenWebhook } = this.#options;
    const { entropy, clock, dialect, owner, find } = this.#parts;
    const own = this.apiAudiences;
    const known: TokenAuthenticator[] = [
      audienceAgnostic(own, createStaticTokenAuthenticator([owner, ...tokens], entropy)),
      this.serviceAccounts.authenticate,
    ];
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
      const { createWebhookTokenAuthenticator } = await import('../authn/webhook/token-webhook.js');
      known.push(createWebhookTokenAuthenticator({ ...tokenWebhook, audiences: own, dialect, clock, entropy }));
    }
    return known;
  }

  /** In production's order. */
  async #certificateAuthenticators(): Promise<readonly Authenticator[]> {
    const { requestHeader, clientCertificates } = this.#options;
    const { clock, madeAuthority } = this.#parts;
    const known: Authenticator[] = [];
    if (requestHeader !== undefined) {
      const { createRequestHeaderAuthenticator } = await import('../authn/request-header/index.js');
      known.push(createRequestHeaderAuthenticator({ ...requestHeader, clock }));
    }
    if (clientCertificates !== undefined) {
      const { createX509Authenticator } = await import('../authn/x509/index.js');
      known.push(createX509Authenticator({ ...clientCertificates, clock }));
    }
    if (madeAuthority !== undefined) {
      known.push(
        forCertificates(async () => {
          const { issuedCertificates } = await import('./issued-certificates.js');
          return issuedCertificates(await madeAuthority(), {
            userConversion: clientCertificates?.userConversion,
            clock,
          });
        }),
      );
    }
    return known;
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

/** An authenticator that looks at certificates, loaded when somebody first shows one. */
function forCertificates(load: () => Promise<Authenticator>): Authenticator {
  let loaded: Authenticator | undefined;
  return (request) => {
    if (request.peer.certificate?.() === undefined) return undefined;
    return loaded === undefined ? load().then((authenticate) => (loaded ??= authenticate)(request)) : loaded(request);
  };
}

/** Which authorizers decide may change while the server runs. */
function defaultAnonymous(wanted: boolean | undefined, byDefault: () => boolean): Authenticator | undefined {
  if (wanted === false) return undefined;
  const anonymous = anonymousAuthenticator();
  return wanted === true ? anonymous : (request) => (byDefault() ? anonymous(request) : undefined);
}
