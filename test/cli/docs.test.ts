import { readFileSync } from 'node:fs';
import { format } from 'prettier';
import { expect, it } from 'vitest';
import { flagsAsMarkdown } from '../../src/cli/flags/help.js';
import { commands } from '../../src/cli/run.js';

const read = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

it.each(commands.map((command) => [command.name, command] as const))(
  'cli.md has the table of the flags of %s',
  async (name, { flags }) => {
    const [, table] =
      new RegExp(`<!-- flags of ${name}:[^\\n]*-->\\n([^]*?)\\n?<!-- end -->`).exec(read('reference/cli.md')) ?? [];
    expect(table?.trim()).toBe((await format(flagsAsMarkdown(flags), { parser: 'markdown' })).trim());
  },
);

it.each(['reference/cli.md', 'guides/server.md'])('%s mentions only existing flags', (name) => {
  // Flags of other commands in the examples.
  const others = ['--image', '--type', '--api-group', '--field-selector', '--cacert', '--import'];
  const spoken = [...new Set(read(name).match(/(?<![-\w])--[a-z][-a-z0-9]*/g))];
  const known = [...commands.flatMap(({ flags }) => Object.keys(flags)).map((flag) => `--${flag}`), ...others];
  expect(spoken.length).toBeGreaterThan(3);
  expect(spoken.filter((flag) => !known.includes(flag))).toEqual([]);
});
