/** The bodies of requests and responses are recorded in steps, with the text that they have when they are recorded at once. */
import { expect, test } from 'vitest';
import { jsonText } from '../../../src/foundation/json/json-text.js';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { UNBOUNDED_WORK, type Steps, type Work } from '../../../src/foundation/work/work.js';
import { annotationTextSteps } from '../../../src/security/audit/annotation-text.js';
import { AuditRecord } from '../../../src/security/audit/audit-record.js';
import { bytesSteps, piecesOfText, type AuditText } from '../../../src/security/audit/audit-text.js';
import type { AuditEventFields } from '../../../src/security/audit/event.js';
import { recordedSteps, sentSteps } from '../../../src/security/audit/recorded-body.js';
import { takeSteps } from '../../support/steps.js';

/** Takes the steps of work that pauses whenever it may. @returns the text, and the number of pauses */
function recorded(text: AuditText, omitsManagers: boolean): { text: string; pauses: number } {
  const work: Work = { ...UNBOUNDED_WORK, spend: () => true };
  const steps: Steps<AuditText> = recordedSteps(work, text, omitsManagers);
  for (let pauses = 0; ; pauses += 1) {
    const step = steps.next();
    if (step.done === true) return { text: piecesOfText(step.value).join(''), pauses };
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

test.each([false, true])('is the same of a text in pieces, managed fields left out: %s', (omitsManagers) => {
  for (const text of [jsonText(list(names(3_000).map(owned))), `${jsonText(list([owned('a')]), 2)}\n`]) {
    const pieces = Array.from({ length: 100 }, (_, index) =>
      text.slice(Math.floor((index * text.length) / 100), Math.floor(((index + 1) * text.length) / 100)),
    );
    expect(recorded([' ', ...pieces, '\n'], omitsManagers).text).toBe(recorded(text, omitsManagers).text);
  }
});

test('is recorded as it is when it is no JSON', () => {
  expect(recorded('not\nJSON é', true).text).toBe('not\\u000aJSON \\u00e9');
});

test.each<[string, JsonObject, pauses: number]>([
  ['a small object', item('a'), 0],
  ['an object of many keys', { data: Object.fromEntries(names(3_000).map((name) => [name, 'é\u007f'])) }, 3_000],
  ['a long text', { data: { a: 'é\u007f'.repeat(100_000) } }, 10],
])('the body of a request is recorded with pauses when it is large: %s', (_name, value, least) => {
  let reserved = 0;
  const { result, pauses } = takeSteps((work) =>
    sentSteps({ ...work, reserve: (bytes) => void (reserved += bytes) }, value),
  );
  expect(result).toBe(ascii(jsonText(value)));
  expect(pauses).toBeGreaterThanOrEqual(least);
  expect(reserved).toBe(2 * result.length);
});

test.each<[string, readonly (readonly [string, string])[], least: number]>([
  ['many', names(3_000).map((name) => [name, 'é\u007f"'] as const), 6_000],
  ['a long one', [['a', 'é\u007f'.repeat(100_000)]], 10],
])('annotations are written with pauses: %s', (_name, annotations, least) => {
  const { result, pauses } = takeSteps((work) => annotationTextSteps(work, new Map(annotations)));
  const sorted = [...annotations].sort(([a], [b]) => (a < b ? -1 : 1));
  expect(result).toBe(ascii(jsonText(Object.fromEntries(sorted))));
  expect(pauses).toBeGreaterThanOrEqual(least);
});

const FIELDS: AuditEventFields = {
  ...({ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'Request', stage: 'ResponseComplete' } as const),
  ...{ auditID: 'a', requestURI: '/version', verb: 'get', user: {} },
  ...{ requestReceivedTimestamp: 'then', stageTimestamp: 'now' },
};

/** A body of a long text in pieces of 16 Ki characters. */
function escapedText(length: number): readonly string[] {
  const text = `{"text":"${'\\u00e9'.repeat(length / 6)}"}`;
  return Array.from({ length: Math.ceil(text.length / 16_384) }, (_, index) =>
    text.slice(index * 16_384, (index + 1) * 16_384),
  );
}

test('an event whose bodies are removed keeps its long annotations', () => {
  const fields = FIELDS;
  const record = new AuditRecord(fields, { requestObject: '{"a":1}' }, '{"b":"c"}');
  expect(JSON.parse(record.text)).toEqual({ ...fields, requestObject: { a: 1 }, annotations: { b: 'c' } });
  const shorter = record.withoutBodies('audit.k8s.io/truncated');
  expect(shorter.event()).toEqual({ ...fields, annotations: { 'audit.k8s.io/truncated': 'true', b: 'c' } });
  expect(record.heldBytes - new AuditRecord(fields, record.bodies).heldBytes).toBe(2 * '{"b":"c"}'.length);
});

test('the text of a long event is its pieces, and its bytes are made with pauses', () => {
  const body = escapedText(3_000_000);
  const record = new AuditRecord(FIELDS, { requestObject: '{"a":1}', responseObject: body });
  expect(record.isLong).toBe(true);
  expect(record.length).toBe(record.text.length);
  expect(record.pieces().join('')).toBe(record.text);
  expect(record.event()).toEqual({ ...FIELDS, requestObject: { a: 1 }, responseObject: { text: 'é'.repeat(500_000) } });
  const { result, pauses } = takeSteps((work) => bytesSteps(work, record.pieces()));
  expect(Buffer.from(result).toString()).toBe(record.text);
  expect(pauses).toBeGreaterThan(40);
  const { result: event, pauses: decoding } = takeSteps((work) => record.eventSteps(work));
  expect(event).toEqual(record.event());
  expect(decoding).toBeGreaterThan(10);
});

test('a large member of a body is recorded with pauses', () => {
  const large = { kind: 'ConfigMap', data: Object.fromEntries(names(3_000).map((name) => [name, 'é'])) };
  const { text, pauses } = recorded(JSON.stringify(large, undefined, 2), false);
  expect(text).toBe(ascii(jsonText(large)));
  expect(pauses).toBeGreaterThanOrEqual(3_000);
});
