import type { Work } from '../../foundation/index.js';
import type { StructuralSchema } from '../../machinery/index.js';

/** The schema of a kind that is compiled when it is needed, and may be given up and compiled again at any time. */
export interface GivenUpSchema {
  /** The compiled schema of the kind's fields. It is compiled in one piece when {@link prepare} has not done so. */
  readonly current: StructuralSchema;
  /**
   * Compiles the schema in the slices of a request, unless it is there.
   *
   * @throws ApiError 504 when the request is over. A promise rejects with it
   */
  prepare(work: Work): void | Promise<void>;
}
