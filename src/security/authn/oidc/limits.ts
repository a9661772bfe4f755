/** Limits of an authenticator, in bytes and milliseconds. */
export interface OidcLimits {
  /** Maximum size of a token. Default 65,536. */
  readonly maxTokenBytes: number;
  /** Maximum size of a discovery document, key set or distributed claim. Default 1,048,576. */
  readonly maxDocumentBytes: number;
  /** Maximum number of keys in a key set. Default 128. */
  readonly maxKeys: number;
  /** Maximum number of issuers of distributed claims. Default 8. */
  readonly maxClaimIssuers: number;
  /** Timeout of a request to the provider. Default 30,000. */
  readonly requestTimeoutMs: number;
  /** Pause between attempts to reach an unavailable provider. Default 10,000. */
  readonly retryMs: number;
  /** Minimum time between two reads of the keys, however many tokens have unknown keys. Default 10,000. */
  readonly keyRefreshPauseMs: number;
  /** Default age at which keys are read again, when the provider sets none. Default 600,000. */
  readonly keyMaxAgeMs: number;
}

/** Default limits. */
export const DEFAULT_OIDC_LIMITS: OidcLimits = Object.freeze({
  maxTokenBytes: 64 * 1024,
  maxDocumentBytes: 1024 * 1024,
  maxKeys: 128,
  maxClaimIssuers: 8,
  requestTimeoutMs: 30_000,
  retryMs: 10_000,
  keyRefreshPauseMs: 10_000,
  keyMaxAgeMs: 600_000,
});

/** Range to which the provider's key age is clamped. */
export const KEY_AGE_RANGE_MS = { least: 60_000, most: 3_600_000 } as const;
