import { beforeAll, describe, expect, it } from 'vitest';
import { outcomeOf, QUICKLY } from './program.js';

// Without a cache the modules take a minute to download, and minutes to compile.
const COLD = 15 * 60_000;

describe('the helper for Go', () => {
  let missing: string | undefined;
  beforeAll(async () => {
    const { code, output } = await outcomeOf('go', ['mod', 'download']);
    missing = code === undefined ? 'go is not installed' : code === 0 ? undefined : `no modules: ${output}`;
  }, COLD);

  it('runs controller-runtime on forks, and its migrated tests pass', { timeout: COLD }, async ({ skip }) => {
    if (missing !== undefined) skip(missing);
    // The next test runs all of vet.
    const { code, output } = await outcomeOf('go', ['test', QUICKLY, '-vet=off', '-count=1', '-v', './...']);
    expect({ code, output }).toMatchObject({ code: 0 });
    for (const name of ['SiteBecomesReady', 'DeletedSiteTakesItsPodsAlong', 'FirstVersionNeverBecomesReady'])
      expect(output).toContain(`--- PASS: Test${name} `);
  });

  it('is formatted, and without mistakes that vet knows', { timeout: COLD }, async ({ skip }) => {
    if (missing !== undefined) skip(missing);
    expect(await outcomeOf('go', ['vet', './...'])).toEqual({ code: 0, output: '' });
    expect(await outcomeOf('gofmt', ['-l', '.'])).toEqual({ code: 0, output: '' });
  });
});
