import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { outputOf } from '../../scripts/entries.js';
import { namesOf, readPublicInterface } from './public-interface.js';
import { signaturesOf, type SignatureReport } from './signatures.js';

/**
 * The names and signatures that the package exports. `npx vitest run test/package -u` rewrites the reports; a change
 * affects users, and belongs in the changelog.
 */
describe('the public API', () => {
  let names = '';
  let signatures: ReadonlyMap<string, string> = new Map();
  let unexplained: readonly string[] = [];

  // Only texts are kept: the compiler's program is large.
  beforeAll(() => {
    const found = readPublicInterface();
    names = namesOf(found.entries);
    const report = signaturesOf(found);
    signatures = filesOf(report);
    unexplained = report.unexplained;
  }, 300_000);

  test('matches its recorded list of names', async () => {
    await expect(names).toMatchFileSnapshot('public-api.txt');
  });

  test('gives users a name for every type of a signature, or the reason why they need none', () => {
    expect(unexplained).toEqual([]);
  });

  test('matches its recorded signatures', async () => {
    for (const [name, text] of signatures) await expect(text).toMatchFileSnapshot(`api/${name}`);
    // Reports of entries that no longer exist are removed by hand.
    const recorded = readdirSync(new URL('api', import.meta.url));
    expect(recorded.filter((name) => !signatures.has(name))).toEqual([]);
  });
});

/** The reports of signatures by their files. */
function filesOf({ byEntry, notExported }: SignatureReport): Map<string, string> {
  const files = new Map([['not-exported.txt', notExported]]);
  for (const [subpath, text] of byEntry) files.set(`${outputOf(subpath).replaceAll('/', '-')}.txt`, text);
  return files;
}
