/** Protobuf bodies with more messages, or more nesting, than any client sends. */
import type { Rights, Row } from '../row.js';
import { once } from '../texts.js';
import { field, fields, PROTOBUF, unknownMessage, varint } from '../wire.js';

const BYTES = 2_800_000;
const EMPTY = new Uint8Array();
const MAGIC = Buffer.from('k8s\0', 'latin1');
const METADATA = field(1, field(1, 'body'));

const concat = (...parts: Uint8Array[]): Uint8Array => Buffer.concat(parts);

/** A message within itself. */
function deep(number: number, depth: number): Uint8Array {
  let message: Uint8Array = EMPTY;
  for (let level = 0; level < depth; level += 1) message = field(number, message);
  return message;
}

const container = field(2, concat(field(1, 'c'), field(2, 'i')));

/** Number of a text in the spec of a pod that nothing is looked up by. */
const HOSTNAME = 16;

/** Messages of a pod. */
const PODS: Readonly<Record<string, () => Uint8Array>> = {
  'empty containers': () =>
    concat(
      METADATA,
      field(
        2,
        fields(() => field(2, EMPTY), BYTES),
      ),
    ),
  labels: () =>
    field(
      1,
      concat(
        field(1, 'body'),
        fields((i) => field(11, concat(field(1, `k${i}`), field(2, 'v'))), BYTES),
      ),
    ),
  'managed fields': () =>
    field(
      1,
      concat(
        field(1, 'body'),
        fields(() => field(17, EMPTY), BYTES),
      ),
    ),
  'unknown fields': () =>
    concat(
      METADATA,
      fields(() => concat(varint(1000 * 8), varint(1)), BYTES),
    ),
  'unknown messages within each other': () => concat(METADATA, field(999, deep(1, 20_000))),
  tolerations: () =>
    concat(
      METADATA,
      field(
        2,
        concat(
          container,
          fields(() => field(22, field(1, 'k')), BYTES),
        ),
      ),
    ),
  'one field many times': () =>
    concat(
      METADATA,
      field(
        2,
        concat(
          container,
          fields(() => field(HOSTNAME, 'x'), BYTES),
        ),
      ),
    ),
  'wrong texts': () =>
    concat(
      METADATA,
      field(
        2,
        concat(
          container,
          fields(() => field(HOSTNAME, Uint8Array.of(0xff, 0xfe)), BYTES),
        ),
      ),
    ),
  'environment of one container': () =>
    concat(
      METADATA,
      field(
        2,
        field(
          2,
          concat(
            field(1, 'c'),
            field(2, 'i'),
            fields((i) => field(7, field(1, `E${i}`)), BYTES),
          ),
        ),
      ),
    ),
};

/** A field of two bytes as often as a body has room. */
const repeated = (...bytes: number[]): Uint8Array => Buffer.alloc(BYTES, Buffer.from(bytes));
const named = (more: Uint8Array): Uint8Array => field(1, concat(field(1, 'body'), more));

/** Messages of a pod with many fields where one is expected. */
const SMALL: Readonly<Record<string, () => Uint8Array>> = {
  'fields of a time': () => named(field(8, repeated(0x08, 1))),
  'fields of a time, all different': () =>
    named(
      field(
        8,
        fields((i) => concat(varint((i + 4) * 8), varint(1)), BYTES),
      ),
    ),
  'keys of one label': () => named(field(11, repeated(0x0a, 0))),
  'fields of field ownership': () => named(field(17, field(7, repeated(0x0a, 0)))),
  'texts of a quantity': () =>
    concat(METADATA, field(2, field(2, field(8, field(1, concat(field(1, 'cpu'), field(2, repeated(0x0a, 0)))))))),
};

/** Whole bodies. */
const ENVELOPES: Readonly<Record<string, () => Uint8Array>> = {
  'fields of an envelope': () => concat(MAGIC, repeated(0x1a, 0)),
  'fields of the type of an envelope': () => concat(MAGIC, field(1, repeated(0x12, 0))),
  'types of an envelope': () => concat(MAGIC, repeated(0x0a, 0)),
  'a long version': () => unknownMessage('\n'.repeat(BYTES), 'Pod', METADATA),
  'a long kind': () => unknownMessage('v1', '\n'.repeat(BYTES), METADATA),
};

/** Messages of a review. */
const REVIEWS: Readonly<Record<string, () => Uint8Array>> = {
  'unknown fields of a review': () => fields(() => concat(varint(1000 * 8), varint(1)), BYTES),
  'labels of a review': () =>
    field(
      1,
      fields((i) => field(11, concat(field(1, `k${i}`), field(2, 'v'))), BYTES),
    ),
  'owners of a review': () =>
    field(
      1,
      fields(() => field(13, EMPTY), BYTES),
    ),
};

const FLOODS = { one: 1, sixteen: 16 } as const;

interface Target {
  readonly rights: Rights;
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
}

const rowsOf = ([name, message]: [string, () => Uint8Array], kind: Target): Row[] =>
  rowsOfBody([name, () => unknownMessage(kind.apiVersion, kind.kind, message())], kind);

function rowsOfBody([name, make]: [string, () => Uint8Array], kind: Target): Row[] {
  const body = once(make);
  return Object.entries(FLOODS).map(([count, times]): Row => ({
    name: `${name}, ${count} at once`,
    rights: kind.rights,
    sends: [{ request: { method: 'POST', path: kind.path, type: PROTOBUF, body }, times }],
    statuses: [201, 400, 409, 413, 422],
  }));
}

const POD: Target = { rights: 'edit', path: '/api/v1/namespaces/attack/pods', apiVersion: 'v1', kind: 'Pod' };
const REVIEW: Target = {
  rights: 'none',
  path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
};

/** The rows. */
export const protobuf: readonly Row[] = [
  ...Object.entries(PODS).flatMap((entry) => rowsOf(entry, POD)),
  ...Object.entries(SMALL).flatMap((entry) => rowsOf(entry, POD)),
  ...Object.entries(ENVELOPES).flatMap((entry) => rowsOfBody(entry, REVIEW)),
  ...Object.entries(REVIEWS).flatMap((entry) => rowsOf(entry, REVIEW)),
];
