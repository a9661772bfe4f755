import { durationMs, type Clock, type Duration } from '../../foundation/index.js';
import { OPENID_MAX_AGE_SECONDS, SIGNING_KEY, StoredSigningKeys } from '../../security/index.js';
import { ROTATED_KEYS_LAYOUT, untilWritten, UnusableStoreError, type Storage } from '../../storage/index.js';
import { AGREEMENT_KEY, readAgreement, writeAgreement, type AgreementRecord } from './agreement-record.js';
import { livingServers } from './membership.js';
import { STORED_KEYS } from './statement.js';
import { raiseLayout } from './store-layout.js';

/** Times of an exchange of the signing key. */
export interface SigningKeyRotationOptions {
  /**
   * Time until the new key signs. All servers accept it from the beginning, and publish it. Default one hour, for which
   * others may keep the published keys.
   */
  readonly signAfter?: Duration | undefined;
  /**
   * Time after that in which tokens of the former key are accepted, unless they expire before. Default 366 days: the
   * tokens in pods are valid for a year.
   */
  readonly overlap?: Duration | undefined;
}

/** An exchange of the signing key that has begun. Keys are named by their identifiers (`kid`). */
export interface SigningKeyRotation {
  readonly keyId: string;
  /** Time from which on the new key signs. */
  readonly signsFrom: Date;
  readonly formerKeyId: string;
  /** Time until which tokens of the former key are accepted. */
  readonly formerUntil: Date;
}

const DAY_MS = 86_400_000;
/** Default of {@link SigningKeyRotationOptions.signAfter}, in milliseconds. */
export const SIGN_AFTER_MS = OPENID_MAX_AGE_SECONDS * 1000;
const OVERLAP_MS = 366 * DAY_MS;

/**
 * Begins to exchange the signing key that the servers of a store follow.
 *
 * @param oldKeyId the key to exchange; default the one that signs
 * @throws UnusableStoreError when a server that runs cannot follow, naming it, and while another exchange is under way;
 * nothing was changed then. StorageError when the storage fails
 */
export async function rotateStoredKey(
  storage: Storage,
  keys: StoredSigningKeys,
  { signAfter = SIGN_AFTER_MS, overlap = OVERLAP_MS }: SigningKeyRotationOptions,
  oldKeyId?: string,
): Promise<SigningKeyRotation> {
  await refuseOtherKeys(storage);
  await raiseLayout(storage, ROTATED_KEYS_LAYOUT);
  const times = { signAfterMs: durationMs(signAfter), overlapMs: durationMs(overlap) };
  const stated: string[] = [];
  const state = async ({ keyId: next }: { readonly keyId: string }): Promise<void> => {
    stated.push(next);
    await stateKey(storage, next);
  };
  const { keyId, formerKeyId, signsFromMs, formerUntilMs } = await keys
    .rotate(times, oldKeyId, state)
    .catch(async (error: unknown) => {
      // Why the exchange failed is what the caller must know, also where the storage does not answer any more.
      await withdrawKeys(storage, stated).catch(() => undefined);
      throw error;
    });
  await withdrawKeys(
    storage,
    stated.filter((other) => other !== keyId),
  );
  return { keyId, formerKeyId, signsFrom: new Date(signsFromMs), formerUntil: new Date(formerUntilMs) };
}

/**
 * Begins to exchange the signing key in a store that a server may have open; see {@link rotateStoredKey}.
 *
 * @throws UnusableStoreError also when the store has no signing key
 */
export async function rotateStoredSigningKey(
  storage: Storage,
  clock: Clock,
  options: SigningKeyRotationOptions,
): Promise<SigningKeyRotation> {
  const { record } = await storage.get(SIGNING_KEY);
  if (record === undefined)
    throw new UnusableStoreError(
      'the store has no signing key: its servers have keys of their own (--service-account-signing-key-file), or have issued no token',
    );
  const keys = new StoredSigningKeys({ storage, clock });
  try {
    return await rotateStoredKey(storage, keys, options);
  } finally {
    keys.close();
  }
}

/** @throws UnusableStoreError when a server that runs has a key of its own, and would refuse tokens of the new one */
async function refuseOtherKeys(storage: Storage): Promise<void> {
  const { record } = await storage.get(AGREEMENT_KEY);
  if (record !== undefined) await refuseOthers(storage, readAgreement(record));
}

/**
 * States, before the new key is in the store, that the servers that follow it use it. A server with a key of its own that
 * starts meanwhile writes the record of the agreement too, so one of the two writes is repeated and sees the other.
 *
 * @throws UnusableStoreError when one with a key of its own was faster
 */
async function stateKey(storage: Storage, keyId: string): Promise<void> {
  await untilWritten(AGREEMENT_KEY, async () => {
    const { record } = await storage.get(AGREEMENT_KEY);
    if (record === undefined) return true;
    const agreed = readAgreement(record);
    await refuseOthers(storage, agreed);
    return writeAgreement(
      storage,
      record,
      withUses(agreed, (uses) => [...uses, keyId]),
    );
  });
}

/** Takes back what {@link stateKey} has stated of keys that were not written. */
async function withdrawKeys(storage: Storage, keyIds: readonly string[]): Promise<void> {
  if (keyIds.length === 0) return;
  await untilWritten(AGREEMENT_KEY, async () => {
    const { record } = await storage.get(AGREEMENT_KEY);
    if (record === undefined) return true;
    const left = withUses(readAgreement(record), (uses) => uses.filter((id) => !keyIds.includes(id)));
    return writeAgreement(storage, record, left);
  });
}

/** Changes the keys that the servers that follow the key in the store use. */
function withUses(
  { values, members }: AgreementRecord,
  change: (uses: readonly string[]) => readonly string[],
): AgreementRecord {
  const changed = [...members].map(([id, trust]) => {
    const keys = trust.get('serviceAccountKeys');
    if (keys?.accepts.includes(STORED_KEYS) !== true) return [id, trust] as const;
    return [id, new Map([...trust, ['serviceAccountKeys', { ...keys, uses: change(keys.uses) }]])] as const;
  });
  return { values, members: new Map(changed) };
}

/** @throws UnusableStoreError as {@link refuseOtherKeys} */
async function refuseOthers(storage: Storage, { members }: AgreementRecord): Promise<void> {
  const living = await livingServers(storage);
  const others = [...members].flatMap(([id, trust]) => {
    const keys = trust.get('serviceAccountKeys');
    return living.has(id) && keys?.accepts.includes(STORED_KEYS) === false ? [id] : [];
  });
  if (others.length > 0)
    throw new UnusableStoreError(
      `the signing key in the store cannot be exchanged while servers run that do not follow it (${others.join(', ')}): they have a key of their own (--service-account-signing-key-file), or are of an earlier version`,
    );
}
