/** The generated types are those of the current facts, and explain each field. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { madeTypes } from '../../../scripts/make-types.js';

const folder = fileURLToPath(new URL('../../../src/kinds/types/', import.meta.url));

test('the same facts make the same types, and those are there', async () => {
  const made = await madeTypes();
  expect(await madeTypes()).toEqual(made);
  expect(readdirSync(folder).sort()).toEqual([...made.keys()].sort());
  for (const [name, text] of made) expect(readFileSync(folder + name, 'utf8'), name).toBe(text);
});

test('every type and every field has a comment', async () => {
  const bare = [...(await madeTypes())].flatMap(([name, text]) =>
    text
      .split('\n')
      .flatMap((line, index, lines) =>
        /^(export type \w+ =|  ["$\w-]+\??:)/.test(line) && !/^ *\/\*\* .+ \*\/$/.test(lines[index - 1] ?? '')
          ? [`${name}: ${line}`]
          : [],
      ),
  );
  expect(bare).toEqual([]);
});
