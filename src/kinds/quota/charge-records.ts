import {
  formatQuantity,
  isJsonObject,
  parsedJson,
  setOwnMember,
  stringOrEmpty,
  type Entropy,
  type JsonValue,
  type Quantity,
} from '../../foundation/index.js';
import type { Revision, Storage } from '../../storage/index.js';
import { addAmounts, readAmounts, type Amounts } from './amounts.js';

/** Prefix of the keys of charges, before the uid of the quota. */
const PREFIX = '/internal/quota-charges/';

/**
 * The charges of the servers that share a store. A record is there before the usage of the quota rises, and goes when
 * the object has been stored, or when its request has failed. The one of a server that dies expires.
 */
export class ChargeRecords {
  readonly #storage: Storage;
  readonly #entropy: Entropy;
  readonly #lifetimeMs: number;

  /** @param lifetimeMs time after which the record of a server that has died expires, in milliseconds */
  constructor(storage: Storage, entropy: Entropy, lifetimeMs: number) {
    this.#storage = storage;
    this.#entropy = entropy;
    this.#lifetimeMs = lifetimeMs;
  }

  /**
   * Notes what a request is about to take from a quota.
   *
   * @returns a function that removes the record
   * @throws StorageError when the storage fails
   */
  async add(quota: string, amounts: Amounts): Promise<() => void> {
    const text = chargeText(amounts);
    const { key, modRevision } = await this.#storage.create(`${PREFIX}${quota}/${this.#entropy.uuid()}`, text, {
      ttl: this.#lifetimeMs,
    });
    // Nobody waits for it: what cannot be removed expires.
    return () => void this.#storage.delete(key, text, modRevision).catch(() => undefined);
  }

  /**
   * Returns what requests in flight may have taken from a quota.
   *
   * @throws StorageError when the storage fails
   */
  async pending(quota: string): Promise<Amounts> {
    const { records } = await this.#storage.list(`${PREFIX}${quota}/`);
    const sum = new Map<string, Quantity>();
    for (const { text } of records) addAmounts(sum, readAmounts(amountsOf(parsedJson(text))));
    return sum;
  }
}

const chargeText =
  (amounts: Amounts) =>
  (revision: Revision): string =>
    JSON.stringify({
      kind: 'QuotaCharge',
      apiVersion: 'internal/v1',
      metadata: { resourceVersion: String(revision) },
      amounts: Object.fromEntries([...amounts].map(([name, amount]) => [name, formatQuantity(amount)])),
    });

function amountsOf(value: JsonValue | undefined): Readonly<Record<string, string>> {
  const amounts = isJsonObject(value) ? value['amounts'] : undefined;
  const texts: Record<string, string> = {};
  for (const [name, text] of Object.entries(isJsonObject(amounts) ? amounts : {}))
    setOwnMember(texts, name, stringOrEmpty(text));
  return texts;
}
