import {
  OBJECT_KEYS,
  orch,
  systemClock,
  systemEntropy,
  type Clock,
  type Dialect,
  type Entropy,
  type JsonValue,
} from '../foundation/index.js';
import { builtinResources } from '../kinds/index.js';
import { ResourceInfo } from '../registry/index.js';
import { importEncryption } from '../storage/late-node.js';
import type { ValueCodec } from '../storage/index.js';

/** Options of {@link createEncryption}. */
export interface StoreEncryptionOptions {
  /** An EncryptionConfiguration of `apiserver.config.<suffix>/v1`, as parsed from YAML or JSON. */
  readonly configuration: JsonValue;
  /** Dialect of the server, which names the groups of the resources. Default `orch`. */
  readonly dialect?: Dialect | undefined;
  /** Source of nonces and seeds. Default that of the host. */
  readonly entropy?: Pick<Entropy, 'bytes' | 'uuid'> | undefined;
  /** Clock for key services: the intervals of their status, and the age of seeds. Default that of the host. */
  readonly clock?: Clock | undefined;
  /**
   * Whether {@link StoreEncryption.reload} is used. The health check `kms-providers` then covers all key services;
   * otherwise each has its own, such as `kms-provider-0`. Default false.
   */
  readonly automaticReload?: boolean | undefined;
}

/** The encryption of a store: the option `encryption` of its opener. */
export interface StoreEncryption extends ValueCodec {
  /**
   * Uses another configuration from now on; one with key services from when they are healthy, and on a store that servers
   * share from when they have agreed: each must be able to read what the others write. What is stored stays as it is until
   * it is written again.
   *
   * @returns a promise with key services, or while a server uses a shared store; it rejects when a key service is not
   * healthy or another server differs, and the current configuration stays in use
   * @throws Error as {@link createEncryption}; the current configuration then stays in use
   */
  reload(configuration: JsonValue): void | Promise<void>;
  /** Closes the connections to key services. Close the storage first. */
  close(): void;
}

/**
 * Creates the encryption of a store in a file, in PostgreSQL or in etcd. Key services are asked for their keys; one that
 * does not answer is asked again, and what it protects is neither read nor written until then.
 *
 * @throws Error in the words of Kubernetes for an invalid configuration; no message shows a key
 */
export async function createEncryption({
  configuration,
  dialect = orch,
  entropy = systemEntropy,
  clock = systemClock,
  automaticReload = false,
}: StoreEncryptionOptions): Promise<StoreEncryption> {
  const { Encryption, parseEncryptionConfiguration } = await importEncryption();
  const parse = (value: JsonValue) => parseEncryptionConfiguration(value, dialect);
  const encryption = new Encryption({
    ...{ configuration: parse(configuration), paths: pathsOf(dialect) },
    ...{ entropy, clock, automaticReload },
  });
  await encryption.start();
  return {
    protectionOf: (key) => encryption.protectionOf(key),
    encode: (key, text) => encryption.encode(key, text),
    decode: (key, stored) => encryption.decode(key, stored),
    prepare: (key, stored) => encryption.prepare(key, stored),
    refuseKeyServices: (reason) => encryption.refuseKeyServices(reason),
    keys: () => encryption.keys(),
    guardKeys: (check) => encryption.guardKeys(check),
    healthChecks: encryption.healthChecks,
    tally: encryption.tally,
    reload: (value) => encryption.reload(() => parse(value)),
    close: () => encryption.close(),
  };
}

/** Returns the resources of the built-in kinds by their paths in the storage keys. */
function pathsOf(dialect: Dialect): ReadonlyMap<string, { readonly group: string; readonly resource: string }> {
  const paths = new Map<string, { readonly group: string; readonly resource: string }>();
  for (const definition of builtinResources) {
    if (definition.virtual === true) continue;
    const { keyPrefix, group, resource } = new ResourceInfo(definition, dialect);
    const path = keyPrefix.slice(OBJECT_KEYS.length);
    // Events are served in two groups and stored in the core group.
    if (!paths.has(path) || group === '') paths.set(path, { group, resource });
  }
  return paths;
}
