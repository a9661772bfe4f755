/**
 * The service accounts of a server: their keys, what makes their tokens and knows them again, and the documents by which others
 * check them.
 *
 * @module
 */
import { createServiceAccountAuthenticator, createServiceAccountTokenIssuer, type ServiceAccountLookup, type ServiceAccountTokenIssuer, type TokenAuthenticator } from '../authn/index.js';
import type { Clock, Entropy } from '../meta/clock.js';
import type { Dialect } from '../names/dialect.js';
import type { ServedDocument } from '../server/non-resource-routes.js';
import type { Storage } from '../storage/index.js';
import {
  JSON_WEB_KEY_SET_MEDIA_TYPE, JSON_WEB_KEY_SET_PATH, jsonWebKeySet, OPENID_CONFIGURATION_PATH, OPENID_MAX_AGE_SECONDS, openIdConfiguration, parseSigningKey, parseVerificationKeys,
  type TokenSigner, type TokenVerifier,
} from '../tokens/index.js';
import { keptSigningKey } from './kept-signing-key.js';

/** How tokens of service accounts are made and checked. Everything has a default. */
export interface ServiceAccountOptions {
  /** Accepted `iss`, of which the first is written. Default `https://<product>.default.svc.cluster.local`. */
  readonly issuers?: readonly string[];
  /** Private key that signs, PEM (RSA, or ECDSA on P-256, P-384, P-521). Default: one is made and kept in the storage. */
  readonly signingKey?: string;
  /** Further keys that check tokens, PEM: those of before a rotation, and those of other servers. The signing key's own need not be among them. */
  readonly verificationKeys?: readonly string[];
  /** Longest time that a token lasts, in seconds: 3600 to 2^32. Default: what may be asked for. */
  readonly maxTokenExpirationSeconds?: number;
  /** Tokens that pods are given without asking last a year, and are marked when they are used after their time. Default true. */
  readonly extendTokenExpiration?: boolean;
  /** Legacy tokens die with their Secret and account. Default true; the others always do. */
  readonly lookup?: boolean;
  /** Where others find the keys; default {@link JSON_WEB_KEY_SET_PATH} below the issuer. https. */
  readonly jwksUri?: string;
}

/** What the service accounts of a server need of it. */
export interface ServiceAccountParts {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly storage: Storage;
  readonly apiAudiences: readonly string[];
  readonly lookup: ServiceAccountLookup;
}

/** The default issuer of a dialect: the name under which programs in a cluster reach its API server. */
export const defaultIssuer = (dialect: Dialect): string => `https://${dialect.product}.default.svc.cluster.local`;

/** The keys of a server: the one that signs, and all that check. Read when they are first asked for. */
class Keys {
  readonly #options: ServiceAccountOptions;
  readonly #storage: Storage;
  #reading: Promise<{ readonly signer: TokenSigner; readonly verifiers: readonly TokenVerifier[] }> | undefined;
  #read: { readonly signer: TokenSigner; readonly verifiers: readonly TokenVerifier[] } | undefined;

  constructor(options: ServiceAccountOptions, storage: Storage) {
    this.#options = options;
    this.#storage = storage;
  }

  readonly signer = (): TokenSigner | Promise<TokenSigner> => this.#read?.signer ?? this.#load().then(({ signer }) => signer);

  readonly verifiers = (): readonly TokenVerifier[] | Promise<readonly TokenVerifier[]> => this.#read?.verifiers ?? this.#load().then(({ verifiers }) => verifiers);

  /** A failure is not remembered: the next one who asks tries again. */
  #load(): Promise<{ readonly signer: TokenSigner; readonly verifiers: readonly TokenVerifier[] }> {
    this.#reading ??= this.#readAll().catch((error: unknown) => {
      this.#reading = undefined;
      throw error;
    });
    return this.#reading;
  }

  async #readAll(): Promise<{ readonly signer: TokenSigner; readonly verifiers: readonly TokenVerifier[] }> {
    const { signingKey, verificationKeys = [] } = this.#options;
    const signer = signingKey === undefined ? await keptSigningKey(this.#storage) : await parseSigningKey(signingKey);
    const given = await Promise.all(verificationKeys.map((pem) => parseVerificationKeys(pem)));
    const distinct = new Map([signer.publicKey, ...given.flat()].map((key) => [key.keyId, key]));
    this.#read = { signer, verifiers: [...distinct.values()] };
    return this.#read;
  }
}

/** The service accounts of a server. */
export class ServiceAccounts {
  /** Makes tokens. */
  readonly issuer: ServiceAccountTokenIssuer;
  /** Knows tokens. */
  readonly authenticate: TokenAuthenticator;
  readonly #keys: Keys;
  readonly #issuer: string;
  readonly #jwksUri: string;

  /** @throws RangeError when the longest time is out of bounds */
  constructor(options: ServiceAccountOptions, parts: ServiceAccountParts) {
    const { dialect, clock, entropy, storage, apiAudiences, lookup } = parts;
    const issuers = options.issuers ?? [defaultIssuer(dialect)];
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
      ...(options.maxTokenExpirationSeconds === undefined ? {} : { maxExpirationSeconds: options.maxTokenExpirationSeconds }),
      ...(options.extendTokenExpiration === undefined ? {} : { extendExpiration: options.extendTokenExpiration }),
    });
    this.authenticate = createServiceAccountAuthenticator({
      issuers,
      keys: this.#keys.verifiers,
      audiences: apiAudiences,
      lookup,
      dialect,
      clock,
      ...(options.lookup === undefined ? {} : { lookupLegacyTokens: options.lookup }),
    });
  }

  /**
   * Reads the keys that were given; for a program that wants to fail at its start.
   *
   * @throws Error when a key cannot be read
   */
  async checkKeys(): Promise<void> {
    await this.#keys.verifiers();
  }

  /** The documents by which others check tokens, by path. An issuer that is no https URL has none. */
  documents(): ReadonlyMap<string, () => Promise<ServedDocument | undefined>> {
    return new Map([
      [OPENID_CONFIGURATION_PATH, () => this.#openIdConfiguration()],
      [JSON_WEB_KEY_SET_PATH, () => this.#keySet()],
    ]);
  }

  async #openIdConfiguration(): Promise<ServedDocument | undefined> {
    const body = await this.#configurationText();
    return body === undefined ? undefined : { contentType: 'application/json', body, headers: CACHED };
  }

  async #keySet(): Promise<ServedDocument | undefined> {
    if ((await this.#configurationText()) === undefined) return undefined;
    return { contentType: JSON_WEB_KEY_SET_MEDIA_TYPE, body: await jsonWebKeySet(await this.#keys.verifiers()), headers: CACHED };
  }

  async #configurationText(): Promise<string | undefined> {
    const keys = await this.#keys.verifiers();
    try {
      return openIdConfiguration({ issuer: this.#issuer, jwksUri: this.#jwksUri, algorithms: keys.map(({ algorithm }) => algorithm) });
    } catch {
      return undefined;
    }
  }
}

const CACHED = { 'cache-control': `public, max-age=${OPENID_MAX_AGE_SECONDS}` };
