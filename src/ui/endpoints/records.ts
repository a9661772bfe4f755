import {
  inSlices,
  isJsonObject,
  jsonValueSteps,
  shareTurn,
  type JsonObject,
  type Work,
} from '../../foundation/index.js';
import type { ResourceInfo } from '../../registry/index.js';
import type { StorageRecord } from '../../storage/index.js';
import type { PageParts } from './page-parts.js';

/** Records that are read at a time. */
const PAGE = 500;

/** A record of a kind. */
export interface KindRecord {
  readonly info: ResourceInfo;
  /** Undefined at last, when there are more records than may be looked at. */
  readonly record: StorageRecord | undefined;
}

/** Which records are looked at. */
export interface RecordChoice {
  /** The kinds, in their order; those without records are left out. */
  readonly kinds: readonly ResourceInfo[];
  /** Empty for all of them. */
  readonly namespace: string;
  /** The most records. */
  readonly most: number;
  /** The most records of one kind. Default: `most`. */
  readonly mostOfKind?: number | undefined;
  /** Whether a record is yielded, by its text. */
  readonly passes: (text: string, info: ResourceInfo) => boolean;
}

/** Returns the kinds that have records, each in one version: the versions of a kind are stored together. */
export function storedKinds(kinds: readonly ResourceInfo[]): ResourceInfo[] {
  const seen = new Set<string>();
  return kinds.filter(({ keyPrefix, definition }) => {
    if (definition.virtual === true || seen.has(keyPrefix)) return false;
    seen.add(keyPrefix);
    return true;
  });
}

/** Yields the records that pass, and lets others have their turns between them. */
export async function* recordsOf(
  parts: PageParts,
  { kinds, namespace, most, mostOfKind = most, passes }: RecordChoice,
): AsyncGenerator<KindRecord, void, undefined> {
  let left = most;
  for (const info of kinds) {
    if (namespace !== '' && !info.namespaced) continue;
    let leftOfKind = Math.min(left, mostOfKind);
    for await (const record of recordsIn(parts, info.rangePrefix(namespace))) {
      if (leftOfKind === 0) {
        yield { info, record: undefined };
        if (left === 0) return;
        break;
      }
      if (passes(record.text, info)) yield { info, record };
      left -= 1;
      leftOfKind -= 1;
      // A text may have megabytes.
      const turn = shareTurn();
      if (turn !== undefined) await turn;
    }
  }
}

/** Yields all records below a prefix. */
async function* recordsIn({ storage }: PageParts, prefix: string): AsyncGenerator<StorageRecord, void, undefined> {
  let after: string | undefined;
  do {
    const { records, remaining } = await storage.list(prefix, { limit: PAGE, after, notOlderThan: 0 });
    yield* records;
    after = remaining > 0 ? records.at(-1)?.key : undefined;
  } while (after !== undefined);
}

/** Returns the object of a record, whose text is parsed in slices. */
export async function objectOf({ decoded, text }: StorageRecord, work: Work): Promise<JsonObject> {
  const object = decoded ?? (await inSlices(work, jsonValueSteps(work, text)));
  return isJsonObject(object) ? object : {};
}
