/** A message in protobuf may have any number of fields, also where one is expected: reading them pauses. */
import { expect, test } from 'vitest';
import { kubernetes } from '../../../src/foundation/dialect/dialect.js';
import { UNBOUNDED_WORK, type Work } from '../../../src/foundation/work/work.js';
import { Pod } from '../../../src/kinds/builtin/index.js';
import { protobufSerializer } from '../../../src/server/codec/protobuf/protobuf.js';
import { field, unknownMessage } from '../../attacks/wire.js';
import { schemaOf } from '../../kinds/builtin/support.js';

const COUNT = 1_000;
/** An unknown field, with which a body is too long to be read at once. */
const LONG = field(9, new Uint8Array(40_000));

const schema = schemaOf(Pod, kubernetes);
const serializer = protobufSerializer(kubernetes);
const concat = (...parts: Uint8Array[]): Uint8Array => Buffer.concat(parts);
/** The same field of two bytes, many times. */
const repeated = (...bytes: number[]): Uint8Array => Buffer.alloc(bytes.length * COUNT, Buffer.from(bytes));
const EMPTY_FIRST = [0x0a, 0];
const EMPTY_THIRD = [0x1a, 0];
const magic = Buffer.from('k8s\0', 'latin1');
const ofPod = (pod: Uint8Array): Uint8Array => unknownMessage('v1', 'Pod', pod);
const metadata = (more: Uint8Array): Uint8Array => ofPod(field(1, concat(field(1, 'a'), more)));
const container = (more: Uint8Array): Uint8Array => ofPod(field(2, field(2, concat(field(1, 'c'), more))));
const named = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
const withContainer = (members: object): object => ({
  ...{ apiVersion: 'v1', kind: 'Pod' },
  spec: { containers: [{ name: 'c', ...members }] },
});

/** Decodes a body with work that pauses wherever it may. */
async function decoded(body: Uint8Array): Promise<{ value: unknown; pauses: number }> {
  let pauses = 0;
  const work: Work = {
    ...UNBOUNDED_WORK,
    spend: () => true,
    next: () => {
      pauses += 1;
      return Promise.resolve();
    },
  };
  const schemaFor = (apiVersion: string, kind: string): typeof schema | undefined =>
    apiVersion === 'v1' && kind === 'Pod' ? schema : undefined;
  const { value } = await serializer.decode(concat(body, LONG), { kind: 'Pod', schema, schemaFor, work });
  return { value, pauses };
}

test.each<[string, Uint8Array, object]>([
  ['of the envelope', concat(ofPod(field(1, field(1, 'a'))), repeated(...EMPTY_THIRD)), named],
  [
    'of the type in the envelope',
    concat(magic, field(1, concat(repeated(...EMPTY_THIRD), field(1, 'v1'), field(2, 'Pod')))),
    { apiVersion: 'v1', kind: 'Pod' },
  ],
  [
    'of a time',
    metadata(field(8, concat(repeated(0x08, 1), repeated(...EMPTY_THIRD)))),
    { ...named, metadata: { name: 'a', creationTimestamp: '1970-01-01T00:00:01Z' } },
  ],
  [
    'of an entry of a map',
    metadata(field(11, concat(repeated(...EMPTY_FIRST), field(1, 'k'), repeated(...EMPTY_THIRD), field(2, 'v')))),
    { ...named, metadata: { name: 'a', labels: { k: 'v' } } },
  ],
  [
    'of a JSON value',
    metadata(field(17, field(7, concat(repeated(...EMPTY_FIRST), field(1, '{"f:a":{}}'))))),
    { ...named, metadata: { name: 'a', managedFields: [{ fieldsV1: { 'f:a': {} } }] } },
  ],
  [
    'of a quantity',
    container(field(8, field(1, concat(field(1, 'cpu'), field(2, concat(repeated(...EMPTY_FIRST), field(1, '2'))))))),
    withContainer({ resources: { limits: { cpu: '2' } } }),
  ],
  [
    'of a port that is a number or a name',
    container(
      field(
        10,
        field(1, field(2, concat(field(1, '/'), field(2, concat(repeated(0x10, 1), Buffer.from([0x10, 80])))))),
      ),
    ),
    withContainer({ livenessProbe: { httpGet: { path: '/', port: 80 } } }),
  ],
])('many fields %s', async (_name, body, expected) => {
  const { value, pauses } = await decoded(body);
  expect(value).toMatchObject(expected);
  expect(pauses).toBeGreaterThanOrEqual(COUNT);
});

test('a type that comes in parts is the last of each', async () => {
  const type = concat(field(1, field(1, 'v9')), field(1, field(2, 'Pod')), field(1, field(1, 'v1')));
  const body = concat(magic, type, field(2, field(1, field(1, 'a'))));
  expect((await decoded(body)).value).toMatchObject(named);
});

test.each([
  ['version', 'version "vvv', unknownMessage('v'.repeat(100_000), 'Pod', new Uint8Array())],
  ['kind', 'no kind "vvv', unknownMessage('v1', 'v'.repeat(100_000), new Uint8Array())],
])('an error shows the beginning of a long %s', async (_name, shown, body) => {
  const error: unknown = await decoded(body).catch((reason: unknown) => reason);
  const { message } = error as Error;
  expect(message).toContain(shown);
  expect(message).toContain('… (83,616 more)');
  expect(message.length).toBeLessThan(40_000);
});
