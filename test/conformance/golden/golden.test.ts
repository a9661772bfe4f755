import { describe, expect, test } from 'vitest';
import { families } from './expected-failures.js';
import { recordingsDirectory } from './recordings.js';
import { replayFamily } from './replay.js';
import { judge } from './verdict.js';

const recordings = recordingsDirectory();
if (recordings === undefined) console.warn('skipped: the recordings are not here (GOLDEN_DIR, or ../shared/golden beside the repository)');

describe.skipIf(recordings === undefined).concurrent('a recorded conversation goes as it went with a real server', () => {
  test.each(families)('%s', { timeout: 180_000 }, async (family) => {
    const outcome = await replayFamily(recordings ?? '', family);
    expect(outcome.steps).toBeGreaterThan(0);
    expect(judge(outcome)).toEqual({ unexpected: [], stale: [] });
  });
});
