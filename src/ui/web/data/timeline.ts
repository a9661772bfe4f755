import type { Api } from './api.js';
import { isMap, listOf } from './guards.js';

/** A version of the store, and when it was written. */
export interface Moment {
  readonly version: string;
  readonly time: number;
}

/** Reads the moments of the recorded past that differ, the oldest first. @throws ApiFailure */
export async function readTimeline(api: Api): Promise<readonly Moment[]> {
  const timeline = await api.read<unknown>('ui/v1/timeline?buckets=300');
  if (!isMap(timeline)) return [];
  const { oldest, buckets } = timeline;
  const moments = [oldest, ...listOf(buckets)].flatMap((moment): Moment[] => {
    const { version, time } = isMap(moment) ? moment : {};
    return typeof version === 'number' && typeof time === 'number' ? [{ version: String(version), time }] : [];
  });
  const [first] = moments;
  // A version of before the oldest that can still be read cannot be shown.
  return moments.filter((moment, index) => index === 0 || Number(moment.version) > Number(first?.version));
}
