/** Servers that the owner has configured, and that answer badly: OpenID providers, webhooks of tokens, rights and audit. */
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { kubeconfig, startParty, type Party, type PartyAnswer, type PartyFiles } from '../party.js';
import type { Answer, Row } from '../row.js';
import { nested, once, repeated } from '../texts.js';
import type { World } from '../world.js';

const KIB = 1024;
const MIB = 1024 * KIB;
/** Duration of attacks that answer nothing, in milliseconds. */
const DURATION_MS = 4_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const json = (response: ServerResponse, text: string): void => {
  response.setHeader('content-type', 'application/json');
  response.end(text);
};

/** Writes single bytes for as long as they are read. */
function trickle(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 5);
  response.on('close', () => clearInterval(timer));
}

const pair = once(() => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { privateKey, jwk: publicKey.export({ format: 'jwk' }) };
});

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Makes a token of the provider. @param header members besides the algorithm */
function token(issuer: string, claims: object, header: object = {}, key: KeyObject = pair().privateKey): string {
  const exp = Math.floor(Date.now() / 1000) + 3_600;
  const text = `${encoded({ alg: 'RS256', ...header })}.${encoded({ iss: issuer, aud: 'attack', sub: 'someone', exp, ...claims })}`;
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`;
}

const OPENID = ({ url, caPem, write }: PartyFiles): readonly string[] => [
  ...[`--oidc-issuer-url=${url}`, '--oidc-client-id=attack', `--oidc-ca-file=${write('ca.pem', caPem)}`],
  ...['--oidc-groups-claim=groups', '--oidc-username-prefix=-'],
];

/** A provider whose keys, or whose configuration, are answered by a function. */
const provider = (keys: PartyAnswer, configuration?: PartyAnswer): (() => Promise<Party>) => {
  const answer: PartyAnswer = (request, response, url) => {
    if (request.url === '/keys') return keys(request, response, url);
    if (configuration !== undefined) return configuration(request, response, url);
    return json(response, JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }));
  };
  return () => startParty(answer, OPENID);
};

/** Requests with tokens of their own. */
const tokens = (
  name: string,
  party: () => Promise<Party>,
  make: (issuer: string, index: number) => string,
  { times, atOnce = 50, ...rest }: Partial<Row> & { readonly times: number; readonly atOnce?: number },
): Row => {
  let issuer = '';
  return {
    ...{ name, rights: 'none', statuses: [0, 200, 401, 403], byControllers: true, ...rest },
    mayLog: /OpenID|webhook|authenticat/,
    party: async () => {
      const started = await party();
      issuer = started.url;
      return started;
    },
    sends: (world, signal) =>
      world
        .as('none')
        .until(signal)
        .flood({
          request: (index) => ({
            ...{ method: 'GET', path: '/api' },
            headers: { authorization: `Bearer ${make(issuer, index)}` },
          }),
          ...{ times, atOnce },
        }),
  };
};

const keySet = (count: number, kid: (index: number) => object): string =>
  JSON.stringify({
    keys: Array.from({ length: count }, (_, index) => ({ ...pair().jwk, alg: 'RS256', ...kid(index) })),
  });

/** Documents of a provider. */
const DOCUMENTS: Readonly<Record<string, PartyAnswer>> = {
  'of 100 MB': (_, response) => json(response, `{"keys":["${'a'.repeat(100 * MIB)}"]}`),
  'of 100,000 keys': (_, response) => json(response, `{"keys":[${'{"kty":"RSA"},'.repeat(99_999)}{"kty":"RSA"}]}`),
  'of 15,000 keys': (_, response) => json(response, `{"keys":[${'{"kty":"RSA"},'.repeat(9_999)}{"kty":"RSA"}]}`),
  'nested 500,000 deep': (_, response) => json(response, nested('[', '', ']', 500_000)),
  'nested 9,000 deep': (_, response) => json(response, `{"keys":${nested('[', '', ']', 9_000)}}`),
  'of single bytes': (_, response) => trickle(response),
  'that redirect to themselves': (request, response) => {
    response.writeHead(302, { location: request.url ?? '' }).end();
  },
  'that do not come': () => undefined,
};

const documents = Object.entries(DOCUMENTS).flatMap(([name, answer]): Row[] =>
  [
    ['keys', provider(answer)] as const,
    ['configurations', provider((_, response) => response.end(), answer)] as const,
  ].map(([document, party]) =>
    tokens(`${document} ${name}`, party, (issuer, index) => token(issuer, { index }), { times: 300 }),
  ),
);

const OTHER = once(() => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);

/** A token whose signature is that of another one: making it takes no time. */
const forged = (() => {
  const signature = once(() => token('', {}, {}, OTHER()).split('.')[2] ?? '');
  return (issuer: string, claims: object, header: object): string => {
    const exp = Math.floor(Date.now() / 1000) + 3_600;
    return `${encoded({ alg: 'RS256', ...header })}.${encoded({ iss: issuer, aud: 'attack', sub: 's', exp, ...claims })}.${signature()}`;
  };
})();

const good = (count: number, kid: (index: number) => object = (index) => ({ kid: `k${index}` })): PartyAnswer => {
  const text = once(() => keySet(count, kid));
  return (_, response) => json(response, text());
};

const SIGNED: readonly Row[] = [
  tokens(
    '10,000 tokens of unknown keys',
    provider(good(2)),
    (issuer, index) => forged(issuer, { index }, { kid: `unknown${index}` }),
    { times: 10_000, atOnce: 200, statuses: [0, 401] },
  ),
  tokens(
    '2,000 tokens without the name of a key, of a provider with 128',
    provider(good(128)),
    (issuer, index) => forged(issuer, { index }, {}),
    { times: 2_000, atOnce: 200, statuses: [0, 401] },
  ),
  tokens(
    '1,000 tokens with long headers',
    provider(good(2)),
    (issuer, index) => forged(issuer, { index }, { kid: 'k0', x5c: Array.from({ length: 5_000 }, () => 'a') }),
    { times: 1_000, statuses: [0, 401] },
  ),
  tokens(
    '1,000 tokens of lists in lists',
    provider(good(2)),
    (issuer, index) =>
      forged(issuer, { index, aud: JSON.parse(nested('[', '', ']', 2_000)) as unknown }, { kid: 'k0' }),
    { times: 1_000, statuses: [0, 401] },
  ),
  tokens(
    '500 tokens of 3,000 groups',
    provider(good(2)),
    (issuer, index) =>
      token(issuer, { index, groups: Array.from({ length: 3_000 }, (_, i) => `g${i}`) }, { kid: 'k0' }),
    { times: 500 },
  ),
];

/** A webhook that says who a token is of. */
const tokenHook = (answer: PartyAnswer): (() => Promise<Party>) => {
  const flags = (files: PartyFiles): readonly string[] => [
    `--authentication-token-webhook-config-file=${kubeconfig(files)}`,
    '--authentication-token-webhook-version=v1',
  ];
  return () => startParty(answer, flags);
};

const review = (status: string): string =>
  `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","status":${status}}`;
const user = (groups: string): string => review(`{"authenticated":true,"user":{"username":"u","groups":[${groups}]}}`);

const TOKEN_ANSWERS: Readonly<Record<string, PartyAnswer>> = {
  'of 100 MB': (_, response) => json(response, user(`"${'a'.repeat(100 * MIB)}"`)),
  'of 15,000 groups': (_, response) => json(response, user(`${repeated('"some-group-with-a-name",', 375_000)}"g"`)),
  'of a group of 1 MB': (_, response) => json(response, user(`"${'a'.repeat(1_000_000)}"`)),
  'with an error of 1 MB': (_, response) => json(response, review(`{"error":"${'no '.repeat(300_000)}"}`)),
  'of single bytes': (_, response) => trickle(response),
  'in 500,000 pieces': (_, response) => {
    for (let at = 0; at < 500_000; at += 1) response.write(' ');
    response.end();
  },
};

const tokenAnswers = Object.entries(TOKEN_ANSWERS).map(([name, answer]): Row =>
  tokens(`reviews of tokens, answers ${name}`, tokenHook(answer), (_, index) => `token-${index}`, {
    ...{ times: 300, statuses: [0, 200, 401, 403, 431, 500] },
  }),
);

/** Sends tokens on connections that end at once, so that only the server still has them. */
async function left(world: World, times: number, bytes: number, signal: AbortSignal): Promise<readonly Answer[]> {
  const { hostname, port } = new URL(world.urls.plain);
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < times && !signal.aborted) {
      const index = next++;
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.resume();
      const text = `${String(index)}${'t'.repeat(bytes)}`;
      socket.write(`GET /api HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${text}\r\n\r\n`);
      await pause(20);
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: 100 }, one));
  return [{ status: 0, text: '', bytes: 0 }];
}

