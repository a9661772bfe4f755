/**
 * Objects that are handed to code of the server's owner, such as an admission plugin or a strategy. Stored objects are
 * shared by reads, watches, the history and forks, so such code gets copies: what it writes to them changes nothing else.
 *
 * @module
 */
import {
  atOnce,
  cloneJson,
  inSlices,
  isArray,
  isLargeWork,
  resultOf,
  UNBOUNDED_WORK,
  whenReady,
  workOf,
  type JsonValue,
  type MaybeSteps,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { cloneSteps } from '../../machinery/index.js';
import type { RequestContext } from '../store/context.js';

/** How objects are handed over: by what work, and whether the copies are frozen, so that a write to them throws. */
export type Handing = Pick<RequestContext, 'work' | 'freezes'>;

const PLAIN: Handing = {};

/** An object, or none. */
type Handed = object | undefined;

/** Returns a copy of an object for code of the server's owner, in one piece. */
export function handed<Item extends Handed>(object: Item, { freezes }: Handing = PLAIN): Item {
  if (object === undefined) return object;
  const copy = cloneJson(object as JsonValue);
  if (freezes === true) atOnce(freezeSteps(copy, UNBOUNDED_WORK));
  return copy as Item;
}

/** Units of work to freeze a value. */
const VALUE_UNITS = 2;

/** Freezes a copy with all that it contains. */
function* freezeSteps(value: JsonValue | undefined, work: Work): Steps<void> {
  if (typeof value !== 'object' || value === null) return;
  if (isArray(value)) {
    for (const item of value) {
      if (work.spend(VALUE_UNITS)) yield;
      yield* freezeSteps(item, work);
    }
  } else {
    for (const key in value) {
      if (work.spend(VALUE_UNITS)) yield;
      yield* freezeSteps(value[key], work);
    }
  }
  Object.freeze(value);
}

function* handedSteps<Item extends Handed>(object: Item, handing: Handing): Steps<Item> {
  if (object === undefined) return object;
  const work = workOf(handing);
  const copy = yield* cloneSteps(object as JsonValue, work);
  if (handing.freezes === true) yield* freezeSteps(copy, work);
  return copy as Item;
}

function* pairSteps<One extends Handed, Other extends Handed>(
  one: One,
  other: Other,
  handing: Handing,
): Steps<readonly [One, Other]> {
  return [yield* handedSteps(one, handing), yield* handedSteps(other, handing)];
}

/** Returns whether one of two objects is copied in slices. */
export const isLong = (one: Handed, other: Handed, handing: Handing): boolean =>
  isLargeWork(workOf(handing), one as JsonValue | undefined) ||
  isLargeWork(workOf(handing), other as JsonValue | undefined);

/** Returns copies of two objects; a promise when they are made in slices. */
export function handedPair<One extends Handed, Other extends Handed>(
  one: One,
  other: Other,
  handing: Handing,
): readonly [One, Other] | Promise<readonly [One, Other]> {
  if (isLong(one, other, handing)) return inSlices(workOf(handing), pairSteps(one, other, handing));
  return [handed(one, handing), handed(other, handing)];
}

/** Calls a function with copies of two objects. Its result is a promise when they are made in slices. */
export const withCopies = <One extends Handed, Other extends Handed, Result>(
  handing: Handing,
  one: One,
  other: Other,
  use: (one: One, other: Other) => Result | Promise<Result>,
): Result | Promise<Result> => whenReady(handedPair(one, other, handing), ([first, second]) => use(first, second));

/** Calls a function with copies of two objects, as a hook that may take steps. */
export function stepsWithCopies<One extends Handed, Other extends Handed, Result>(
  handing: Handing,
  one: One,
  other: Other,
  use: (one: One, other: Other) => MaybeSteps<Result>,
): MaybeSteps<Result> {
  if (!isLong(one, other, handing)) return use(handed(one, handing), handed(other, handing));
  return longSteps(handing, one, other, use);
}

function* longSteps<One extends Handed, Other extends Handed, Result>(
  handing: Handing,
  one: One,
  other: Other,
  use: (one: One, other: Other) => MaybeSteps<Result>,
): Steps<Result> {
  const [first, second] = yield* pairSteps(one, other, handing);
  return yield* resultOf(use(first, second));
}
