import { compareText, isSteps, sortedSteps, type Steps } from '../../../foundation/index.js';
import { withSet, type ManagerRecord, type Managers } from '../merge/managers.js';
import type { Pace } from '../merge/pace.js';
import type { ApplyOperation, ApplyResult, FieldManagerRule, UpdateOperation } from './chain.js';
import { compareTimes } from './entries.js';
import { managerIdentifier } from './identifier.js';

/** Default maximum number of update records of an object. */
export const MAX_UPDATE_MANAGERS = 10;

/** Name of the record that the oldest updates are merged into. */
const ANCIENT_MANAGER = 'ancient-changes';

/** Limits the number of update records: past the limit, the oldest records of each version are merged into one. */
export class CapManagers implements FieldManagerRule {
  readonly #next: FieldManagerRule;
  readonly #limit: number;

  constructor(next: FieldManagerRule, limit: number) {
    this.#next = next;
    this.#limit = limit;
  }

  *update(operation: UpdateOperation): Steps<Managers> {
    const managers = yield* this.#next.update(operation);
    return managers.size <= this.#limit ? managers : yield* capUpdates(operation.pace, managers, this.#limit);
  }

  *apply(operation: ApplyOperation): Steps<ApplyResult> {
    return yield* this.#next.apply(operation);
  }
}

function* capUpdates(pace: Pace, managers: Managers, limit: number): Steps<Managers> {
  const unsorted = [...managers].filter(([, record]) => record.operation === 'Update');
  if (unsorted.length <= limit) return managers;
  const updaters = yield* sortedSteps(unsorted, compareUpdates, pace);
  const result = new Map(managers);
  const buckets = new Map<string, Bucket>();
  let count = updaters.length;
  for (const [identifier, record] of updaters) {
    if (count <= limit) break;
    if (pace.spend(RECORD_UNITS)) yield;
    const bucket = buckets.get(record.apiVersion);
    if (bucket === undefined) buckets.set(record.apiVersion, { first: identifier, records: [record] });
    else {
      result.delete(identifier);
      bucket.records.push(record);
      count -= 1;
    }
  }
  for (const bucket of buckets.values()) if (bucket.records.length > 1) yield* putInBucket(pace, result, bucket);
  return result;
}

/** Units of work to give up a record. */
const RECORD_UNITS = 8;

type Update = readonly [identifier: string, record: ManagerRecord];

const compareUpdates = ([a, left]: Update, [b, right]: Update): number =>
  compareTimes(left.time, right.time) || compareText(a, b);

/** Records of one version that are merged into one, the oldest first. */
interface Bucket {
  /** Identifier of the oldest record. */
  readonly first: string;
  readonly records: ManagerRecord[];
}

/**
 * Merges the newer records of a version into its bucket. Without an existing bucket, the oldest record becomes the
 * bucket.
 */
function* putInBucket(pace: Pace, result: Map<string, ManagerRecord>, { first, records }: Bucket): Steps<void> {
  const [oldest, ...newer] = records as [ManagerRecord, ...ManagerRecord[]];
  const facts = {
    manager: ANCIENT_MANAGER,
    operation: 'Update',
    apiVersion: oldest.apiVersion,
    subresource: '',
  } as const;
  const identifier = managerIdentifier(facts);
  let bucket = result.get(identifier) ?? records.find((record) => managerIdentifier(record) === identifier);
  if (bucket === undefined) {
    result.delete(first);
    bucket = { ...oldest, ...facts };
  }
  // The bucket has the time of its newest record.
  const time = newer.at(-1)?.time;
  const uniting = pace.unionOf([bucket.set, ...newer.map(({ set }) => set)]);
  const set = isSteps(uniting) ? yield* uniting : uniting;
  const { time: _time, source: _source, ...timeless } = withSet(bucket, set);
  result.set(identifier, time === undefined ? timeless : { ...timeless, time });
}
