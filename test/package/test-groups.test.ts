/** Test files that change the process run in one of their own; all others share one. */
import { describe, expect, test } from 'vitest';
import { groupOf, testGroups } from '../../scripts/test-groups.js';

describe('a test file', () => {
  test.each([
    ['replaces a module', "vi.mock('../src/a.js')", 'inlined'],
    ['counts code', "import { unitsOf } from '../support/units.js';", 'inlined'],
    ['replaces a global', "vi.stubGlobal('Buffer', undefined)", 'isolated'],
    ['replaces the timers', 'vi.useFakeTimers()', 'isolated'],
    ['replaces the clock of the process', "vi.spyOn(performance, 'now')", 'isolated'],
    ['replaces a member of a class', "vi.spyOn(ResourceClient.prototype, 'update')", 'isolated'],
    ['replaces a member of an object', "vi.spyOn(logger, 'info')", 'shared'],
    ['changes the environment', "process.env['HOME'] = '/tmp'", 'isolated'],
    ['reads the environment', "const home = process.env['HOME'];", 'shared'],
    ['changes the folder', "process.chdir('/tmp')", 'isolated'],
    ['measures memory', 'process.memoryUsage().rss', 'isolated'],
    ['does none of these', "test('adds', () => expect(1 + 1).toBe(2));", 'shared'],
  ])('that %s', (_what, text, group) => {
    expect(groupOf(text)).toBe(group);
  });

  test('belongs to one group, and most of them share a process', () => {
    const { shared, isolated, inlined } = testGroups();
    const all = [...shared, ...isolated, ...inlined];
    expect(new Set(all).size).toBe(all.length);
    expect(shared.length / all.length).toBeGreaterThan(0.75);
  });
});
