import type { ApiServer } from '../../src/apiserver/api-server.js';
import type { Client } from '../../src/client/client.js';
import { ServiceAccount, TokenRequest, TokenReview } from '../../src/kinds/builtin/index.js';
import { readStoredKeys, SIGNING_KEY, storedKeysText } from '../../src/security/authorities/stored-key-record.js';
import { generateSigningKey } from '../../src/security/tokens/index.js';
import type { Storage } from '../../src/storage/storage.js';
import type { Chance } from '../history/driver/chance.js';
import type { Commit, Ledger } from './ledger.js';
import type { SimServer } from './sim-server.js';

/** Time for which a token is valid, in seconds: longer than a world. */
const TOKEN_SECONDS = 7_200;
/** Time by which the clocks of servers may differ, and what they allow for that, in milliseconds. */
const UNCERTAIN_MS = 150_000;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** Time for which the servers of worlds sign with a key. Its successor is made an hour before. */
export const KEY_LIFETIME = '24h';
const KEY_LIFETIME_MS = 24 * HOUR_MS;

/** Until when the tokens of each key are accepted, in milliseconds since the epoch. */
type KeysOf = ReadonlyMap<string, number>;

/** Replaces the signing key of the template by the one that the servers find. In half of the worlds it is to be exchanged within minutes. */
export async function writeSigningKey(engine: Storage, nowMs: number, chance: Chance): Promise<void> {
  const dueMs = chance.oneOf(2) ? chance.below(5 * 60_000) : HOUR_MS;
  const createdMs = nowMs + dueMs - (KEY_LIFETIME_MS - HOUR_MS);
  const signer = await generateSigningKey();
  const text = storedKeysText({ createdMs, signer, next: undefined, former: [] });
  await engine.update(SIGNING_KEY, text, (await engine.get(SIGNING_KEY)).record?.modRevision ?? 0);
}

/** The tokens that clients of a world were given, and what is right for them in the end. */
export class Tokens {
  readonly #tokens: string[] = [];

  /** Asks a server for a token. */
  async issue(client: Client): Promise<void> {
    const accounts = client.resource(ServiceAccount).namespace('default');
    const spec = { expirationSeconds: TOKEN_SECONDS };
    const { status } = await accounts.perform('default', TokenRequest, { spec });
    this.#tokens.push(status?.token ?? '');
  }

  /** Exchanges the key of the servers by a request of an operator. */
  async rotate(server: ApiServer, amount: number): Promise<void> {
    const [signAfter, overlap] = [20 * amount * SECOND_MS, (amount % 2 === 0 ? 10 : HOUR_MS / SECOND_MS) * SECOND_MS];
    await server.rotateSigningKey({ signAfter, overlap });
  }

  /**
   * Asks each server for each token. All must accept one whose key may still be used, and refuse one whose key has ended.
   *
   * @returns what is wrong
   */
  async differences(servers: readonly SimServer[], ledger: Ledger, nowMs: number): Promise<string[]> {
    const ends = new Map<string, number>();
    for (const commit of keyCommits(ledger))
      for (const [keyId, untilMs] of await keysOf(commit)) ends.set(keyId, untilMs);
    const wrong: string[] = [];
    for (const token of this.#tokens) {
      const untilMs = ends.get(keyIdOf(token)) ?? 0;
      if (Math.abs(untilMs - nowMs) < UNCERTAIN_MS) continue;
      const isRight = untilMs > nowMs;
      for (const [number, { life }] of servers.entries())
        if (life !== undefined && (await isAccepted(life.server.client(), token)) !== isRight)
          wrong.push(`server ${number} ${isRight ? 'refuses' : 'accepts'} a token of the key ${keyIdOf(token)}`);
    }
    return wrong;
  }
}

/** Keys that a record no longer has, although their tokens may still be valid. */
export async function droppedKeys(ledger: Ledger): Promise<string[]> {
  const dropped: string[] = [];
  let before: KeysOf = new Map();
  for (const commit of keyCommits(ledger)) {
    const keys = await keysOf(commit);
    for (const [keyId, untilMs] of before)
      if (!keys.has(keyId) && untilMs > commit.at + UNCERTAIN_MS)
        dropped.push(`at revision ${commit.revision} the key ${keyId} is gone`);
    before = keys;
  }
  return dropped;
}

function keyCommits(ledger: Ledger): readonly Commit[] {
  const written = ledger.writesOf(SIGNING_KEY);
  const last = ledger.current.get(SIGNING_KEY);
  return written.length > 0 || last === undefined ? written : [last];
}

async function keysOf({ key, revision, createRevision, object }: Commit): Promise<KeysOf> {
  const record = { key, text: JSON.stringify(object), modRevision: revision, createRevision, decoded: undefined };
  const { signer, next, former } = await readStoredKeys(record);
  return new Map([
    ...former.map(({ verifier, untilMs }) => [verifier.keyId, untilMs] as const),
    [signer.keyId, next?.formerUntilMs ?? Infinity],
    ...(next === undefined ? [] : [[next.signer.keyId, Infinity] as const]),
  ]);
}

async function isAccepted(client: Client, token: string): Promise<boolean> {
  const { status } = await client.resource(TokenReview).create({ metadata: {}, spec: { token } });
  return status?.authenticated === true;
}

function keyIdOf(token: string): string {
  const [header = ''] = token.split('.');
  return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { readonly kid: string }).kid;
}
