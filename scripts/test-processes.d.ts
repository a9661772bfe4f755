import type { TestProjectInlineConfiguration } from 'vitest/config';

/** Returns the Vitest projects: one for each folder of tests whose files share a process, and one for all other files. */
export function testProjects(): TestProjectInlineConfiguration[];
