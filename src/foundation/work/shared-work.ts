/**
 * Long work that no request pays for, such as the conversion of an event that several watches get.
 *
 * @module
 */
import { shareTurn } from '../async/turn.js';
import type { Work } from './work.js';

/** Number of units between two looks at the time: about 25 microseconds of work. */
const LOOK_UNITS = 512;

/** Work of the server itself: it shares its turns with all other work of the server. Memory is not limited. */
export class SharedWork implements Work {
  #units = 0;

  spend(units: number): boolean {
    this.#units += units;
    if (this.#units < LOOK_UNITS) return false;
    this.#units = 0;
    return true;
  }

  /** Resolves at once while time of the turn remains. */
  async next(): Promise<void> {
    await shareTurn();
  }

  reserve(_bytes: number): void {
    // Nothing limits the memory.
  }

  release(_bytes: number): void {
    // Nothing is reserved.
  }

  measure<Result>(step: () => Result): Result {
    return step();
  }
}
