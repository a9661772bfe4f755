import { union } from '../fieldpath/fieldset.js';
import { withSet, type ManagerRecord, type Managers } from '../merge/managers.js';
import { compareText } from '../fieldpath/text.js';
import type { ApplyOperation, ApplyResult, FieldManagerRule, UpdateOperation } from './chain.js';
import { compareTimes } from './entries.js';
import { managerIdentifier } from './identifier.js';

/** Records of updates that an object may have, by default. */
export const MAX_UPDATE_MANAGERS = 10;

/** Name under which the oldest updates are put together. */
const ANCIENT_MANAGER = 'ancient-changes';

/** Keeps the number of update records down: past the limit the oldest of each version become one. */
export class CapManagers implements FieldManagerRule {
  readonly #next: FieldManagerRule;
  readonly #limit: number;

  constructor(next: FieldManagerRule, limit: number) {
    this.#next = next;
    this.#limit = limit;
  }

  update(operation: UpdateOperation): Managers {
    const managers = this.#next.update(operation);
    return managers.size <= this.#limit ? managers : capUpdates(managers, this.#limit);
  }

  apply(operation: ApplyOperation): ApplyResult {
    return this.#next.apply(operation);
  }
}

function capUpdates(managers: Managers, limit: number): Managers {
  const updaters = [...managers].filter(([, record]) => record.operation === 'Update');
  if (updaters.length <= limit) return managers;
  updaters.sort(([a, left], [b, right]) => compareTimes(left.time, right.time) || compareText(a, b));
  const result = new Map(managers);
  const oldest = new Map<string, string>();
  let count = updaters.length;
  for (const [identifier, record] of updaters) {
    if (count <= limit) break;
    const first = oldest.get(record.apiVersion);
    if (first === undefined) oldest.set(record.apiVersion, identifier);
    else {
      putInBucket(result, first, identifier, record);
      count -= 1;
    }
  }
  return result;
}

/** Merges a record into its version's bucket, which the oldest record of the version becomes. */
function putInBucket(result: Map<string, ManagerRecord>, first: string, identifier: string, record: ManagerRecord): void {
  const facts = { manager: ANCIENT_MANAGER, operation: 'Update', apiVersion: record.apiVersion, subresource: '' } as const;
  const bucketIdentifier = managerIdentifier(facts);
  let bucket = result.get(bucketIdentifier);
  if (bucket === undefined) {
    const oldest = result.get(first) as ManagerRecord;
    result.delete(first);
    bucket = { ...oldest, ...facts };
  }
  result.delete(identifier);
  // The bucket is as young as the youngest record in it.
  const { time: _time, source: _source, ...timeless } = withSet(bucket, union(record.set, bucket.set));
  result.set(bucketIdentifier, record.time === undefined ? timeless : { ...timeless, time: record.time });
}
