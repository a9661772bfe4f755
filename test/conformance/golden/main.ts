/**
 * Replays the recorded conversations with a real server against this one, and reports the differences: `npm run golden
 * [-- FAMILY…]`. Exits with 1 when a step differs unexpectedly, or matches unexpectedly.
 *
 * @module
 */
import { families } from './expected-failures.js';
import { recordingsDirectory } from './recordings.js';
import { replayFamily } from './replay.js';
import { judge } from './verdict.js';

const recordings = recordingsDirectory();
const wanted = process.argv.length > 2 ? process.argv.slice(2) : families;
for (const outcome of await Promise.all(wanted.map((family) => replayFamily(recordings, family)))) {
  const { unexpected, stale } = judge(outcome);
  console.log(`${outcome.family.padEnd(24)} ${outcome.steps - outcome.differences.length}/${outcome.steps}`);
  for (const step of unexpected) console.log(`  differs: ${step}`);
  for (const step of stale) console.log(`  passes and is listed: ${step}`);
  if (unexpected.length + stale.length > 0) process.exitCode = 1;
}
