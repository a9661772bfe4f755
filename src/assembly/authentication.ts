/**
 * How a server finds out who asks: every way that its options switch on, in one order (conventions.md, "Authentication").
 *
 * @module
 */
import {
  anonymousAuthenticator, audienceAgnostic, bearerTokenAuthenticator, composeAuthentication, createStaticTokenAuthenticator, unionTokenAuthenticators, webSocketBearerAuthenticator,
  withAuthenticatedTokenGroup, type Authenticator, type ServiceAccountLookup, type StaticToken, type TokenAuthenticator,
} from '../authn/index.js';
import type { Clock, Entropy } from '../meta/clock.js';
import type { StoredObject } from '../meta/object.js';
import type { Dialect } from '../names/dialect.js';
import type { ResourceDefinition } from '../registry/definition.js';
import { Node, Pod, Secret, ServiceAccount } from '../resources/index.js';
import type { DocumentSource } from '../server/non-resource-routes.js';
import type { Storage } from '../storage/index.js';
import { defaultIssuer, ServiceAccounts, type ServiceAccountOptions } from './service-accounts.js';

/** Ways to find out who asks. */
export interface AuthenticationOptions {
  /** Users by bearer token. */
  readonly tokens?: readonly StaticToken[];
  /** Further ways to find out who asks; asked before all others. */
  readonly authenticators?: readonly Authenticator[];
  /** Whether requests without credentials are let in as `system:anonymous`; default true. What they may do is the authorizer's word. */
  readonly anonymous?: boolean;
  /** Audiences of the server itself; default its issuers of service-account tokens. */
  readonly apiAudiences?: readonly string[];
  /** Tokens of service accounts. */
  readonly serviceAccounts?: ServiceAccountOptions;
}

/** What authentication needs of its server. */
export interface AuthenticationParts {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly storage: Storage;
  /** Who owns the process, and the token by which tools reach the server as its owner. */
  readonly owner: StaticToken;
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

  constructor(options: AuthenticationOptions, parts: AuthenticationParts) {
    const { dialect, entropy } = parts;
    const { serviceAccounts = {} } = options;
    this.apiAudiences = options.apiAudiences ?? serviceAccounts.issuers ?? [defaultIssuer(dialect)];
    this.serviceAccounts = new ServiceAccounts(serviceAccounts, { ...parts, apiAudiences: this.apiAudiences, lookup: lookupOf(parts) });
    const tokens = unionTokenAuthenticators([
      audienceAgnostic(this.apiAudiences, createStaticTokenAuthenticator([parts.owner, ...(options.tokens ?? [])], entropy)),
      this.serviceAccounts.authenticate,
    ]);
    this.token = withAuthenticatedTokenGroup(tokens);
    const known = [...(options.authenticators ?? []), bearerTokenAuthenticator(tokens), webSocketBearerAuthenticator(tokens, dialect)];
    this.request = composeAuthentication(known, options.anonymous === false ? undefined : anonymousAuthenticator());
    this.documents = this.serviceAccounts.documents();
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
