import { isMap, listOf, textOf } from '../data/guards.js';
import { wordsOf } from '../data/api.js';
import { objectIn } from '../data/yaml-text.js';
import { decodePem } from './certificates.js';
import { broken, knownFacts, type Decoded } from './decoded.js';
import { bytesIn } from './find.js';
import { decodeToken } from './token.js';

/** Decodes a kubeconfig: its contexts, clusters and users, with the certificates and tokens in them. Keys are not shown. */
export async function decodeKubeconfig(text: string, now: number): Promise<Decoded> {
  let config: unknown;
  try {
    config = objectIn(text);
  } catch (error) {
    return broken('Kubeconfig', wordsOf(error));
  }
  if (!isMap(config)) return broken('Kubeconfig', 'is not a map');
  const contexts = entriesIn(config['contexts'], 'context').map(({ name, body }): Decoded => ({
    title: `Context ${name}`,
    facts: knownFacts(['cluster', 'user', 'namespace'].map((key) => [key, textOf(body[key])] as const)),
    parts: [],
    problem: undefined,
  }));
  const clusters = await Promise.all(
    entriesIn(config['clusters'], 'cluster').map(async ({ name, body }) => ({
      title: `Cluster ${name}`,
      facts: knownFacts([
        ['Server', textOf(body['server'])],
        ['Certificate of the server', body['insecure-skip-tls-verify'] === true ? '▲ is not verified' : undefined],
      ]),
      parts: await certificatesIn(body['certificate-authority-data'], now),
      problem: undefined,
    })),
  );
  const users = await Promise.all(entriesIn(config['users'], 'user').map((entry) => decodeUser(entry, now)));
  const facts = knownFacts([['Current context', textOf(config['current-context'])]]);
  return { title: 'Kubeconfig', facts, parts: [...contexts, ...clusters, ...users], problem: undefined };
}

/** A named entry of a kubeconfig. */
interface Entry {
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const entriesIn = (list: unknown, member: string): readonly Entry[] =>
  listOf(list).flatMap((entry): Entry[] => {
    const body = isMap(entry) ? entry[member] : undefined;
    return isMap(entry) && isMap(body) ? [{ name: textOf(entry['name']) ?? '', body }] : [];
  });

async function decodeUser({ name, body }: Entry, now: number): Promise<Decoded> {
  const token = textOf(body['token']);
  const isJwt = token?.split('.').length === 3;
  const hasKey = body['client-key-data'] !== undefined || body['client-key'] !== undefined;
  const facts = knownFacts([
    ['Client key', hasKey ? 'is there, and is not shown' : undefined],
    ['Token', token !== undefined && !isJwt ? 'is there, and is not shown' : undefined],
    ['Password', body['password'] === undefined ? undefined : 'is there, and is not shown'],
    ['Program', isMap(body['exec']) ? textOf(body['exec']['command']) : undefined],
  ]);
  const parts = await certificatesIn(body['client-certificate-data'], now);
  const tokens = token !== undefined && isJwt ? [decodeToken(token, now)] : [];
  return { title: `User ${name}`, facts, parts: [...parts, ...tokens], problem: undefined };
}

async function certificatesIn(data: unknown, now: number): Promise<readonly Decoded[]> {
  if (typeof data !== 'string') return [];
  const pem = bytesIn(data);
  return pem === undefined ? [broken('Certificates', 'are not base64')] : decodePem(pem, now);
}
