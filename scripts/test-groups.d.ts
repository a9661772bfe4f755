/** How the files of a group use the process that runs them. */
export type TestGroup = 'shared' | 'isolated' | 'inlined';

/** Returns the group of a test file. @param text its text */
export function groupOf(text: string): TestGroup;

/** Returns the test files of each group, relative to the repository. */
export function testGroups(): Record<TestGroup, string[]>;