const TOKENS_LEFT: readonly Row[] = [
  {
    ...{ name: '8,000 tokens of 60 KB whose reviews are not answered', rights: 'none', statuses: [0] },
    party: tokenHook(() => undefined),
    mayLog: /webhook|authenticat/,
    sends: (world, signal) => left(world, 8_000, 60 * KIB, signal),
  },
];

/** A webhook that says what users may do. */
const rightsHook = (answer: PartyAnswer): (() => Promise<Party>) => {
  const flags = (files: PartyFiles): readonly string[] => [
    ...[`--authorization-webhook-config-file=${kubeconfig(files)}`, '--authorization-webhook-version=v1'],
    '--authorization-mode=RBAC,Webhook',
  ];
  return () => startParty(answer, flags);
};

const access = (status: string): string =>
  `{"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","status":${status}}`;

const RIGHTS_ANSWERS: Readonly<Record<string, PartyAnswer>> = {
  'of 100 MB': (_, response) => json(response, access(`{"allowed":false,"reason":"${'a'.repeat(100 * MIB)}"}`)),
  'with a reason of 1 MB': (_, response) =>
    json(response, access(`{"allowed":false,"reason":"${'a'.repeat(1_000_000)}"}`)),
  'that allow, with a reason of 1 MB': (_, response) =>
    json(response, access(`{"allowed":true,"reason":"${'a'.repeat(1_000_000)}"}`)),
  'of lists in lists': (_, response) => json(response, access(`{"a":${nested('[', '', ']', 9_000)}}`)),
  'of single bytes': (_, response) => trickle(response),
  'that do not come': () => undefined,
};

