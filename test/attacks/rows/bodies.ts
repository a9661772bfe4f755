/** JSON bodies that cost more than their size suggests: of a review, which needs no right, and of an object. */
import { ANYTHING, define, definition, pathOf, thing } from '../kinds.js';
import type { Row } from '../row.js';
import { filled, nested, once, repeated } from '../texts.js';

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** Members of the object that is sent, by what they are. */
const CONTENTS: Readonly<Record<string, () => string>> = {
  'lists in lists in lists': () => `"x":[${repeated('[[[0]]],')}0]`,
  'empty objects': () => `"x":[${repeated('{},')}0]`,
  'empty lists': () => `"x":[${repeated('[],')}0]`,
  'objects with keys of their own': () => `"x":[${filled((index) => `{"k${index}":0}`)}]`,
  'one object of many keys': () => `"x":{${filled((index) => `"k${index}":0`)}}`,
  'numbers with an exponent': () => `"x":[${repeated('1e3,')}0]`,
  'long fractions': () => `"x":[${repeated('0.12345678901234567,')}0]`,
  'one number of many digits': () => `"x":${repeated('7')}`,
  'one escaped string': () => `"x":"${repeated('\\u0041')}"`,
  'short strings': () => `"x":[${repeated('"a",')}0]`,
  'unknown fields': () => filled((index) => `"unknown${index}":1`),
  'one field many times': () => filled(() => '"x":1'),
  'an object nested to the limit, wide at each level': () =>
    `"x":${nested('{"b":[0,0,0,0],"a":', '0', '}', 450)},"y":[${repeated('1,', 1_000_000)}0]`,
  spaces: () => `"x":1${repeated(' ')}`,
  'keys of every object': () =>
    `"x":[${filled((index) => `{"${['__proto__', 'constructor', 'toString', 'hasOwnProperty'][index % 4] ?? ''}":{}}`)}]`,
};

const review = (members: string): string =>
  `{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":{"verb":"get","resource":"pods"}},${members}}`;

/** An object of a kind that keeps every field: it is validated, stored as text, and its fields get an owner. */
const object = (members: string): string => thing('body', `{${members}}`);

const FLOODS = { one: 1, sixteen: 16 } as const;

function rowsOf(content: string, members: () => string): Row[] {
  return Object.entries(FLOODS).flatMap(([count, times]): Row[] => {
    const asReview = once(() => review(members()));
    const asObject = once(() => object(members()));
    return [
      {
        name: `${content}, ${count} in reviews`,
        rights: 'none',
        sends: [{ request: { method: 'POST', path: REVIEWS, body: asReview }, times }],
        statuses: [201, 413, 400],
      },
      {
        name: `${content}, ${count} in objects`,
        rights: 'edit',
        prepare: (world) => define(world, definition(ANYTHING)),
        sends: [{ request: { method: 'POST', path: `${pathOf()}?fieldValidation=Ignore`, body: asObject }, times }],
        statuses: [201, 400, 409, 413, 422, 500],
        says: /"status":"Failure"|"kind":"Thing"/,
        keepsMb: 64,
      },
    ];
  });
}

/** The rows. */
export const bodies: readonly Row[] = [
  ...Object.entries(CONTENTS).flatMap(([content, members]) => rowsOf(content, members)),
  {
    name: 'unknown fields, six strict reviews at once',
    rights: 'none',
    sends: [
      {
        request: {
          method: 'POST',
          path: `${REVIEWS}?fieldValidation=Strict`,
          // As many as an object may have members.
          body: once(() => review(filled((index) => `"f${index}":1`, ',', 1_000_000))),
        },
        times: 6,
      },
    ],
    statuses: [400],
    says: /unknown field/,
  },
  {
    name: 'a body one byte beyond the limit, sixteen at once',
    rights: 'none',
    sends: [
      { request: { method: 'POST', path: REVIEWS, body: once(() => ' '.repeat(3 * 1024 * 1024 + 1)) }, times: 16 },
    ],
    statuses: [413],
  },
  {
    name: 'many small reviews at once',
    rights: 'none',
    sends: [{ request: { method: 'POST', path: REVIEWS, body: review('"a":1') }, times: 4_000, atOnce: 200 }],
    statuses: [201],
  },
];
