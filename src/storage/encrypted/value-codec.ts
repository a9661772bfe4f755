import { shareTurn } from '../../foundation/index.js';
import { isEncrypted } from './stored-form.js';
import type { EncryptionTally } from './tally.js';

/** A value as readers see it. */
export interface PlainValue {
  /** The text, encoded for revision 0. */
  readonly text: string;
  /** Identifies the provider and key that protected the value in the store; undefined for a value stored as it is. */
  readonly protection: string | undefined;
}

/** A value as it is stored. */
export interface StoredValue {
  readonly stored: string;
  /** As {@link PlainValue.protection}. */
  readonly protection: string | undefined;
}

/** The keys of some resources, by names that disclose nothing. */
export interface ResourceKeys {
  /** Masks, such as `secrets` and `*.apps`. */
  readonly resources: readonly string[];
  /** The keys that read, of which the first writes; {@link STORED_AS_IT_IS} among them for values that no key protects. */
  readonly keys: readonly string[];
}

/** Stands among keys for values that are stored as they are. */
export const STORED_AS_IT_IS = 'identity';

/**
 * Converts values on their way between an engine and what it stores. It knows no revisions: the engine sets them after
 * decoding.
 */
export interface ValueCodec {
  /** Returns how a write of a key is protected now; undefined when it is stored as it is. */
  protectionOf(key: string): string | undefined;
  /**
   * @param text the value, encoded for revision 0
   * @throws UnwritableValueError when it cannot be protected now
   */
  encode(key: string, text: string): StoredValue;
  /** @throws UnreadableValueError when no provider of the key can read the value */
  decode(key: string, stored: string): PlainValue;
  /**
   * Fetches what {@link ValueCodec.decode} needs for a value; undefined when nothing is missing. Absent when nothing ever
   * is. The promise rejects with an UnreadableValueError.
   */
  prepare?(key: string, stored: string): Promise<void> | undefined;
  /**
   * Refuses key services from now on, for an engine that decodes a value at the moment when it is read, and so cannot wait
   * for {@link ValueCodec.prepare}. A codec with `prepare` and without this method is not for such an engine.
   *
   * @param reason shown when a later configuration has one
   * @throws Error with the reason when there is one already
   */
  refuseKeyServices?(reason: string): void;
  /**
   * Returns the keys in use, for the other servers of the store: the first entry that covers a resource decides, and what
   * none covers is stored as it is. Absent when a codec does not say.
   */
  keys?(): readonly ResourceKeys[];
  /**
   * Lets a check approve other keys before they are used. A rejection keeps the current ones.
   *
   * @returns a function that removes the check
   */
  guardKeys?(check: (keys: readonly ResourceKeys[]) => Promise<void>): () => void;
  /** The checks of external key services. */
  readonly healthChecks?: readonly EncryptionCheck[] | undefined;
  /** Counts for the metrics of servers. */
  readonly tally?: EncryptionTally | undefined;
}

/** The health check of a key service. */
export interface EncryptionCheck {
  readonly name: string;
  /** Rejects with the reason when the key service is not healthy. */
  check(): Promise<void>;
}

/** A stored value that cannot be read with the current configuration. It is left unchanged. */
export class UnreadableValueError extends Error {
  override readonly name = 'UnreadableValueError';
  /** The storage key of the value. */
  readonly key: string;
  /** Whether a later read may succeed: a key service did not answer. */
  readonly isTemporary: boolean;

  constructor(
    key: string,
    reason: string,
    { cause, isTemporary = false }: { readonly cause?: unknown; readonly isTemporary?: boolean | undefined } = {},
  ) {
    super(`unable to transform key ${JSON.stringify(key)}: ${reason}`, cause === undefined ? undefined : { cause });
    this.key = key;
    this.isTemporary = isTemporary;
  }
}

/** A value that cannot be protected now, so that it is not written. */
export class UnwritableValueError extends Error {
  override readonly name = 'UnwritableValueError';
}

/** Fetches what a codec needs to decode values, one after another; undefined for a codec that never needs anything. */
export function prepareAll(
  codec: ValueCodec,
  values: Iterable<{ readonly key: string; readonly stored: string }>,
): Promise<void> | undefined {
  return codec.prepare === undefined ? undefined : prepareEach(codec, values);
}

/**
 * Does the same as {@link prepareAll}, and never rejects: the values of which something is missing are those that cannot be
 * decoded. After a key service that does not answer, nothing more is asked for, so that a page waits for it once.
 */
export async function prepareReadable(
  codec: ValueCodec,
  values: Iterable<{ readonly key: string; readonly stored: string }>,
): Promise<void> {
  for (const value of values) {
    try {
      await prepareAll(codec, [value]);
    } catch (error) {
      if (!(error instanceof UnreadableValueError) || error.isTemporary) return;
    }
  }
}

async function prepareEach(
  codec: ValueCodec,
  values: Iterable<{ readonly key: string; readonly stored: string }>,
): Promise<void> {
  for (const { key, stored } of values) {
    const wait = codec.prepare?.(key, stored) ?? shareTurn();
    if (wait !== undefined) await wait;
  }
}

const asTheyAre = {
  protectionOf: () => undefined,
  encode: (_key: string, text: string) => ({ stored: text, protection: undefined }),
};

/** Returns the error of a value that is encrypted where nothing decrypts it. */
export const notDecrypted = (key: string): UnreadableValueError =>
  new UnreadableValueError(
    key,
    'the value is encrypted, and no encryption configuration (--encryption-provider-config) covers it',
  );

/** The codec of a store without encryption. It refuses to read encrypted values. */
export const plainValues: ValueCodec = {
  ...asTheyAre,
  keys: () => [],
  decode(key, stored) {
    if (isEncrypted(stored)) throw notDecrypted(key);
    return { text: stored, protection: undefined };
  },
};

/** Reads and writes what is stored, encrypted or not: for copies, which need no keys. */
export const storedValues: ValueCodec = {
  ...asTheyAre,
  decode: (_key, stored) => ({ text: stored, protection: undefined }),
};
