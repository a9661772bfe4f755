/** Header fields, tokens and paths as long as the limits allow, from clients that the server does not know. */
import { configMap, MAPS } from '../kinds.js';
import type { Request } from '../client.js';
import type { Row } from '../row.js';
import { filled, once } from '../texts.js';

/** Characters of the head of a request, with room for its other fields (docs/reference/limits.md: 64 KiB). */
const HEAD_CHARACTERS = 60_000;
const TIMES = 1_000;
const AT_ONCE = 100;

const encoded = (text: string): string => Buffer.from(text).toString('base64url');
const long = (make: (index: number) => string, separator = ','): string => filled(make, separator, HEAD_CHARACTERS);
const signed = (header: string, claims: string): string => `Bearer ${encoded(header)}.${encoded(claims)}.AAAA`;

const RS256 = '{"alg":"RS256","kid":"a"}';
/** A part of a token: base64 makes four characters of three. */
const CLAIM_CHARACTERS = 42_000;
const claims = (make: (index: number) => string): string => filled(make, ',', CLAIM_CHARACTERS);

/** Values of `Authorization` that are not a token of a user. */
const TOKENS: Readonly<Record<string, () => string>> = {
  'a long token': () => `Bearer ${'A'.repeat(HEAD_CHARACTERS)}`,
  'a token of many parts': () => `Bearer ${'a.'.repeat(HEAD_CHARACTERS / 2)}`,
  'a token for many audiences': () => signed(RS256, `{"iss":"a","aud":[${claims((index) => `"a${index}"`)}]}`),
  'a token with nested claims': () => signed(RS256, '{"a":'.repeat(CLAIM_CHARACTERS / 6) + '1' + '}'.repeat(7_000)),
  'a token with a long header': () => signed(`{"alg":"RS256",${claims((index) => `"k${index}":1`)}}`, '{}'),
  'many schemes': () => long(() => 'Bearer a', ' '),
};

/** Header fields of a user who may read. */
const FIELDS: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  'many fields': () => Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`x-${index}`, 'aaaa'])),
  cookies: () => ({ cookie: long((index) => `a${index}=b`, '; ') }),
  'accepted types': () => ({ accept: long((index) => `application/x${index};q=0.1`) + ',application/json' }),
  'parameters of a type': () => ({ accept: `application/json;${long((index) => `p${index}=v`, ';')}` }),
  'accepted encodings': () => ({ 'accept-encoding': long((index) => `x${index};q=0.5`) }),
  'a long user agent': () => ({ 'user-agent': long(() => 'agent/1 (a b)', ' ') }),
  'many proxies': () => ({ 'x-forwarded-for': long((index) => `10.0.0.${index % 256}`) }),
  'a long trace': () => ({
    traceparent: '0'.repeat(HEAD_CHARACTERS / 2),
    tracestate: long((index) => `a${index}=b`).slice(0, HEAD_CHARACTERS / 3),
  }),
};

/** Fields that only who may impersonate may send. */
const IMPERSONATION: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  'a long name': () => ({ 'impersonate-user': 'a'.repeat(HEAD_CHARACTERS) }),
  'many extra fields': () => ({
    'impersonate-user': 'a',
    ...Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`impersonate-extra-k${index}`, '%41'])),
  }),
};

const PATHS: Readonly<Record<string, () => string>> = {
  'many segments': () => `/api/v1/${'a/'.repeat(HEAD_CHARACTERS / 2)}`,
  'escaped segments': () => `/api/v1/namespaces/${'%2e'.repeat(HEAD_CHARACTERS / 3)}/configmaps`,
  'dots and slashes': () => `/apis${'/..'.repeat(HEAD_CHARACTERS / 3)}`,
  'a long name': () => `${MAPS}/${'a'.repeat(HEAD_CHARACTERS)}`,
};

const row = (name: string, request: Request, rest: Pick<Row, 'rights' | 'statuses'>): Row => ({
  ...rest,
  name: `${name}, ${TIMES} times`,
  sends: [{ request, times: TIMES, atOnce: AT_ONCE }],
});

const get = (headers: Readonly<Record<string, string>>): Request => ({
  method: 'GET',
  path: `${MAPS}/absent`,
  headers,
});

/** The rows. */
export const headers: readonly Row[] = [
  ...Object.entries(TOKENS).map(([name, make]) =>
    row(name, get({ authorization: make() }), { rights: 'none', statuses: [401] }),
  ),
  ...Object.entries(FIELDS).map(([name, make]) =>
    row(name, get(make()), { rights: 'view', statuses: [400, 404, 406] }),
  ),
  ...Object.entries(IMPERSONATION).map(([name, make]) =>
    row(`impersonation, ${name}`, get(make()), { rights: 'view', statuses: [403] }),
  ),
  ...Object.entries(PATHS).map(([name, make]) =>
    row(`path, ${name}`, { method: 'GET', path: make() }, { rights: 'view', statuses: [400, 403, 404, 414] }),
  ),
  {
    name: 'the manager of a change, by a long user agent',
    rights: 'edit',
    sends: [
      {
        request: (index) => ({
          ...{ method: 'POST', path: MAPS, body: configMap(`m-${index}`, { a: 'b' }) },
          headers: { 'user-agent': `${'a'.repeat(HEAD_CHARACTERS)}/1` },
        }),
        ...{ times: 200, atOnce: 50 },
      },
    ],
  },
  {
    name: 'reviews of long tokens',
    rights: 'owner',
    sends: [
      {
        request: {
          ...{ method: 'POST', path: '/apis/authentication.k8s.io/v1/tokenreviews' },
          body: once(
            () => `{"spec":{"token":"${signed(RS256, `{"aud":[${filled((i) => `"a${i}"`, ',', 2_000_000)}]}`)}"}}`,
          ),
        },
        times: 4,
      },
    ],
    statuses: [201],
  },
];
