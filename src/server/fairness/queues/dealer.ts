/**
 * Shuffle sharding: every flow gets a hand of queues, so that two flows rarely share all of theirs.
 *
 * @module
 */
import { decodeBase64Url, LruMap } from '../../../foundation/index.js';
import { tokenDigest } from '../../../security/index.js';

/**
 * Deals a hand of distinct cards from a deck.
 *
 * @param hash 64 uniformly distributed bits; the same ones deal the same hand
 * @param deckSize number of cards, which are numbered from 0
 * @param handSize number of cards to deal, at most the size of the deck
 * @returns the cards, in the order in which they were dealt
 */
export function deal(hash: bigint, deckSize: number, handSize: number): number[] {
  let rest = hash;
  // The cards dealt so far, ascending: the position of a card in the rest of the deck skips them.
  const dealt: number[] = [];
  const hand: number[] = [];
  for (let index = 0; index < handSize; index += 1) {
    const left = BigInt(deckSize - index);
    let card = Number(rest % left);
    rest /= left;
    let place = 0;
    for (const known of dealt) {
      if (known > card) break;
      card += 1;
      place += 1;
    }
    dealt.splice(place, 0, card);
    hand.push(card);
  }
  return hand;
}

/** Returns the hash of a flow, which Kubernetes computes in the same way. */
export function flowHash(flowSchema: string, distinguisher: string): bigint {
  const bytes = decodeBase64Url(tokenDigest(`${flowSchema}\0${distinguisher}`));
  if (bytes === undefined) throw new Error('unreachable: a digest is base64url');
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigUint64(0, true);
}

/** Maximum number of hands that are kept: a hash costs as much as the rest of a dispatch. */
const KEPT_HANDS = 4096;

/** Deals the hands of flows from one deck, and keeps the latest. */
export class Dealer {
  readonly #deckSize: number;
  readonly #handSize: number;
  readonly #hands = new LruMap<string, readonly number[]>(KEPT_HANDS);

  constructor(deckSize: number, handSize: number) {
    this.#deckSize = deckSize;
    this.#handSize = handSize;
  }

  /** Returns the queues of a flow. */
  handOf(flowSchema: string, distinguisher: string): readonly number[] {
    const flow = `${flowSchema}\0${distinguisher}`;
    return this.#hands.use(flow, () => deal(flowHash(flowSchema, distinguisher), this.#deckSize, this.#handSize));
  }
}
