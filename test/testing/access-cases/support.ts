import { describe, expect, test } from 'vitest';
import type { ContractCase } from '../../../src/entries/suites.js';

/** Runs a suite that must pass. */
export function passes(title: string, cases: () => readonly ContractCase[]): void {
  describe(title, () => {
    for (const { name, skipped, run } of cases()) test.skipIf(skipped !== undefined)(name, run);
  });
}

/** Returns the names of the cases that fail, with the messages of their errors. */
export async function failuresOf(cases: readonly ContractCase[]): Promise<Map<string, string>> {
  const failures = new Map<string, string>();
  for (const { name, run } of cases)
    await run().catch((error: unknown) => failures.set(name, error instanceof Error ? error.message : String(error)));
  return failures;
}

/** Asserts that each case is failed by one of the broken subjects, and each of these by the case named for it. */
export function brokenOnes<Subject>(
  names: readonly string[],
  broken: readonly (readonly [why: string, caseName: string, subject: Subject])[],
  cases: (subject: Subject) => readonly ContractCase[],
): void {
  test.each(broken)('finds one that %s: %s', async (_, caseName, subject) => {
    expect([...(await failuresOf(cases(subject))).keys()]).toContain(caseName);
  });

  test('every case can fail', () => {
    expect(new Set(broken.map(([, name]) => name))).toEqual(new Set(names));
  });
}
