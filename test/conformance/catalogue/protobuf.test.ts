/** Protobuf of the built-in kinds: numbers, wire types and embedded messages are those of release 1.31. */
import '../../kinds/builtin/loaded-kinds.js';
import { describe, expect, test } from 'vitest';
import { planOf, rootPlanOf, type FieldPlan, type MessagePlan } from '../../../src/server/codec/protobuf/proto-plan.js';
import { kubernetes } from '../../../src/foundation/index.js';
import { ResourceInfo } from '../../../src/registry/definition/resource-info.js';
import { builtinResources } from '../../../src/kinds/builtin/index.js';
import { startTestServer } from '../../../src/entries/testing.js';
import { ask, textOf } from '../../server/ask.js';
import { servedKinds, typeOf, type FieldFacts } from './published.js';

/** Wire types of the kinds of values: 0 varint, 1 64-bit, 2 length-delimited. */
const WIRES: Readonly<Record<string, number>> = { int32: 0, int64: 0, bool: 0, double: 1 };

/** Metadata has its own test, and its message is defined beside the schema. */
const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** The wire type of a field, and whether it is repeated or a map, according to the facts. */
function shapeOf({ wire, type, values, protoMessage }: FieldFacts): string {
  const cardinality =
    protoMessage !== undefined ? 'wrapped' : type === 'array' ? 'repeated' : values === undefined ? 'one' : 'map';
  return `${cardinality} ${cardinality === 'one' || cardinality === 'repeated' ? wire : 2}`;
}

const planned = ({ cardinality, kind }: FieldPlan): string =>
  `${cardinality} ${cardinality === 'one' || cardinality === 'repeated' ? (WIRES[kind] ?? 2) : 2}`;

/** Compares a message and all messages it references; returns the paths that differ. */
function differences(plan: MessagePlan, name: string, path: string, seen: Set<string>): string[] {
  if (seen.has(name)) return [];
  seen.add(name);
  const { fields } = typeOf(name);
  const unknown = [...plan.byNumber.keys()].filter((number) => !fields.some((field) => field.number === number));
  return [
    ...unknown.map((number) => `${path} has a field ${number}`),
    ...fields.flatMap((field): string[] => {
      const at = `${path}.${field.name ?? field.ref}`;
      const found = field.number === undefined ? undefined : plan.byNumber.get(field.number);
      if (found === undefined) return [`${at} (${field.number}) is not carried`];
      if (field.inline === true)
        return found.embedded === undefined
          ? [`${at} is not embedded`]
          : differences(found.embedded, field.ref ?? '', at, seen);
      const ref = field.ref ?? field.items?.ref ?? field.values?.ref;
      const message = found.kind === 'variants' ? found.schema.variants?.message : found.schema;
      const isMessage = found.kind === 'message' || found.kind === 'variants';
      const inner = ref === undefined || ref === OBJECT_META || !isMessage ? undefined : ref;
      return [
        ...(found.name === field.name ? [] : [`${at} is called ${found.name}`]),
        ...(planned(found) === shapeOf(field) ? [] : [`${at} is ${planned(found)}, not ${shapeOf(field)}`]),
        ...(inner === undefined || message === undefined ? [] : differences(planOf(message), inner, at, seen)),
      ];
    }),
  ];
}

describe('numbers and wire types are those of release 1.31', () => {
  const infos = builtinResources.map((definition) => new ResourceInfo(definition, kubernetes));
  test.each(servedKinds.map((kind) => [`${kind.group}/${kind.version} ${kind.kind}`, kind] as const))(
    '%s',
    (_, { group, version, kind, type }) => {
      const info = infos.find((one) => one.group === group && one.version === version && one.kind === kind);
      if (info === undefined) throw new Error('not served');
      expect(differences(rootPlanOf(info.schema), type, kind, new Set())).toEqual([]);
    },
  );
});

test('a pod with volumes, probes and an ephemeral container keeps them over protobuf', async () => {
  await using running = await startTestServer({
    dialect: 'kubernetes',
    authentication: { ownerToken: 'owner-of-the-protobuf-test' },
  });
  const request = (method: string, target: string, headers: Record<string, string>, body?: string | Uint8Array) =>
    ask(running.server, method, target, {
      token: 'owner-of-the-protobuf-test',
      headers,
      ...(body === undefined ? {} : { body }),
    });
  const pod = {
    metadata: { name: 'a' },
    spec: {
      volumes: [
        { name: 'files', configMap: { name: 'settings', items: [{ key: 'k', path: 'p' }] } },
        { name: 'cache', emptyDir: {} },
      ],
      containers: [
        {
          name: 'c',
          image: 'i',
          envFrom: [{ configMapRef: { name: 'settings' } }],
          livenessProbe: { httpGet: { path: '/healthz', port: 80 }, initialDelaySeconds: 3 },
          lifecycle: { preStop: { exec: { command: ['true'] } } },
        },
      ],
    },
  };
  const path = '/api/v1/namespaces/default/pods';
  const protobuf = 'application/vnd.kubernetes.protobuf';
  const created = await request('POST', path, {}, JSON.stringify(pod));
  expect(created.status).toBe(201);
  const stored = JSON.parse(textOf(await request('GET', `${path}/a`, {}))) as { spec: object };
  const answer = await request('GET', `${path}/a`, { accept: protobuf });
  expect(answer.headers['content-type']).toBe(protobuf);
  expect(answer.body).toBeInstanceOf(Uint8Array);
  // A protobuf client can send back what it reads, and the object is unchanged.
  const replaced = await request('PUT', `${path}/a`, { 'content-type': protobuf }, answer.body as Uint8Array);
  expect(textOf(replaced)).toBe(textOf(await request('GET', `${path}/a`, {})));
  expect((JSON.parse(textOf(replaced)) as { spec: object }).spec).toEqual(stored.spec);
});
