import type { Entropy } from '../../foundation/index.js';
import { providerLists, type ProviderList } from './providers.js';
import { resourceOfKey, type ResourcePaths } from './resources.js';
import type { EncryptionConfiguration } from './types.js';
import { plainValues, type PlainValue, type StoredValue, type ValueCodec } from './value-codec.js';

/** Options of {@link Encryption}. */
export interface EncryptionOptions {
  /** The valid configuration. */
  readonly configuration: EncryptionConfiguration;
  /** Paths of the built-in kinds in the storage keys. */
  readonly paths: ResourcePaths;
  readonly entropy: Pick<Entropy, 'bytes'>;
}

/** Encrypts values by a configuration, which may be replaced while the store is open. */
export class Encryption implements ValueCodec {
  readonly #paths: ResourcePaths;
  readonly #entropy: Pick<Entropy, 'bytes'>;
  #lists: readonly ProviderList[];

  constructor({ configuration, paths, entropy }: EncryptionOptions) {
    this.#paths = paths;
    this.#entropy = entropy;
    this.#lists = providerLists(configuration, entropy);
  }

  /** Uses another valid configuration from now on. */
  replace(configuration: EncryptionConfiguration): void {
    this.#lists = providerLists(configuration, this.#entropy);
  }

  protectionOf(key: string): string | undefined {
    return this.#listOf(key)?.protection;
  }

  encode(key: string, text: string): StoredValue {
    return (this.#listOf(key) ?? plainValues).encode(key, text);
  }

  decode(key: string, stored: string): PlainValue {
    return (this.#listOf(key) ?? plainValues).decode(key, stored);
  }

  /** Returns the providers of a key: those of the first entry that covers its resource. */
  #listOf(key: string): ProviderList | undefined {
    const resource = resourceOfKey(key, this.#paths);
    return resource === undefined ? undefined : this.#lists.find((list) => list.covers(resource));
  }
}
