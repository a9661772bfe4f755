/**
 * Service account tokens of a server: keys, issuer, authenticator, and the documents for external verification.
 *
 * @module
 */
import { whenReady, type Dialect } from '../../foundation/index.js';
import {
  createServiceAccountAuthenticator,
  createServiceAccountTokenIssuer,
  defaultIssuer,
  JSON_WEB_KEY_SET_MEDIA_TYPE,
  JSON_WEB_KEY_SET_PATH,
  jsonWebKeySet,
  makeLegacyServiceAccountClaims,
  OPENID_MAX_AGE_SECONDS,
  openIdConfiguration,
  parseSigningKey,
  parseVerificationKeys,
  signJsonWebToken,
  StoredSigningKeys,
  type LegacyTokenBinding,
  type ServiceAccountTokenIssuer,
  type SigningKeySet,
  type TokenAuthenticator,
  type TokenSigner,
  type TokenVerifier,
} from '../../security/index.js';
import type { ServedDocument } from '../../server/index.js';
import { type ServiceAccountOptions, type ServiceAccountParts } from './service-accounts.js';

/** The keys of the options. */
interface GivenKeys {
  readonly signer: TokenSigner | undefined;
  readonly verifiers: readonly TokenVerifier[];
}

/** The keys of a server: the signing key and all verification keys. They are read on first use. */
class Keys {
  readonly #options: ServiceAccountOptions;
  /** The keys of the storage; undefined when the options contain the signing key. */
  readonly stored: StoredSigningKeys | undefined;
  #parsing: Promise<GivenKeys> | undefined;
  #given: GivenKeys | undefined;
  /** The last keys of the storage, and these with those of the options. */
  #merged: { readonly of: SigningKeySet; readonly all: SigningKeySet } | undefined;

  constructor(options: ServiceAccountOptions, parts: Pick<ServiceAccountParts, 'storage' | 'clock'>) {
    this.#options = options;
    this.stored = options.signingKey === undefined ? new StoredSigningKeys(parts) : undefined;
  }

  readonly signer = (): TokenSigner | Promise<TokenSigner> => whenReady(this.#current(), ({ signer }) => signer);

  readonly verifiers = (): readonly TokenVerifier[] | Promise<readonly TokenVerifier[]> =>
    whenReady(this.#current(), ({ verifiers }) => verifiers);

  /** Returns the verification keys after asking the storage again. */
  readonly rereadVerifiers = async (): Promise<readonly TokenVerifier[]> => {
    await this.stored?.reread();
    return this.verifiers();
  };

  #current(): SigningKeySet | Promise<SigningKeySet> {
    const given = this.#given;
    if (given === undefined) return this.#parsed().then(() => this.#current());
    return whenReady(this.stored?.current() ?? setOf(given.signer), (keys) => this.#withGiven(keys, given));
  }

  #withGiven(of: SigningKeySet, given: GivenKeys): SigningKeySet {
    if (this.#merged?.of.verifiers !== of.verifiers) {
      const distinct = new Map([...of.verifiers, ...given.verifiers].map((key) => [key.keyId, key]));
      this.#merged = { of, all: { signer: of.signer, verifiers: [...distinct.values()] } };
    }
    return this.#merged.all;
  }

  /** Parses the keys of the options once. After a failure the next call retries. */
  #parsed(): Promise<GivenKeys> {
    this.#parsing ??= this.#parse().catch((error: unknown) => {
      this.#parsing = undefined;
      throw error;
    });
    return this.#parsing;
  }

  async #parse(): Promise<GivenKeys> {
    const { signingKey, verificationKeys = [] } = this.#options;
    const signer = signingKey === undefined ? undefined : await parseSigningKey(signingKey);
    const verifiers = await Promise.all(verificationKeys.map((pem) => parseVerificationKeys(pem)));
    this.#given = { signer, verifiers: verifiers.flat() };
    return this.#given;
  }
}

/** Returns the keys of a server whose options contain the signing key. */
function setOf(signer: TokenSigner | undefined): SigningKeySet {
  if (signer === undefined) throw new TypeError('a server has a signing key of its options or of its storage');
  return { signer, verifiers: [signer.publicKey] };
}