const rightsAnswers = Object.entries(RIGHTS_ANSWERS).map(([name, answer]): Row => ({
  ...{ name: `reviews of rights, answers ${name}`, rights: 'none', statuses: [0, 200, 403, 404, 500] },
  party: rightsHook(answer),
  mayLog: /webhook|authoriz/,
  sends: async (world, signal) => {
    const client = world.as('none').until(AbortSignal.any([signal, AbortSignal.timeout(2 * DURATION_MS)]));
    const answers = await client.flood({
      request: (index) => ({ method: 'GET', path: `/api/v1/namespaces/attack/secrets/s${index}` }),
      ...{ times: 600, atOnce: 200 },
    });
    client.close();
    return answers;
  },
}));

/** A webhook that gets the events of the audit log. */
const auditHook = (answer: PartyAnswer, mode: string): (() => Promise<Party>) => {
  const flags = (files: PartyFiles): readonly string[] => {
    const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'RequestResponse' }] };
    return [
      ...[`--audit-webhook-config-file=${kubeconfig(files)}`, `--audit-webhook-mode=${mode}`],
      `--audit-policy-file=${files.write('policy.json', JSON.stringify(policy))}`,
    ];
  };
  return () => startParty(answer, flags);
};

const AUDIT_ANSWERS: Readonly<Record<string, PartyAnswer>> = {
  'that do not come': () => undefined,
  'of 100 MB': (_, response) => json(response, 'a'.repeat(100 * MIB)),
  'of single bytes': (_, response) => trickle(response),
  'of errors': (_, response) => response.writeHead(503, { 'retry-after': '0' }).end('a'.repeat(100_000)),
};

const audits = Object.entries(AUDIT_ANSWERS).flatMap(([name, answer]): Row[] =>
  ['batch'].map((mode) => ({
    ...{ name: `events of audit in ${mode}, answers ${name}`, rights: 'edit', statuses: [0, 201, 413, 429] },
    party: auditHook(answer, mode),
    mayLog: /audit/,
    keepsMb: 96,
    sends: async (world, signal) => {
      const body = (index: number): string =>
        JSON.stringify({ metadata: { name: `m${index}` }, data: { a: 'b\n'.repeat(25_000) } });
      const client = world.as('edit').until(signal);
      return client.flood({
        request: (index) => ({
          method: 'POST',
          path: '/api/v1/namespaces/attack/configmaps?dryRun=All',
          body: body(index),
        }),
        ...{ times: 4_000, atOnce: 32 },
      });
    },
  })),
);

/** The rows. */
export const parties: readonly Row[] = [
  ...documents,
  ...SIGNED,
  ...tokenAnswers,
  ...TOKENS_LEFT,
  ...rightsAnswers,
  ...audits,
];
