/** Protobuf bodies with more messages, or more nesting, than any client sends. */
import type { Rights, Row } from '../row.js';
import { once } from '../texts.js';
import { field, fields, PROTOBUF, unknownMessage, varint } from '../wire.js';

const BYTES = 2_800_000;
const EMPTY = new Uint8Array();
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

function rowsOf([name, message]: [string, () => Uint8Array], kind: Target): Row[] {
  const body = once(() => unknownMessage(kind.apiVersion, kind.kind, message()));
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
  ...Object.entries(REVIEWS).flatMap((entry) => rowsOf(entry, REVIEW)),
];
