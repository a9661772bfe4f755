/**
 * Service account tokens of a server: keys, issuer, authenticator, and the documents for external verification.
 *
 * @module
 */
import type { Dialect } from '../../foundation/index.js';
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
  storedSigningKey,
  type LegacyTokenBinding,
  type ServiceAccountTokenIssuer,
  type TokenAuthenticator,
  type TokenSigner,
  type TokenVerifier,
} from '../../security/index.js';
import type { ServedDocument } from '../../server/index.js';
import type { Storage } from '../../storage/index.js';
import { type ServiceAccountOptions, type ServiceAccountParts } from './service-accounts.js';

/** The signing key and the verification keys, which include its public key. */
interface KeySet {
  readonly signer: TokenSigner;
  readonly verifiers: readonly TokenVerifier[];
}

/** The keys of a server: the signing key and all verification keys. They are read on first use. */
class Keys {
  readonly #options: ServiceAccountOptions;
  readonly #storage: Storage;
  #reading: Promise<KeySet> | undefined;
  #read: KeySet | undefined;

  constructor(options: ServiceAccountOptions, storage: Storage) {
    this.#options = options;
    this.#storage = storage;
  }

  readonly signer = (): TokenSigner | Promise<TokenSigner> =>
    this.#read?.signer ?? this.#load().then(({ signer }) => signer);

  readonly verifiers = (): readonly TokenVerifier[] | Promise<readonly TokenVerifier[]> =>
    this.#read?.verifiers ?? this.#load().then(({ verifiers }) => verifiers);

  /** Reads the keys once. After a failure the next call retries. */
  #load(): Promise<KeySet> {
    this.#reading ??= this.#readAll().catch((error: unknown) => {
      this.#reading = undefined;
      throw error;
    });
    return this.#reading;
  }

  async #readAll(): Promise<KeySet> {
    const { signingKey, verificationKeys = [] } = this.#options;
    const signer = signingKey === undefined ? await storedSigningKey(this.#storage) : await parseSigningKey(signingKey);
    const given = await Promise.all(verificationKeys.map((pem) => parseVerificationKeys(pem)));
    const distinct = new Map([signer.publicKey, ...given.flat()].map((key) => [key.keyId, key]));
    this.#read = { signer, verifiers: [...distinct.values()] };
    return this.#read;
  }
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
    const { dialect, clock, entropy, storage, apiAudiences, lookup } = parts;
    this.#dialect = dialect;
    const issuers = options.issuers ?? [defaultIssuer(dialect)];
    this.issuers = issuers;
    this.#issuer = issuers[0] ?? defaultIssuer(dialect);
    this.#jwksUri = options.jwksUri ?? `${this.#issuer.replace(/\/$/, '')}${JSON_WEB_KEY_SET_PATH}`;
    this.#keys = new Keys(options, storage);
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
      audiences: apiAudiences,
      lookup,
      dialect,
      clock,
      lookupLegacyTokens: options.lookup,
    });
  }

  /** Returns the identifiers of the key that signs tokens, and of all keys of accepted tokens. */
  async keyIds(): Promise<{ readonly uses: readonly string[]; readonly accepts: readonly string[] }> {
    const { keyId } = (await this.#keys.signer()).publicKey;
    const verifiers = await this.#keys.verifiers();
    return { uses: [keyId], accepts: verifiers.map((verifier) => verifier.keyId) };
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
