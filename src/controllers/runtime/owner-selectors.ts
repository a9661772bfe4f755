import type { Steps, Work } from '../../foundation/index.js';
import { LabelSelector, type LabelSelectorObject } from '../../machinery/index.js';

/** Returns the compiled selector of an owner. @throws ApiError (400) when it is invalid */
export type SelectorOf<Owner> = (owner: Owner, work: Work) => Steps<LabelSelector>;

/** Returns a function that compiles the selector of each version of an owner once. */
export function compiledOnce<Owner extends object>(compile: SelectorOf<Owner>): SelectorOf<Owner> {
  const known = new WeakMap<Owner, LabelSelector>();
  return function* (owner, work) {
    const compiled = known.get(owner);
    if (compiled !== undefined) return compiled;
    const selector = yield* compile(owner, work);
    known.set(owner, selector);
    return selector;
  };
}

/** An owner with a selector of labels. */
interface Selecting {
  readonly spec?: { readonly selector?: LabelSelectorObject | undefined } | undefined;
}

/** Returns the function for owners whose spec has a selector. */
export const specSelectors = <Owner extends Selecting>(): SelectorOf<Owner> =>
  compiledOnce(({ spec }, work) => LabelSelector.fromObjectSteps(spec?.selector, work));
