/**
 * Reads a report of vitest's JSON reporter. Writes failed tests and disallowed skips to stderr, and prints one line for
 * .ci/run with the numbers of passed and failed tests.
 *
 *     node scripts/vitest-result.js REPORT.json
 */
import { readFileSync } from 'node:fs';
import { allowedSkips } from './allowed-skips.js';

const MAX_MESSAGE_LINES = 30;
const MAX_SHOWN = 20;
const root = `${process.cwd()}/`;

let passed = 0;
const failures = [];
const skips = new Map();

for (const { name: file, status, message, assertionResults } of readReport(process.argv[2]).testResults) {
  const path = file.replace(root, '');
  for (const result of assertionResults) {
    const name = `${path} ${result.fullName}`;
    if (result.status === 'passed') passed += 1;
    else if (result.status === 'failed') failures.push({ name, text: result.failureMessages.join('\n') });
    else noteSkip(name);
  }
  // A file that fails to load has no tests, so count the file itself as failed.
  if (status === 'failed' && assertionResults.every((result) => result.status !== 'failed'))
    failures.push({ name: path, text: message });
}

for (const { name, text } of failures.slice(0, MAX_SHOWN)) {
  console.error(`  failed: ${name}`);
  const lines = plain(text)
    .split('\n')
    .filter((line) => !/^\s+at .*node_modules/.test(line));
  for (const line of lines.slice(0, MAX_MESSAGE_LINES)) console.error(`      ${line}`);
}
if (failures.length > MAX_SHOWN) console.error(`  and ${failures.length - MAX_SHOWN} more`);
for (const [reason, count] of skips) console.error(`  ${count} skipped: ${reason}`);
console.log(`${passed} ${failures.length}`);

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    return {
      testResults: [
        { name: 'vitest', status: 'failed', message: `left no report: ${error.message}`, assertionResults: [] },
      ],
    };
  }
}

function noteSkip(name) {
  const allowed = allowedSkips.find(({ test }) => test.test(name));
  if (allowed === undefined)
    failures.push({ name, text: 'was skipped, which scripts/allowed-skips.js does not allow' });
  else skips.set(allowed.reason, (skips.get(allowed.reason) ?? 0) + 1);
}

function plain(text) {
  return (text ?? '').replace(/\u001b\[[0-9;]*m/g, '');
}
