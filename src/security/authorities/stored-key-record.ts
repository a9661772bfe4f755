import type { ApiObject, JsonValue } from '../../foundation/index.js';
import { isJsonObject } from '../../foundation/index.js';
import { encodeAt, parseRecord } from '../../registry/index.js';
import type { StorageRecord, ValueEncoder } from '../../storage/index.js';
import {
  exportSigningKey,
  parseSigningKey,
  parseVerificationKeys,
  type TokenSigner,
  type TokenVerifier,
} from '../tokens/index.js';

/** Storage key outside the API, so no request can read it. */
export const SIGNING_KEY = '/internal/service-account-signing-key';

/** A key that signs later. */
export interface NextKey {
  readonly signer: TokenSigner;
  /** Time from which on it signs, in milliseconds since the epoch. */
  readonly signsFromMs: number;
  /** Time until which the tokens of the key before it are accepted, likewise. */
  readonly formerUntilMs: number;
}

/** A key that signs no more. Only its public part is kept. */
export interface FormerKey {
  readonly verifier: TokenVerifier;
  /** Time until which its tokens are accepted, in milliseconds since the epoch. */
  readonly untilMs: number;
}

/** The stored keys of service account tokens. */
export interface StoredKeys {
  /**
   * Time since which the first key signs, in milliseconds since the epoch; undefined for later ones, and for one of a
   * version that did not write it.
   */
  readonly createdMs: number | undefined;
  readonly signer: TokenSigner;
  readonly next: NextKey | undefined;
  readonly former: readonly FormerKey[];
}

/** Returns an encoder of the keys. A key that was never exchanged has the form that all layouts of a store have. */
export function storedKeysText({ createdMs, signer, next, former }: StoredKeys): ValueEncoder {
  const object: ApiObject = {
    kind: 'SigningKey',
    apiVersion: 'internal/v1',
    metadata: createdMs === undefined ? {} : { creationTimestamp: timeText(createdMs) },
    pem: exportSigningKey(signer),
    ...(next === undefined
      ? {}
      : {
          next: {
            pem: exportSigningKey(next.signer),
            signsFrom: timeText(next.signsFromMs),
            formerUntil: timeText(next.formerUntilMs),
          },
        }),
    ...(former.length === 0
      ? {}
      : { former: former.map(({ verifier, untilMs }) => ({ pem: verifier.publicKeyPem, until: timeText(untilMs) })) }),
  };
  return (revision) => encodeAt(object, revision);
}

const timeText = (ms: number): string => new Date(ms).toISOString();

/** Reads the record. @throws TypeError for one that no server would write */
export async function readStoredKeys(record: StorageRecord): Promise<StoredKeys> {
  const { pem, metadata, next, former = [] } = parseRecord(record);
  if (typeof pem !== 'string' || !Array.isArray(former)) throw unreadable();
  const { creationTimestamp } = metadata;
  return {
    createdMs: creationTimestamp === undefined ? undefined : readTime(creationTimestamp),
    signer: await parseSigningKey(pem),
    next: next === undefined ? undefined : await readNext(next),
    former: await Promise.all(former.map(readFormer)),
  };
}

async function readNext(value: JsonValue): Promise<NextKey> {
  if (!isJsonObject(value)) throw unreadable();
  const { pem, signsFrom, formerUntil } = value;
  if (typeof pem !== 'string') throw unreadable();
  return { signer: await parseSigningKey(pem), signsFromMs: readTime(signsFrom), formerUntilMs: readTime(formerUntil) };
}

async function readFormer(value: JsonValue): Promise<FormerKey> {
  if (!isJsonObject(value) || typeof value['pem'] !== 'string') throw unreadable();
  const [verifier] = await parseVerificationKeys(value['pem']);
  if (verifier === undefined) throw unreadable();
  return { verifier, untilMs: readTime(value['until']) };
}

function readTime(value: JsonValue | undefined): number {
  const ms = typeof value === 'string' ? Date.parse(value) : NaN;
  if (Number.isNaN(ms)) throw unreadable();
  return ms;
}

const unreadable = (): TypeError => new TypeError('the stored signing key cannot be read');
