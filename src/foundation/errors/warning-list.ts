import { UNBOUNDED_WORK, type Work } from '../work/work.js';
import { ITEM_UNITS } from './field-error-list.js';

/** Maximum total length of the warnings of a response, in characters; beyond it each warning is truncated. */
export const WARNING_CHARACTERS = 4 * 1024;
/** Length of truncated warnings, in characters. */
export const TRUNCATED_CHARACTERS = 256;

/**
 * The warnings about an object: those that a response can hold, and one more. An object may deserve a million of them.
 * The list goes wherever the search for warnings goes, so it also has the work that the search counts.
 */
export class WarningList extends Array<string> {
  readonly #work: Work;
  #characters = 0;

  /** @param work default: without limits */
  constructor(work: Work = UNBOUNDED_WORK) {
    super();
    this.#work = work;
  }

  /** Lists made from this one, as by `filter`, are plain. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  /** True when a response drops further warnings, so that the search may end. */
  get isFull(): boolean {
    return this.#characters >= 2 * WARNING_CHARACTERS;
  }

  /** Counts the work on an item of a list. @returns true when the search should pause; see {@link Work.spend} */
  spend(): boolean {
    return this.#work.spend(ITEM_UNITS);
  }

  /** Adds warnings that differ from those of the list. Those that a response would drop are not kept. */
  override push(...warnings: string[]): number {
    for (const warning of warnings) {
      if (this.isFull) break;
      this.#characters += Math.min(warning.length, TRUNCATED_CHARACTERS);
      super.push(warning);
    }
    return this.length;
  }
}
