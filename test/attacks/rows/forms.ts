/** Answers that are longer than what is stored: indentation, YAML, Tables, lists of everything in every form. */
import type { Request } from '../client.js';
import { ANYTHING, configMap, define, definition, fill, MAPS, pathOf, thing } from '../kinds.js';
import type { Flood, Reading, Row } from '../row.js';
import { nested } from '../texts.js';
import type { World } from '../world.js';

const MIB = 1024 * 1024;

/** A way to ask for a list: parameters, and header fields. */
interface Form {
  readonly query: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const FORMS: Readonly<Record<string, Form>> = {
  JSON: { query: '' },
  'pretty JSON': { query: '?pretty=1' },
  YAML: { query: '', accept: 'application/yaml' },
  protobuf: { query: '', accept: 'application/vnd.kubernetes.protobuf' },
  Table: { query: '?includeObject=Object', accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  'metadata as YAML': { query: '', accept: 'application/yaml;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
  'gzipped JSON': { query: '', headers: { 'accept-encoding': 'gzip' } },
  'gzipped pretty JSON': { query: '?pretty=1', headers: { 'accept-encoding': 'gzip' } },
};

/** Fills the store to its limit, a quarter of the heap, with objects of some bytes. */
const filledStore = (bytes: number, heapMb: number) => (world: World) =>
  fill(world, MAPS, Math.floor((heapMb * MIB * 0.22) / bytes), (index) =>
    configMap(`m-${index}`, { text: 'spaced words and\n lines '.repeat(Math.floor(bytes / 24)) }),
  );

const list = (form: string, path = MAPS): Request => {
  const { query, ...rest } = FORMS[form] ?? { query: '' };
  return { method: 'GET', path: path + query, ...rest };
};

const READINGS: readonly Reading[] = ['all', 'slow', 'unread', 'abort'];

const floods = (form: string, atOnce: number, reading: Reading): Flood[] => [
  { request: list(form), times: atOnce, reading },
];

/** Statuses of a list: one that does not fit into the memory is refused. A client that leaves sees none. */
const LISTED = [0, 200, 429];

const lists = Object.keys(FORMS).flatMap((form): Row[] => [
  ...READINGS.map((reading): Row => ({
    name: `64 lists as ${form}, read ${reading}`,
    rights: 'view',
    prepare: filledStore(8_000, 512),
    sends: floods(form, 64, reading),
    statuses: LISTED,
  })),
  {
    name: `64 lists of large objects as ${form}, in 256 MB`,
    rights: 'view',
    heapMb: 256,
    prepare: filledStore(900_000, 256),
    sends: floods(form, 64, 'all'),
    statuses: LISTED,
  },
]);

/**
 * A spec of maps, or lists, within each other: indentation multiplies it. A body has at most 200,000 of them
 * (docs/reference/limits.md).
 */
const chains: Readonly<Record<string, string>> = {
  maps: `{"x":[${Array.from({ length: 330 }, () => nested('{"a":', '0', '}', 400)).join(',')}]}`,
  lists: `{"x":[${Array.from({ length: 490 }, () => nested('[', '0', ']', 400)).join(',')}]}`,
};

const nestedRows = Object.entries(chains).flatMap(([what, spec]): Row[] =>
  ['pretty JSON', 'YAML', 'gzipped pretty JSON'].flatMap((form) =>
    [1, 6, 32].map((times): Row => ({
      name: `an object of ${what} within each other as ${form}, ${times} at once`,
      rights: 'view',
      prepare: async (world) => {
        await define(world, definition(ANYTHING));
        await world.owner.must({ method: 'POST', path: pathOf(), body: thing('deep', spec) });
      },
      sends: [{ request: list(form, `${pathOf()}/deep`), times }],
      statuses: LISTED,
    })),
  ),
);

const one = (text: string, path = `${MAPS}/large`) => ({
  prepare: (world: World) => world.owner.must({ method: 'POST', path: MAPS, body: configMap('large', { text }) }),
  path,
});

/** Texts of an object of 1 MB that are long, or slow, in another form. */
const TEXTS: Readonly<Record<string, string>> = {
  'with spaces': 'a b '.repeat(250_000),
  'of line breaks': '\n'.repeat(500_000),
  'of quotes': `"'`.repeat(250_000),
  'of control characters': '\u0001'.repeat(150_000),
  'of wide characters': '\u{1f600}'.repeat(240_000),
  'of indicators': ': - # ? '.repeat(125_000),
};

const large = Object.entries(TEXTS).flatMap(([what, text]): Row[] =>
  ['YAML', 'pretty JSON', 'protobuf'].map((form): Row => {
    const { prepare, path } = one(text);
    return {
      name: `an object of 1 MB ${what} as ${form}, ten at once`,
      rights: 'view',
      prepare,
      sends: [{ request: list(form, path), times: 10 }],
      statuses: LISTED,
    };
  }),
);

/** An object of 2 MB of small entries. */
const ENTRIES = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key-${index}`, `v${index}`]));

const entries = ['protobuf', 'Table'].map((form): Row => ({
  name: `an object of 100,000 entries as ${form}, ten at once`,
  rights: 'view',
  prepare: (world) => world.owner.must({ method: 'POST', path: MAPS, body: configMap('large', ENTRIES) }),
  sends: [{ request: list(form, `${MAPS}/large`), times: 10 }],
  statuses: LISTED,
}));

/** The rows. */
export const forms: readonly Row[] = [...lists, ...nestedRows, ...large, ...entries];
