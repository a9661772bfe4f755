import type { Plan } from './plan.js';

/**
 * Leaves faults and steps out of a plan, halves first and then fewer, as long as it still fails.
 *
 * @param fails runs a plan, and tells whether it fails in the same way
 * @param maxAttempts most plans that are run
 */
export async function shrink(plan: Plan, fails: (plan: Plan) => Promise<boolean>, maxAttempts: number): Promise<Plan> {
  let smallest = plan;
  let attempts = 0;
  /** Leaves parts of a list out. @returns whether any could be */
  const shorten = async (member: 'faults' | 'steps'): Promise<boolean> => {
    const before = smallest[member].length;
    for (let size = Math.ceil(before / 2); size > 0; size = size === 1 ? 0 : Math.ceil(size / 2))
      for (let from = 0; from < smallest[member].length && attempts < maxAttempts;) {
        const left = smallest[member].filter((_part, index) => index < from || index >= from + size);
        const smaller: Plan = { ...smallest, [member]: left };
        attempts += 1;
        if (await fails(smaller)) smallest = smaller;
        else from += size;
      }
    return smallest[member].length < before;
  };
  // A part that was needed before may be superfluous now.
  for (let isSmaller = true; isSmaller && attempts < maxAttempts;)
    isSmaller = [await shorten('faults'), await shorten('steps')].includes(true);
  return smallest;
}
