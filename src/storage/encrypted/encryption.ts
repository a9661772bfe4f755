import { messageOf, type Clock, type Entropy } from '../../foundation/index.js';
import type { KmsKeyProvider } from './kms/provider.js';
import { providersOf, type ProviderList, type Providers } from './providers.js';
import { resourceOfKey, type ResourcePaths } from './resources.js';
import { EncryptionTally } from './tally.js';
import type { EncryptionConfiguration } from './types.js';
import {
  plainValues,
  type EncryptionCheck,
  type PlainValue,
  type ResourceKeys,
  type StoredValue,
  type ValueCodec,
} from './value-codec.js';

/** Options of {@link Encryption}. */
export interface EncryptionOptions {
  /** The valid configuration. */
  readonly configuration: EncryptionConfiguration;
  /** Paths of the built-in kinds in the storage keys. */
  readonly paths: ResourcePaths;
  readonly clock: Clock;
  readonly entropy: Pick<Entropy, 'bytes' | 'uuid'>;
  /** Whether the configuration is replaced when its file changes: one health check then covers all key services. */
  readonly automaticReload: boolean;
}

/** Approves keys before they are used. */
type KeysCheck = (keys: readonly ResourceKeys[]) => Promise<void>;

/** Encrypts values by a configuration, which may be replaced while the store is open. */
export class Encryption implements ValueCodec {
  readonly tally = new EncryptionTally();
  readonly healthChecks: readonly EncryptionCheck[];
  readonly #options: EncryptionOptions;
  #providers: Providers;
  /** Why key services are refused; undefined: they are not. */
  #refusal: string | undefined;
  readonly #guards = new Set<KeysCheck>();

  constructor(options: EncryptionOptions) {
    this.#options = options;
    this.#providers = this.#providersOf(options.configuration);
    this.healthChecks = options.automaticReload
      ? [{ name: 'kms-providers', check: () => checkAll(this.#providers.services) }]
      : this.#providers.services.map((_, index) => ({
          name: `kms-provider-${index}`,
          check: async () => this.#providers.services[index]?.check(),
        }));
  }

  /** Asks the key services for their keys. One that does not answer is asked again later. */
  async start(): Promise<void> {
    await Promise.all(this.#providers.services.map((service) => service.start()));
  }

  /**
   * Reads another configuration, and uses it as {@link replace} does. The metrics count it.
   *
   * @throws what `read` throws; as {@link replace}
   */
  reload(read: () => EncryptionConfiguration): void | Promise<void> {
    try {
      const replaced = this.replace(read());
      if (replaced === undefined) return this.#reloaded('success');
      return replaced.then(
        () => this.#reloaded('success'),
        (error: unknown) => {
          this.#reloaded('failure');
          throw error;
        },
      );
    } catch (error) {
      this.#reloaded('failure');
      throw error;
    }
  }

  /**
   * Uses another valid configuration from now on. With key services or checks, from when they are healthy and approve.
   *
   * @returns a promise with key services or checks
   * @throws Error when a key service is not healthy, or refused, and what a check throws; the current configuration then
   * stays in use
   */
  replace(configuration: EncryptionConfiguration): void | Promise<void> {
    const next = this.#providersOf(configuration);
    this.#assertAllowed(next);
    return next.services.length === 0 && this.#guards.size === 0 ? this.#use(next) : this.#useWhenApproved(next);
  }

  refuseKeyServices(reason: string): void {
    this.#refusal = reason;
    this.#assertAllowed(this.#providers);
  }

  keys(): readonly ResourceKeys[] {
    return keysOf(this.#providers);
  }

  guardKeys(check: KeysCheck): () => void {
    // Two callers may pass the same function.
    const guard: KeysCheck = (keys) => check(keys);
    this.#guards.add(guard);
    return () => void this.#guards.delete(guard);
  }

  /** Closes the connections to the key services. */
  close(): void {
    for (const service of this.#providers.services) service.close();
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

  prepare(key: string, stored: string): Promise<void> | undefined {
    return this.#listOf(key)?.prepare(key, stored);
  }

  #reloaded(status: 'success' | 'failure'): void {
    const labels = { status, apiserver_id_hash: '' };
    this.tally.add('apiserver_encryption_config_controller_automatic_reloads_total', labels);
    this.tally.set(
      'apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds',
      this.#options.clock.now() / 1000,
      labels,
    );
  }

  #assertAllowed({ services }: Providers): void {
    if (this.#refusal !== undefined && services.length > 0) throw new Error(this.#refusal);
  }

  async #useWhenApproved(next: Providers): Promise<void> {
    await Promise.all(next.services.map((service) => service.start()));
    try {
      await checkAll(next.services);
      for (const guard of this.#guards) await guard(keysOf(next));
    } catch (error) {
      for (const service of next.services) service.close();
      throw error;
    }
    this.#use(next);
  }

  #use(next: Providers): void {
    const { services } = this.#providers;
    this.#providers = next;
    for (const service of services) service.close();
  }

  #providersOf(configuration: EncryptionConfiguration): Providers {
    const { clock, entropy } = this.#options;
    return providersOf(configuration, { clock, entropy, tally: this.tally });
  }

  /** Returns the providers of a key: those of the first entry that covers its resource. */
  #listOf(key: string): ProviderList | undefined {
    const resource = resourceOfKey(key, this.#options.paths);
    return resource === undefined ? undefined : this.#providers.lists.find((list) => list.covers(resource));
  }
}

const keysOf = ({ lists }: Providers): readonly ResourceKeys[] => lists.map(({ named }) => named);

/** Checks all key services. @throws Error with the reasons of those that are not healthy */
async function checkAll(services: readonly KmsKeyProvider[]): Promise<void> {
  const results = await Promise.allSettled(services.map((service) => service.check()));
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [messageOf(result.reason)] : []));
  if (reasons.length > 0) throw new Error(reasons.length === 1 ? reasons.join() : `[${reasons.join(', ')}]`);
}
