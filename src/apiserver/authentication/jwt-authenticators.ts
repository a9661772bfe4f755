/**
 * Authentication by JSON Web Tokens of external issuers, configured by flags or a configuration file. When the file
 * changes, all authenticators are replaced together.
 *
 * @module
 */
import {
  aggregateText,
  untilAborted,
  type Clock,
  type Entropy,
  type HttpClient,
  type Logger,
  type ReloadedFile,
  type ReloadMetrics,
} from '../../foundation/index.js';
import {
  ALL_SIGNING_ALGORITHMS,
  cachedTokenAuthenticator,
  compileClaimsMapper,
  createFlagClaimsMapper,
  createJwtAuthenticator,
  jwtConfigurationOfFlags,
  loadAuthenticationConfiguration,
  unionTokenAuthenticators,
  validateAuthenticationConfiguration,
  watchAuthenticationConfiguration,
  type AnonymousConfiguration,
  type AuthenticationConfiguration,
  type AuthenticationConfigurationRules,
  type JwtIssuer,
  type JwtAuthenticator,
  type TokenAuthenticator,
} from '../../security/index.js';
import { parseConfigurationText } from '../../server/index.js';
import { isConfigurationFile } from '../options/configuration-source.js';
import type { JwtAuthenticatorsOptions } from './jwt-options.js';

/** Dependencies of {@link JwtAuthenticators}. */
export interface JwtAuthenticatorsParts {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly apiAudiences: readonly string[];
  readonly rules: AuthenticationConfigurationRules;
  readonly metrics: ReloadMetrics;
}

/** The authenticators of one configuration. */
interface Generation {
  readonly members: readonly JwtAuthenticator[];
  readonly issuers: readonly JwtIssuer[];
  readonly authenticate: TokenAuthenticator;
}

const NO_AUTHENTICATORS: Generation = { members: [], issuers: [], authenticate: () => undefined };

/** The authenticators of external JSON Web Tokens of one server. */
export class JwtAuthenticators {
  readonly #options: JwtAuthenticatorsOptions;
  readonly #parts: JwtAuthenticatorsParts;
  #current: Generation = NO_AUTHENTICATORS;
  #file: ReloadedFile | undefined;
  #anonymous: AnonymousConfiguration | undefined;

  constructor(options: JwtAuthenticatorsOptions, parts: JwtAuthenticatorsParts) {
    this.#options = options;
    this.#parts = parts;
    const { openIdConnect } = options;
    if (openIdConnect === undefined) return;
    const configuration = jwtConfigurationOfFlags(openIdConnect);
    const { signingAlgorithms } = openIdConnect;
    const member = this.#member(configuration, createFlagClaimsMapper(configuration), signingAlgorithms);
    this.#current = this.#generation([member], [configuration.issuer]);
  }

  /** Authenticates a token. */
  readonly authenticate: TokenAuthenticator = (token, request) => this.#current.authenticate(token, request);

  /** The issuers of the configuration that is in force. */
  get issuers(): readonly JwtIssuer[] {
    return this.#current.issuers;
  }

  /** Anonymous access of the configuration; undefined when there is none. */
  get anonymous(): AnonymousConfiguration | undefined {
    return this.#anonymous;
  }

  /**
   * Applies the configuration, and starts following a configuration file.
   *
   * @throws Error with all errors of the configuration, in the words of Kubernetes
   */
  async start(): Promise<void> {
    const { configuration: source } = this.#options;
    if (source === undefined) return;
    const { rules, clock, logger, metrics } = this.#parts;
    const file = { parseText: parseConfigurationText, rules };
    if (!isConfigurationFile(source)) {
      const errors = await validateAuthenticationConfiguration(source, rules);
      if (errors.length > 0) throw new Error(aggregateText(errors));
      await this.#apply(source);
      return;
    }
    const configuration = await loadAuthenticationConfiguration(source.text, file);
    await this.#apply(configuration);
    this.#file = watchAuthenticationConfiguration({
      ...file,
      initial: { text: source.text, configuration },
      read: () => source.read(),
      apply: (changed, signal) => this.#replace(changed, signal),
      onChange: source.onChange?.bind(source),
      clock,
      log: logger,
      metrics,
    });
  }

  /** Stops background work. */
  close(): void {
    this.#file?.close();
    for (const member of this.#current.members) member.close();
  }

  async #apply(configuration: AuthenticationConfiguration): Promise<void> {
    this.#anonymous = configuration.anonymous;
    this.#current = this.#generation(await this.#membersOf(configuration), issuersOf(configuration));
  }

  /** Replaces the authenticators when all new ones have found their providers. Until then the old ones stay active. */
  async #replace(configuration: AuthenticationConfiguration, signal: AbortSignal): Promise<void> {
    const members = await this.#membersOf(configuration);
    try {
      await untilAborted(Promise.all(members.map((member) => member.ready)), signal);
    } catch (error) {
      for (const member of members) member.close();
      throw error;
    }
    const before = this.#current.members;
    this.#current = this.#generation(members, issuersOf(configuration));
    for (const member of before) member.close();
  }

  #membersOf({ jwt }: AuthenticationConfiguration): Promise<JwtAuthenticator[]> {
    const { dialect } = this.#parts.rules;
    return Promise.all(
      jwt.map(async (configuration) =>
        this.#member(configuration, await compileClaimsMapper(configuration, dialect), ALL_SIGNING_ALGORITHMS),
      ),
    );
  }

  #member(
    configuration: AuthenticationConfiguration['jwt'][number],
    mapClaims: Parameters<typeof createJwtAuthenticator>[0]['mapClaims'],
    algorithms: readonly string[] | undefined,
  ): JwtAuthenticator {
    const { http, clock, logger, apiAudiences } = this.#parts;
    return createJwtAuthenticator({
      configuration,
      mapClaims,
      apiAudiences,
      http,
      clock,
      logger,
      signingAlgorithms: algorithms,
    });
  }

  /** Combines authenticators, with a cache: verifying a signature and evaluating expressions is expensive. */
  #generation(members: readonly JwtAuthenticator[], issuers: readonly JwtIssuer[]): Generation {
    if (members.length === 0) return NO_AUTHENTICATORS;
    const { clock, entropy } = this.#parts;
    return {
      members,
      issuers,
      authenticate: cachedTokenAuthenticator(unionTokenAuthenticators(members.map((member) => member.authenticate)), {
        clock,
        entropy,
      }),
    };
  }
}

const issuersOf = ({ jwt }: AuthenticationConfiguration): JwtIssuer[] => jwt.map(({ issuer }) => issuer);
