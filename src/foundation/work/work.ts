/**
 * The unit of work of a request. Whatever depends on what a client sends counts what it does, gives way to others when
 * its slice of a turn is used up, and reserves memory before it allocates it.
 *
 * Counters decide results; the host's clock decides only when work goes on.
 *
 * @module
 */

/** The kinds of long work, as metrics show them. */
export type WorkArea =
  | 'admission'
  | 'conversion'
  | 'decode'
  | 'definition'
  | 'delete'
  | 'encode'
  | 'list'
  | 'patch'
  | 'validation'
  | 'watch'
  | 'other';

/** The work of one request: its share of the event loop and of the memory budget. */
export interface Work {
  /**
   * True once a value of the request was found to be large: then everything is done in steps. Checking a value again
   * would list the keys of its objects, which takes long for many.
   *
   * @internal
   */
  isLarge?: boolean | undefined;
  /**
   * The last object of the request that was found to be small: its values are not counted again at the next step.
   *
   * @internal
   */
  small?: object | undefined;
  /**
   * The keys of large field sets that were made for the request, in their order; the sets do not change any more. The
   * engine lists the keys of an object in one piece, which takes a hundred milliseconds for 400,000 keys.
   *
   * @internal
   */
  keysOfSets?: WeakMap<object, readonly string[]> | undefined;
  /**
   * Counts work that has been done.
   *
   * @param units about 50 ns each: a visited node, a state of a pattern, 16 characters
   * @returns true when the slice is used up: the caller should continue after {@link next}, at the next place where it
   *   may pause
   */
  spend(units: number): boolean;
  /**
   * Waits for the next slice.
   *
   * @param area the kind of work that goes on; default `other`
   * @throws ApiError 504 when the request is over: its deadline has passed, its client has disconnected, or its time of
   *   the processor is used up. Rejects; never throws synchronously
   * @internal
   */
  next(area?: WorkArea): Promise<void>;
  /**
   * Reserves memory before it is allocated, until the request is answered or {@link release} is called.
   *
   * @param bytes upper estimate
   * @throws ApiError 429 when it does not fit into the memory budget, or into the share of the user
   * @internal
   */
  reserve(bytes: number): void;
  /**
   * Releases a part of what was reserved.
   *
   * @internal
   */
  release(bytes: number): void;
  /**
   * Called before the work goes on after a wait. Absent for work that nothing ends.
   *
   * @throws ApiError 504 when the request is over, as {@link next} does
   * @internal
   */
  check?(): void;
  /**
   * Runs a step, and charges its time of the processor to the request. A step within a step is charged once.
   *
   * @internal
   */
  measure<Result>(step: () => Result): Result;
}

/** Returns the work of a request; that of a context without one never pauses. */
export const workOf = ({ work }: { readonly work?: Work | undefined }): Work => work ?? UNBOUNDED_WORK;

/**
 * Work that can pause: it yields where it may, each time that {@link Work.spend} says so. It must not hold anything that
 * others would change or wait for meanwhile.
 */
export type Steps<Result> = Generator<void, Result, void>;

/** The return value of a function that pauses where its input is long: a result, or steps to it. */
export type MaybeSteps<Result> = Result | Steps<Result>;

/** Returns whether there are steps to take; otherwise the value is the result. No JSON value has a function. */
export const isSteps = <Result>(made: MaybeSteps<Result>): made is Steps<Result> =>
  typeof made === 'object' && made !== null && 'next' in made && typeof made.next === 'function';

/** Takes the steps to a result, if there are any. */
export function* resultOf<Result>(made: MaybeSteps<Result>): Steps<Result> {
  return isSteps(made) ? yield* made : made;
}

/** Runs steps in slices. Returns the result at once when the first slice suffices. @throws what the steps throw */
export function inSlices<Result>(work: Work, steps: Steps<Result>, area?: WorkArea): Result | Promise<Result> {
  const next = (): IteratorResult<void, Result> => steps.next();
  const first = work.measure(next);
  return first.done === true ? first.value : laterSlices(work, steps, next, area);
}

async function laterSlices<Result>(
  work: Work,
  steps: Steps<Result>,
  next: () => IteratorResult<void, Result>,
  area: WorkArea | undefined,
): Promise<Result> {
  for (;;) {
    try {
      await work.next(area);
    } catch (error) {
      // Lets the steps release what they hold.
      steps.return(undefined as never);
      throw error;
    }
    const step = work.measure(next);
    if (step.done === true) return step.value;
  }
}

/** Runs steps to their end, without a pause; returns a result as it is. @throws what the steps throw */
export function atOnce<Result>(steps: MaybeSteps<Result>): Result {
  if (!isSteps(steps)) return steps;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Work without limits that never pauses: of code that uses a pure module on its own. */
export const UNBOUNDED_WORK: Work = Object.freeze({
  spend: () => false,
  next: () => Promise.resolve(),
  reserve: () => undefined,
  release: () => undefined,
  measure: <Result>(step: () => Result): Result => step(),
});
