/** The remaining lifetimes of client certificates, in the metrics of Kubernetes. */
import { afterEach, expect, test } from 'vitest';
import { GeneratedAuthority } from '../../src/security/authorities/generated-authority.js';
import { ApiServer, kubernetes, type ApiServerOptions } from '../../src/entries/index.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { createManualClock, seededEntropy } from '../../src/entries/testing.js';
import { authority, client, CN, DAY, NOW, O, type Identity } from '../security/pki/support/issue.js';
import { ask, textOf } from './ask.js';

const servers: ApiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const root = authority('root', { notAfter: NOW + 100 * DAY });
const PATH = '/api/v1/namespaces/default/configmaps';
const NAME = 'apiserver_client_certificate_expiration_seconds';

function start(options: ApiServerOptions): { server: ApiServer; clock: ReturnType<typeof createManualClock> } {
  const clock = createManualClock(NOW);
  const admin = { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } };
  const server = new ApiServer({
    dialect: kubernetes,
    clock,
    ...options,
    authentication: { tokens: [admin], ...options.authentication },
  });
  servers.push(server);
  return { server, clock };
}

const metricsOf = async (server: ApiServer): Promise<string> => textOf(await ask(server, 'GET', '/metrics'));

async function codeFor(server: ApiServer, certificate: Identity): Promise<number> {
  return (await ask(server, 'GET', PATH, { token: '', chain: [certificate.der] })).status;
}

test('each request with a certificate is counted, also one whose certificate is not accepted', async () => {
  const { server, clock } = start({ authentication: { clientCertificates: { certificateAuthorities: root.pem } } });
  const alice = client([O('system:masters'), CN('alice')], root, { notAfter: NOW + DAY });
  const stranger = client('alice', authority('other'), { notAfter: NOW + 30 * DAY });
  const codes = [await codeFor(server, alice), await codeFor(server, alice), await codeFor(server, stranger)];
  await clock.advance(2 * DAY);
  codes.push(await codeFor(server, alice));
  expect(codes).toEqual([200, 200, 401, 401]);
  const lines = (await metricsOf(server)).split('\n').filter((line) => line.includes(NAME));
  expect(lines).toEqual([
    `# HELP ${NAME} [ALPHA] Distribution of the remaining lifetime on the certificate used to authenticate a request.`,
    `# TYPE ${NAME} histogram`,
    `${NAME}_bucket{le="0"} 1`,
    ...['1800', '3600', '7200', '21600', '43200'].map((bound) => `${NAME}_bucket{le="${bound}"} 1`),
    ...['86400', '172800', '345600', '604800'].map((bound) => `${NAME}_bucket{le="${bound}"} 3`),
    ...['2.592e+06', '7.776e+06', '1.5552e+07', '3.1104e+07', '+Inf'].map((le) => `${NAME}_bucket{le="${le}"} 4`),
    `${NAME}_sum 2.6784e+06`,
    `${NAME}_count 4`,
  ]);
});

test('a request with a token is not counted', async () => {
  const { server } = start({ authentication: { clientCertificates: { certificateAuthorities: root.pem } } });
  expect(await metricsOf(server)).toContain(`\n${NAME}_count 0\n`);
});

test('a certificate that the authority of the server did not issue', async () => {
  const clock = createManualClock(NOW);
  const storage = createMemoryStorage({ clock });
  const { server } = start({ clock, storage });
  const parts = { storage, clock, entropy: seededEntropy(1), dialect: kubernetes };
  const generated = new GeneratedAuthority(parts);
  await generated.current();
  generated.close();
  expect(await codeFor(server, client('alice', root, { notAfter: NOW + DAY }))).toBe(401);
  expect(await metricsOf(server)).toContain(`\n${NAME}_count 1\n`);
});
