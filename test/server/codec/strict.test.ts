import { describe, expect, it } from 'vitest';
import { parseJsonText } from '../../../src/server/codec/json/json-decode.js';
import {
  strictApplyDecoding,
  strictDecoding,
  strictTexts,
  type FieldValidation,
  type StrictOutcome,
} from '../../../src/server/codec/strict.js';
import { warningHeader, WarningRecorder } from '../../../src/server/codec/warnings.js';
import { parseYaml } from '../../../src/server/codec/yaml/yaml.js';
import { bytes, goldenStep } from './golden.js';

const subject = { kind: 'ConfigMap', version: 'v1' };
const headers = (outcome: StrictOutcome): readonly string[] => {
  const recorder = new WarningRecorder();
  for (const text of outcome.warnings) recorder.add(text);
  return recorder.headers;
};

describe('as recorded', () => {
  it.each<[string, string[], FieldValidation]>([
    ['POST, Ignore: unknown fields are dropped in silence', ['metadata.labelz', 'datum'], 'Ignore'],
    ['POST, default: unknown fields are dropped with one warning each', ['metadata.labelz', 'datum'], 'Warn'],
    ['POST, Strict: unknown fields are refused, all of them named', ['metadata.labelz', 'datum'], 'Strict'],
    ['POST, Ignore: of a duplicate field the last wins', [], 'Ignore'],
    ['POST, Warn: a warning for each duplicate field', [], 'Warn'],
    ['POST, Strict: duplicate fields are refused', [], 'Strict'],
    ['PUT, Strict: unknown and duplicate fields together', ['datum'], 'Strict'],
    ['POST YAML, Warn: unknown fields', ['datum', 'metadata.labelz'], 'Warn'],
    ['POST YAML, Strict: unknown fields', ['datum', 'metadata.labelz'], 'Strict'],
    ['POST YAML, Warn: a duplicate key', [], 'Warn'],
    ['POST YAML, Strict: a duplicate key', [], 'Strict'],
    ['merge patch, Warn: a duplicate key in the patch', [], 'Warn'],
  ])('%s', async (name, unknownFields, level) => {
    const { request, recorded } = goldenStep('field-validation', name);
    const text = request?.text ?? '';
    const yaml = request?.headers?.['content-type'] === 'application/yaml';
    const { duplicates, duplicateForm } = yaml ? await parseYaml(bytes(text)) : parseJsonText(text);
    const outcome = strictDecoding({ duplicates, duplicateForm, unknownFields }, level, subject);
    expect(headers(outcome)).toEqual(recorded?.headers?.['warning'] ?? []);
    expect(outcome.error?.status).toEqual(recorded?.status === 400 ? recorded.body : undefined);
  });

  it.each<[string, FieldValidation]>([
    ['apply, Warn: a duplicate key', 'Warn'],
    ['apply, Strict: a duplicate key', 'Strict'],
    ['apply, Ignore: a duplicate key', 'Ignore'],
  ])('%s', async (name, level) => {
    const { request, recorded } = goldenStep('field-validation', name);
    const outcome = strictApplyDecoding(await parseYaml(bytes(request?.text ?? '')), level);
    expect(headers(outcome)).toEqual(recorded?.headers?.['warning'] ?? []);
    expect(outcome.error?.status).toEqual(recorded?.status === 400 ? recorded.body : undefined);
  });
});

it('reports an unknown field only once, as unknown', () => {
  const { duplicates, duplicateForm } = parseJsonText('{"x":{"a":1,"a":2},"x":[{"b":1,"b":2}],"xy":1,"xy":2}');
  expect(strictTexts({ duplicates, duplicateForm, unknownFields: ['x'] })).toEqual([
    'duplicate field "xy"',
    'unknown field "x"',
  ]);
});

it('prefixes the fields of a JSON patch', () => {
  expect(strictTexts({ duplicates: [], duplicateForm: 'path', unknownFields: ['[0].why'] }, 'json patch ')).toEqual([
    'json patch unknown field "[0].why"',
  ]);
});

it('reports several lines of YAML as one problem', () => {
  const { error } = strictDecoding(
    { duplicates: ['line 2: a', 'line 3: b'], duplicateForm: 'line', unknownFields: ['z'] },
    'Strict',
    subject,
  );
  expect(error?.message).toBe(
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 2: a\n  line 3: b, unknown field "z"',
  );
});

describe('warnings', () => {
  it('are quoted, and dropped if no header can contain them', () => {
    expect(warningHeader('unknown field "a\\b"')).toBe('299 - "unknown field \\"a\\\\b\\""');
    expect(warningHeader('a\nb')).toBeUndefined();
    // Transports encode it.
    expect(warningHeader('é')).toBe('299 - "é"');
  });
  it('are given once, in order', () => {
    const recorder = new WarningRecorder();
    for (const text of ['b', 'a', '', 'b']) recorder.add(text);
    expect(recorder.headers).toEqual(['299 - "b"', '299 - "a"']);
  });
  it('are truncated if they are too many', () => {
    const recorder = new WarningRecorder();
    for (let index = 0; index < 4; index += 1) recorder.add(`${index}${'x'.repeat(999)}`);
    expect(recorder.headers[0]).toHaveLength('299 - ""'.length + 1000);
    for (let index = 4; index < 40; index += 1) recorder.add(`${index}${'x'.repeat(999)}`);
    expect(recorder.headers).toHaveLength(16);
    expect(recorder.headers.every((header) => header.length === '299 - ""'.length + 256)).toBe(true);
  });

  it('too large for a header do not truncate others', () => {
    const recorder = new WarningRecorder();
    recorder.add('x'.repeat(300));
    recorder.add(`\n${'y'.repeat(5000)}`);
    expect(recorder.headers).toEqual([`299 - "${'x'.repeat(300)}"`]);
  });
});
