import type { ContractCase, ContractSkip } from '../storage-contract/index.js';

/** A case before it is bound to what it tests. */
export interface SuiteCase<Context> {
  readonly name: string;
  readonly body: (context: Context) => Promise<void>;
}

/** Options that all suites share. */
export interface SuiteOptions {
  /** Cases that do not apply, each with the reason. */
  readonly skip?: readonly ContractSkip[] | undefined;
}

/**
 * Binds the cases of a suite.
 *
 * @param context creates what a case tests; called once for each case
 * @throws Error when a skip has an unknown name or no reason
 */
export function boundCases<Context>(
  definitions: readonly SuiteCase<Context>[],
  { skip = [] }: SuiteOptions,
  context: () => Promise<Context>,
): ContractCase[] {
  const reasons = new Map<string, string>();
  for (const { test, reason } of skip) {
    if (!definitions.some(({ name }) => name === test)) throw new Error(`skip of an unknown case: ${test}`);
    if (reason === '') throw new Error(`skip without a reason: ${test}`);
    reasons.set(test, reason);
  }
  return definitions.map(({ name, body }) => {
    const skipped = reasons.get(name);
    return {
      name,
      skipped,
      run: async () => {
        if (skipped === undefined) await body(await context());
      },
    };
  });
}

/** Runs a step, and returns an error that names it instead of what it throws. */
export async function attempted<Result>(what: string, step: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    throw new Error(`${what}: threw ${String(error)}`, { cause: error });
  }
}
