/** Bounds of an authenticator. Bytes and milliseconds. */
export interface OidcLimits {
  /** Longest token that is looked at. Default 65 536. */
  readonly maxTokenBytes: number;
  /** Longest discovery document, key set, or distributed claim that is read. Default 1 048 576. */
  readonly maxDocumentBytes: number;
  /** Most keys of a key set. Default 128. */
  readonly maxKeys: number;
  /** Most issuers of distributed claims that are remembered. Default 8. */
  readonly maxClaimIssuers: number;
  /** How long a provider may take to answer. Default 30 000. */
  readonly requestTimeoutMs: number;
  /** Pause between attempts to reach a provider that does not answer. Default 10 000. */
  readonly retryMs: number;
  /** Least time between two readings of the keys, however many tokens ask for unknown ones. Default 10 000. */
  readonly keyRefreshPauseMs: number;
  /** Age at which keys are read again when the provider does not say. Default 600 000. */
  readonly keyMaxAgeMs: number;
}

/** The limits that hold where no other is given. */
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

/** What the provider says of the age of its keys is taken between these. */
export const KEY_AGE_RANGE_MS = { least: 60_000, most: 3_600_000 } as const;
