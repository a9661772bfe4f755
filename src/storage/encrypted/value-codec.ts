import { isEncrypted } from './stored-form.js';

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

/**
 * Converts values on their way between an engine and what it stores. It knows no revisions: the engine sets them after
 * decoding.
 */
export interface ValueCodec {
  /** Returns how a write of a key is protected now; undefined when it is stored as it is. */
  protectionOf(key: string): string | undefined;
  /** @param text the value, encoded for revision 0 */
  encode(key: string, text: string): StoredValue;
  /** @throws UnreadableValueError when no provider of the key can read the value */
  decode(key: string, stored: string): PlainValue;
}

/** A stored value that cannot be read with the current configuration. It is left unchanged. */
export class UnreadableValueError extends Error {
  override readonly name = 'UnreadableValueError';

  constructor(key: string, reason: string) {
    super(`unable to transform key ${JSON.stringify(key)}: ${reason}`);
  }
}

const asTheyAre = {
  protectionOf: () => undefined,
  encode: (_key: string, text: string) => ({ stored: text, protection: undefined }),
};

/** The codec of a store without encryption. It refuses to read encrypted values. */
export const plainValues: ValueCodec = {
  ...asTheyAre,
  decode(key, stored) {
    if (isEncrypted(stored))
      throw new UnreadableValueError(
        key,
        'the value is encrypted, and no encryption configuration (--encryption-provider-config) covers it',
      );
    return { text: stored, protection: undefined };
  },
};

/** Reads and writes what is stored, encrypted or not: for copies, which need no keys. */
export const storedValues: ValueCodec = {
  ...asTheyAre,
  decode: (_key, stored) => ({ text: stored, protection: undefined }),
};
