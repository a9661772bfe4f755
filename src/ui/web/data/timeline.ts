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
  const moments = [oldest, ...listOf(buckets)].flatMap(momentsIn);
  const [first] = moments;
  // A version of before the oldest that can still be read cannot be shown.
  return moments.filter((moment, index) => index === 0 || Number(moment.version) > Number(first?.version));
}

/** Reads the last moment that is not after a time. @throws Error for a time before the recorded past; ApiFailure */
export async function readMoment(api: Api, time: number): Promise<Moment> {
  const timeline = await api.read<unknown>(`ui/v1/timeline?to=${time}&buckets=1`);
  const { oldest, buckets } = isMap(timeline) ? timeline : {};
  const [first] = momentsIn(oldest);
  if (first === undefined) throw new Error('the server has recorded no past');
  if (time < first.time) throw new Error(`the history begins at ${new Date(first.time).toLocaleTimeString()}`);
  const found = listOf(buckets).flatMap(momentsIn).at(-1) ?? first;
  // A version of before the oldest that can still be read cannot be shown.
  return Number(found.version) < Number(first.version) ? first : found;
}

function momentsIn(sent: unknown): Moment[] {
  const { version, time } = isMap(sent) ? sent : {};
  return typeof version === 'number' && typeof time === 'number' ? [{ version: String(version), time }] : [];
}
