import type { flowcontrolV1 } from '../kinds/index.js';
import { EXEMPT } from '../resources/flowcontrol/mandatory.js';
import type { Queuing } from './queue-set.js';

/** A priority level by its configuration. */
export interface LevelSettings {
  readonly name: string;
  readonly uid: string;
  /** Its part of the seats of the server, relative to the other levels. */
  readonly shares: number;
  /** Part of its seats that other levels may borrow, in percent. */
  readonly lendablePercent: number;
  /** Seats that it may borrow, in percent of its own; undefined for as many as there are. */
  readonly borrowingLimitPercent: number | undefined;
  readonly queuing: Queuing;
}

/** Returns the settings of a stored level; undefined when they contradict each other, as validation would say. */
export function levelSettings({ metadata, spec }: flowcontrolV1.PriorityLevelConfiguration): LevelSettings | undefined {
  const name = metadata?.name ?? '';
  const isExempt = spec?.type === EXEMPT_TYPE;
  // A level does not change between the two types, and only one of them is exempt.
  if (spec === undefined || isExempt !== (name === EXEMPT)) return undefined;
  const common = { name, uid: metadata?.uid ?? '' };
  const { exempt, limited } = spec;
  if (isExempt) {
    if (limited !== undefined) return undefined;
    const shares = exempt?.nominalConcurrencyShares ?? 0;
    const lendablePercent = exempt?.lendablePercent ?? 0;
    return { ...common, shares, lendablePercent, borrowingLimitPercent: undefined, queuing: { type: 'Exempt' } };
  }
  const queuing = limited === undefined || exempt !== undefined ? undefined : queuingOf(limited.limitResponse);
  if (limited === undefined || queuing === undefined) return undefined;
  return {
    ...common,
    shares: limited.nominalConcurrencyShares ?? DEFAULT_SHARES,
    lendablePercent: limited.lendablePercent ?? 0,
    borrowingLimitPercent: limited.borrowingLimitPercent,
    queuing,
  };
}

const EXEMPT_TYPE = 'Exempt';
const DEFAULT_SHARES = 30;

function queuingOf(response: flowcontrolV1.LimitResponse | undefined): Queuing | undefined {
  const queuing = response?.queuing;
  if (response?.type === 'Reject') return queuing === undefined ? { type: 'Reject' } : undefined;
  if (response?.type !== 'Queue' || queuing === undefined) return undefined;
  const { queues = 64, handSize = 8, queueLengthLimit = 50 } = queuing;
  if (queues < 1 || handSize < 1 || handSize > queues || queueLengthLimit < 1) return undefined;
  return { type: 'Queue', queues, handSize, queueLengthLimit };
}
