import { TRANSFORMATION_SECONDS, DATA_KEY_SECONDS, KMS_SECONDS } from './durations.js';

/** The counters of an encryption, by the names of Kubernetes. */
export type EncryptionCounter =
  | 'apiserver_storage_transformation_operations_total'
  | 'apiserver_storage_envelope_transformation_cache_misses_total'
  | 'apiserver_envelope_encryption_key_id_hash_total'
  | 'apiserver_envelope_encryption_invalid_key_id_from_status_total'
  | 'apiserver_encryption_config_controller_automatic_reloads_total';

/** The gauges of an encryption, by the names of Kubernetes. */
export type EncryptionGauge =
  | 'apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds'
  | 'apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds'
  | 'apiserver_envelope_encryption_dek_source_cache_size'
  | 'apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds';

/** The histograms of an encryption, by the names of Kubernetes. */
export type EncryptionHistogram =
  | 'apiserver_storage_transformation_duration_seconds'
  | 'apiserver_storage_data_key_generation_duration_seconds'
  | 'apiserver_envelope_encryption_kms_operations_latency_seconds';

/** Label values by label. */
export type TallyLabels = Readonly<Record<string, string>>;

/** A number with its labels. */
export interface TallyNumber {
  readonly labels: TallyLabels;
  value: number;
}

/** Observations with their labels. */
export interface TallyHistogram {
  readonly labels: TallyLabels;
  /** Number of observations in each bucket alone; those above the last bound are in none. */
  readonly counts: number[];
  count: number;
  sum: number;
}

type Table<Name, Entry> = Map<Name, Map<string, Entry>>;

const BOUNDS: Readonly<Record<EncryptionHistogram, readonly number[]>> = {
  apiserver_storage_transformation_duration_seconds: TRANSFORMATION_SECONDS,
  apiserver_storage_data_key_generation_duration_seconds: DATA_KEY_SECONDS,
  apiserver_envelope_encryption_kms_operations_latency_seconds: KMS_SECONDS,
};

/**
 * Counts an encryption. It exists before the servers of a store do, so they read the numbers when their metrics are
 * read.
 */
export class EncryptionTally {
  readonly numbers = new Map<EncryptionCounter | EncryptionGauge, Map<string, TallyNumber>>();
  readonly histograms = new Map<EncryptionHistogram, Map<string, TallyHistogram>>();

  /** Adds one to a counter. */
  add(name: EncryptionCounter, labels: TallyLabels = {}): void {
    this.#number(name, labels).value += 1;
  }

  /** Sets a gauge. */
  set(name: EncryptionGauge, value: number, labels: TallyLabels): void {
    this.#number(name, labels).value = value;
  }

  /** Records a duration. */
  observe(name: EncryptionHistogram, seconds: number, labels: TallyLabels = {}): void {
    const bounds = BOUNDS[name];
    const histogram = entryOf(this.histograms, name, labels, () => ({
      labels,
      counts: bounds.map(() => 0),
      count: 0,
      sum: 0,
    }));
    histogram.count += 1;
    histogram.sum += seconds;
    const bucket = bounds.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + 1;
  }

  /** Drops a number. */
  forget(name: EncryptionCounter | EncryptionGauge, labels: TallyLabels): void {
    this.numbers.get(name)?.delete(keyOf(labels));
  }

  #number(name: EncryptionCounter | EncryptionGauge, labels: TallyLabels): TallyNumber {
    return entryOf(this.numbers, name, labels, () => ({ labels, value: 0 }));
  }
}

function entryOf<Name, Entry>(table: Table<Name, Entry>, name: Name, labels: TallyLabels, make: () => Entry): Entry {
  let entries = table.get(name);
  if (entries === undefined) table.set(name, (entries = new Map<string, Entry>()));
  const key = keyOf(labels);
  let entry = entries.get(key);
  if (entry === undefined) entries.set(key, (entry = make()));
  return entry;
}

/** Every metric has its labels in one order, so their values identify a series. */
const keyOf = (labels: TallyLabels): string => Object.values(labels).join('\n');
