/** A key of a provider. */
export interface EncryptionKey {
  readonly name: string;
  /** Base64. No message shows it. */
  readonly secret: string;
}

/** The keys of a provider, the first of which encrypts. */
export interface EncryptionKeys {
  readonly keys: readonly EncryptionKey[];
}

/** An external key service. */
export interface KmsProvider {
  readonly apiVersion?: string | undefined;
  readonly name: string;
  readonly cachesize?: number | undefined;
  readonly endpoint: string;
  readonly timeout?: string | undefined;
}

/** A provider: exactly one member is set. */
export interface EncryptionProvider {
  readonly aesgcm?: EncryptionKeys | undefined;
  readonly aescbc?: EncryptionKeys | undefined;
  readonly secretbox?: EncryptionKeys | undefined;
  /** Stores values as they are. */
  readonly identity?: object | undefined;
  readonly kms?: KmsProvider | undefined;
}

/** Resources with their providers, the first of which encrypts. */
export interface EncryptedResources {
  readonly resources: readonly string[];
  readonly providers: readonly EncryptionProvider[];
}

/** An EncryptionConfiguration. */
export interface EncryptionConfiguration {
  readonly resources: readonly EncryptedResources[];
}
