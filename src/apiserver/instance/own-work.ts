import { SharedWork } from '../../foundation/index.js';
import { countMemoryRefusals, RequestMemory, Reservation } from '../../server/index.js';
import type { ServerParts } from './server-parts.js';

/** Work of the server itself, with memory that counts. */
class OwnWork extends SharedWork {
  readonly #reservation: Reservation;

  constructor(reservation: Reservation) {
    super();
    this.#reservation = reservation;
  }

  override reserve(bytes: number): void {
    this.#reservation.reserve(bytes);
  }

  override release(bytes: number): void {
    this.#reservation.release(bytes);
  }

  end(): void {
    this.#reservation.end();
  }
}

/** Returns what begins work of the server itself. */
export function ownWorkOf({ catalogue, metrics }: ServerParts): () => OwnWork {
  const { memory } = catalogue.environment;
  const answers = new RequestMemory(memory.open('bodies'), memory.memoryBytes, countMemoryRefusals(metrics));
  return () => new OwnWork(new Reservation(answers, { user: '', isShareExempt: true, isExempt: false }));
}
