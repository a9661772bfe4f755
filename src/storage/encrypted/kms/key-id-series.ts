import type { Clock } from '../../../foundation/index.js';
import type { EncryptionTally, TallyLabels } from '../tally.js';
import { hashIfNotEmpty } from './encrypted-object.js';

/** Maximum number of series by key id, as in Kubernetes: those used longest ago are dropped. */
const MAX_SERIES = 10;

const LAST_STATUS = 'apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds';
const LAST_USE = 'apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds';
const USES = 'apiserver_envelope_encryption_key_id_hash_total';

/** Counts the use of the key ids of a provider. */
export class KeyIdSeries {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #tally: EncryptionTally;
  readonly #used = new Map<string, TallyLabels>();
  readonly #reported = new Map<string, TallyLabels>();

  constructor({
    name,
    clock,
    tally,
  }: {
    readonly name: string;
    readonly clock: Clock;
    readonly tally: EncryptionTally;
  }) {
    this.#name = name;
    this.#clock = clock;
    this.#tally = tally;
  }

  /** Counts a value that was read or written. */
  used(type: 'from_storage' | 'to_storage', keyId: string): void {
    const labels = this.#labelsOf(this.#used, `${type} ${keyId}`, keyId, { transformation_type: type }, [
      USES,
      LAST_USE,
    ]);
    this.#tally.add(USES, labels);
    this.#tally.set(LAST_USE, this.#clock.now() / 1000, labels);
  }

  /** Notes the key id of a status. */
  reported(keyId: string): void {
    const labels = this.#labelsOf(this.#reported, keyId, keyId, {}, [LAST_STATUS]);
    this.#tally.set(LAST_STATUS, this.#clock.now() / 1000, labels);
  }

  #labelsOf(
    series: Map<string, TallyLabels>,
    id: string,
    keyId: string,
    labels: TallyLabels,
    names: readonly Parameters<EncryptionTally['forget']>[0][],
  ): TallyLabels {
    const found = series.get(id);
    // The order of the map is that of the last uses.
    if (found !== undefined) series.delete(id);
    const made = found ?? {
      ...labels,
      provider_name: this.#name,
      key_id_hash: hashIfNotEmpty(keyId),
      apiserver_id_hash: '',
    };
    series.set(id, made);
    const [oldest] = series;
    if (series.size > MAX_SERIES && oldest !== undefined) {
      series.delete(oldest[0]);
      for (const name of names) this.#tally.forget(name, oldest[1]);
    }
    return made;
  }
}
