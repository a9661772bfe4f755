import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { TYPESCRIPT } from '../support/typescript.js';
import { EXAMPLES, outcomeOf } from './program.js';

const env = { TSX_TSCONFIG_PATH: `${EXAMPLES}tsconfig.json` };
const run = (file: string) =>
  outcomeOf(process.execPath, [...TYPESCRIPT, '--test-reporter=tap', `migration/${file}`], { env });

describe.each(['fake-client', 'mocks'])('migration from %s', (folder) => {
  it('passes with what it comes from, also with the bug', { timeout: 300_000 }, async () => {
    const { code, output } = await run(`${folder}/before.test.ts`);
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('# pass 4') });
    expect(output.match(/^ok .*FirstVersion: /gm)).toHaveLength(2);
  });

  it('passes on a server, and catches the bug', { timeout: 300_000 }, async () => {
    const { code, output } = await run(`${folder}/after.test.ts`);
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('# pass 3') });
    expect(output).toMatch(/^ok 3 - caught: /m);
  });
});

it.each([
  ['fake-client', 'fake-client/before.test.ts', 'fake-client/after.test.ts'],
  ['mocks', 'mocks/before.test.ts', 'mocks/after.test.ts'],
  ['envtest', 'envtest/before_test.go', 'envtest/site_test.go'],
])('the guide from %s has the numbers of lines', async (name, before, after) => {
  const guide = await readFile(`${EXAMPLES}../docs/guides/migrate-${name}.md`, 'utf8');
  const lines = async (file: string): Promise<string> =>
    String((await readFile(`${EXAMPLES}migration/${file}`, 'utf8')).trimEnd().split('\n').length);
  const [, ...cells] = /^\| Lines +\| (\d+) +\| (\d+) +\|$/m.exec(guide) ?? [];
  expect(cells).toEqual([await lines(before), await lines(after)]);
});