/** Issues and authenticates service account tokens of one server. */
export class ServiceAccountTokens {
  /** Issues tokens. */
  readonly issuer: ServiceAccountTokenIssuer;
  /** Authenticates tokens. */
  readonly authenticate: TokenAuthenticator;
  /** The accepted issuers; the first one issues new tokens. */
  readonly issuers: readonly string[];
  readonly #keys: Keys;
  readonly #dialect: Dialect;
  readonly #issuer: string;
  readonly #jwksUri: string;

  /** @throws RangeError when the maximum lifetime is out of range */
  constructor(options: ServiceAccountOptions, parts: ServiceAccountParts) {
    const { dialect, clock, entropy, apiAudiences, lookup } = parts;
    this.#dialect = dialect;
    const issuers = options.issuers ?? [defaultIssuer(dialect)];
    this.issuers = issuers;
    this.#issuer = issuers[0] ?? defaultIssuer(dialect);
    this.#jwksUri = options.jwksUri ?? `${this.#issuer.replace(/\/$/, '')}${JSON_WEB_KEY_SET_PATH}`;
    this.#keys = new Keys(options, parts);
    this.issuer = createServiceAccountTokenIssuer({
      signer: this.#keys.signer,
      issuer: this.#issuer,
      audiences: apiAudiences,
      lookup,
      dialect,
      clock,
      entropy,
      maxExpiration: options.maxTokenExpiration,
      extendExpiration: options.extendTokenExpiration,
    });
    this.authenticate = createServiceAccountAuthenticator({
      issuers,
      keys: this.#keys.verifiers,
      rereadKeys: this.#keys.stored && this.#keys.rereadVerifiers,
      audiences: apiAudiences,
      lookup,
      dialect,
      clock,
      lookupLegacyTokens: options.lookup,
    });
  }

  /** The signing key of the storage, which the servers of a store follow; undefined when the options contain one. */
  get stored(): StoredSigningKeys | undefined {
    return this.#keys.stored;
  }

  /** Stops following the keys of the storage. */
  close(): void {
    this.#keys.stored?.close();
  }

  /** Returns the identifiers of the keys that sign tokens, now or later, and of all keys of accepted tokens. */
  async keyIds(): Promise<{ readonly uses: readonly string[]; readonly accepts: readonly string[] }> {
    const { keyId } = (await this.#keys.signer()).publicKey;
    const verifiers = await this.#keys.verifiers();
    const next = this.#keys.stored?.nextKeyId;
    return { uses: next === undefined ? [keyId] : [keyId, next], accepts: verifiers.map((verifier) => verifier.keyId) };
  }

  /** Returns a token without an expiry, which the controller `serviceaccount-token` stores in a Secret. */
  async legacyToken(binding: LegacyTokenBinding): Promise<string> {
    return signJsonWebToken(await this.#keys.signer(), makeLegacyServiceAccountClaims(binding, this.#dialect));
  }

  /** Returns the OpenID configuration, or undefined when the issuer cannot have one. */
  async openIdConfiguration(): Promise<ServedDocument | undefined> {
    const body = await this.#configurationText();
    return body === undefined ? undefined : { contentType: 'application/json', body, headers: CACHED };
  }

  /** Returns the published keys, or undefined when the issuer cannot have them. */
  async keySet(): Promise<ServedDocument | undefined> {
    if ((await this.#configurationText()) === undefined) return undefined;
    return {
      contentType: JSON_WEB_KEY_SET_MEDIA_TYPE,
      body: await jsonWebKeySet(await this.#keys.verifiers()),
      headers: CACHED,
    };
  }

  async #configurationText(): Promise<string | undefined> {
    const keys = await this.#keys.verifiers();
    try {
      return openIdConfiguration({
        issuer: this.#issuer,
        jwksUri: this.#jwksUri,
        algorithms: keys.map(({ algorithm }) => algorithm),
      });
    } catch {
      return undefined;
    }
  }
}

const CACHED = { 'cache-control': `public, max-age=${OPENID_MAX_AGE_SECONDS}` };
