/** The body of a response is recorded in steps, with the text that it has when it is recorded at once. */
import { expect, test } from 'vitest';
import { jsonText } from '../../../src/foundation/json/json-text.js';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { UNBOUNDED_WORK, type Steps, type Work } from '../../../src/foundation/work/work.js';
import { recordedSteps } from '../../../src/security/audit/recorded-body.js';

/** Takes the steps of work that pauses whenever it may. @returns the text, and the number of pauses */
function recorded(text: string, omitsManagers: boolean): { text: string; pauses: number } {
  const work: Work = { ...UNBOUNDED_WORK, spend: () => true };
  const steps: Steps<string> = recordedSteps(work, text, omitsManagers);
  for (let pauses = 0; ; pauses += 1) {
    const step = steps.next();
    if (step.done === true) return { text: step.value, pauses };
  }
}

const item = (name: string): JsonObject => ({ metadata: { name }, data: { big: 9223372036854775807n, é: '\u2028\n' } });
const owned = (name: string): JsonObject => ({ ...item(name), metadata: { name, managedFields: [{ manager: 'm' }] } });
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index}`);
const ESCAPED = /[\u007f-\uffff]/g;
const ascii = (text: string): string =>
  text.replace(ESCAPED, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const list = (items: readonly JsonObject[]): JsonObject => ({
  kind: 'List',
  metadata: { resourceVersion: '1' },
  items,
});
const table = (objects: readonly JsonObject[]): JsonObject => ({
  ...{ kind: 'Table', columnDefinitions: [{ name: 'Name' }] },
  rows: objects.map((object) => ({ cells: ['x', null], object })),
});

test.each([
  ['a list', list(names(3).map(item)), list(names(3).map(owned))],
  ['a Table', table(names(3).map(item)), table(names(3).map(owned))],
  ['an object', item('a'), owned('a')],
])('is compact, printable, and without managed fields when they are left out: %s', (_name, plain, withManagers) => {
  const text = jsonText(withManagers);
  expect(recorded(text, true).text).toBe(ascii(jsonText(plain)));
  expect(recorded(text, false).text).toBe(ascii(text));
  expect(recorded(`${jsonText(withManagers, 2)}\n`, false).text).toBe(ascii(text));
});

test.each([true, false])('takes pauses in proportion to its length, managed fields left out: %s', (omitsManagers) => {
  const pauses = (count: number): number => recorded(jsonText(list(names(count).map(owned))), omitsManagers).pauses;
  const [once, twice] = [pauses(20_000), pauses(40_000)];
  expect(once).toBeGreaterThan(25);
  expect(twice / once).toBeLessThan(2.2);
  expect(twice / once).toBeGreaterThan(1.8);
});

test('is recorded as it is when it is no JSON', () => {
  expect(recorded('not\nJSON é', true).text).toBe('not\\u000aJSON \\u00e9');
});
