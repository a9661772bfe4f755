/**
 * The current state of the server: its metrics (`/metrics`), its health checks (`/readyz`) and the version of its store.
 *
 * @module
 */
import { ApiFailure, codeOf, type Api } from './api.js';
import { isMap, textOf } from './guards.js';

/** A value of a metric. */
export interface Sample {
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** The values of metrics, by their names. */
export type Samples = ReadonlyMap<string, readonly Sample[]>;

/** A health check. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
}

/** The metrics that the page shows. */
const NAMES: ReadonlySet<string> = new Set([
  'apiserver_longrunning_requests',
  'apiserver_flowcontrol_current_executing_requests',
  'apiserver_flowcontrol_current_inqueue_requests',
  'apiserver_memory_reserved_bytes',
  'apiserver_storage_objects',
  'apiserver_storage_size_bytes',
]);

/** Reads the metrics of the server. @throws ApiFailure for a user who may not read them */
export async function readMetrics(api: Api, signal: AbortSignal): Promise<Samples> {
  return samplesIn(await (await api.request('metrics', { headers: { accept: 'text/plain' }, signal })).text());
}

/** Returns the samples of a text in the format of Prometheus. */
export function samplesIn(text: string): Samples {
  const samples = new Map<string, Sample[]>();
  for (const line of text.split('\n')) {
    const [, name = '', labels = '', value = ''] = /^([a-z_]+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (!NAMES.has(name)) continue;
    const of = samples.get(name) ?? [];
    samples.set(name, of);
    of.push({ labels: labelsIn(labels), value: Number(value) });
  }
  return samples;
}

const labelsIn = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [
      name,
      value.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped)),
    ]),
  );

/** Returns the sum of the samples of a metric that have a label's value. */
export const sumOf = (samples: Samples, name: string, label?: readonly [name: string, value: string]): number =>
  (samples.get(name) ?? []).reduce(
    (sum, { labels, value }) => (label === undefined || labels.get(label[0]) === label[1] ? sum + value : sum),
    0,
  );

/** Returns the sums of a metric by the values of a label, the greatest first. */
export function sumsBy(samples: Samples, name: string, label: string): [value: string, sum: number][] {
  const sums = new Map<string, number>();
  for (const { labels, value } of samples.get(name) ?? []) {
    const key = labels.get(label) ?? '';
    sums.set(key, (sums.get(key) ?? 0) + value);
  }
  return [...sums].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1));
}

/** Reads the version of the store; undefined for a user who may not list namespaces. @throws ApiFailure when it cannot be read */
export async function readVersion(api: Api, signal: AbortSignal): Promise<string | undefined> {
  try {
    const list = await api.read<unknown>('api/v1/namespaces?limit=1', api.tableType, signal);
    const metadata = isMap(list) ? list['metadata'] : undefined;
    return isMap(metadata) ? textOf(metadata['resourceVersion']) : undefined;
  } catch (error) {
    if (codeOf(error) === 403) return undefined;
    throw error;
  }
}

/** Reads the health checks of the server, also if it is not ready. @throws ApiFailure for a user who may not read them */
export async function readChecks(api: Api, signal: AbortSignal): Promise<Check[]> {
  try {
    return checksIn(await (await api.request('readyz?verbose', { signal })).text());
  } catch (error) {
    const checks = error instanceof ApiFailure ? checksIn(error.message) : [];
    if (checks.length === 0) throw error;
    return checks;
  }
}

/** Returns the checks of a text such as `[+]ping ok`. */
export const checksIn = (text: string): Check[] =>
  text.split('\n').flatMap((line) => {
    const [, sign, name] = /^\[([+-])\](\S+) /.exec(line) ?? [];
    return name === undefined ? [] : [{ name, ok: sign === '+' }];
  });
