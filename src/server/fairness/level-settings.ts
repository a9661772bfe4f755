import type { flowcontrolV1 } from '../../kinds/index.js';
import type { Queuing } from './queues/queue-set.js';

/** A priority level by its configuration. */
export interface LevelSettings {
  readonly name: string;
  /** Its part of the seats of the server, relative to the other levels. */
  readonly shares: number;
  /** Part of its seats that other levels may borrow, in percent. */
  readonly lendablePercent: number;
  /** Seats that it may borrow, in percent of its own; undefined for as many as there are. */
  readonly borrowingLimitPercent: number | undefined;
  readonly queuing: Queuing;
}

/** Shares of a level that does not set them. */
const DEFAULT_SHARES = 30;

/** Returns the settings of a usable level. */
export function levelSettings({ metadata, spec }: flowcontrolV1.PriorityLevelConfiguration): LevelSettings {
  const name = metadata?.name ?? '';
  const { limited, exempt } = spec ?? {};
  if (limited === undefined)
    return {
      name,
      shares: exempt?.nominalConcurrencyShares ?? 0,
      lendablePercent: exempt?.lendablePercent ?? 0,
      borrowingLimitPercent: undefined,
      queuing: { type: 'Exempt' },
    };
  return {
    name,
    shares: limited.nominalConcurrencyShares ?? DEFAULT_SHARES,
    lendablePercent: limited.lendablePercent ?? 0,
    borrowingLimitPercent: limited.borrowingLimitPercent,
    queuing: queuingOf(limited.limitResponse?.queuing),
  };
}

/** Returns what a limited level does; the values that are not set are those that defaulting sets. */
function queuingOf(queuing: flowcontrolV1.QueuingConfiguration | undefined): Queuing {
  if (queuing === undefined) return { type: 'Reject' };
  const queues = Math.max(1, queuing.queues ?? 64);
  return {
    type: 'Queue',
    queues,
    // A hand cannot have more cards than the deck.
    handSize: Math.min(queues, Math.max(1, queuing.handSize ?? 8)),
    queueLengthLimit: Math.max(1, queuing.queueLengthLimit ?? 50),
  };
}
