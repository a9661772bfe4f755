/** An encrypted value. */
export interface ProtectedData {
  readonly data: Buffer;
  /** As {@link Protector.protection}. */
  readonly protection: string;
}

/** A decrypted value. */
export interface UnprotectedData {
  readonly plain: Buffer;
  /** As {@link Protector.protection}. */
  readonly protection: string;
}

/** A key of a provider, or a key service. */
export interface Protector {
  /** The start of the values that it reads, such as `k8s:enc:aesgcm:v1:key1:`. */
  readonly prefix: string;
  /** The part of the prefix that Kubernetes shows in metrics. */
  readonly shownPrefix: string;
  /** Identifies the key that encrypts now, in memory only. */
  readonly protection: string;
  /** Identifies the key, or the key service, for other servers; discloses nothing. */
  readonly publicName: string;
  /** @param key the storage key of the value @throws Error when it cannot encrypt now */
  encrypt(plain: Buffer, key: string): ProtectedData;
  /** @throws Error when it cannot decrypt the bytes */
  decrypt(data: Buffer, key: string): UnprotectedData;
  /**
   * Fetches what {@link Protector.decrypt} needs for these bytes. Returns undefined when nothing is missing, or when the
   * bytes are invalid. The promise rejects when it cannot be fetched.
   */
  prepare?(data: Buffer): Promise<void> | undefined;
}
