import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { orch, systemClock, systemEntropy } from 'orch-apiserver';
import {
  createServiceAccountAuthenticator,
  createServiceAccountTokenIssuer,
  parseSigningKey,
} from 'orch-apiserver/tokens';
import { interleaved, type Measure } from './measure.js';

/**
 * Different tokens, each of which is checked several times in a round: a new token must be new in more than its text.
 */
const TOKENS = 400;
const REPEATS = 5;
const SIGNATURES = 100;
const ROUNDS = 15;
/** Measured code must be compiled beforehand, or its compilation is measured too. */
const WARM_UP_ROUNDS = 10;
const ISSUER = 'https://bench.example';
const PAIRS = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
} as const;

/** Answers synchronously. For a token of a pod, account, pod and node are looked up. */
const lookup = {
  serviceAccount: () => ({ metadata: { uid: 'b1a4b1f6-2f0b-4a0e-9c5e-6a2d9a4c0001' } }),
  secret: () => undefined,
  pod: () => ({
    metadata: { uid: 'b1a4b1f6-2f0b-4a0e-9c5e-6a2d9a4c0002' },
    spec: { serviceAccountName: 'robot', nodeName: 'node-1' },
  }),
  node: () => ({ metadata: { uid: 'b1a4b1f6-2f0b-4a0e-9c5e-6a2d9a4c0003' } }),
};
const OF_A_POD = { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'robot-0' } };

/**
 * Service-account tokens: cached, seen for the first time, and issued, relative to the cost of their signature alone.
 */
export async function tokens(): Promise<Measure[]> {
  return [...(await measure('RS256')), ...(await measure('ES256'))];
}

async function measure(algorithm: keyof typeof PAIRS): Promise<Measure[]> {
  const { publicKey, privateKey } = PAIRS[algorithm]();
  const signer = await parseSigningKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const common = { dialect: orch, clock: systemClock, audiences: [ISSUER], lookup };
  const issuer = createServiceAccountTokenIssuer({
    ...common,
    signer: () => signer,
    issuer: ISSUER,
    entropy: systemEntropy,
  });
  const issue = (spec: Partial<typeof OF_A_POD> = {}) => issuer.issue({ namespace: 'default', name: 'robot', spec });
  const make = async (spec?: typeof OF_A_POD) =>
    (await Promise.all(Array.from({ length: TOKENS }, () => issue(spec)))).map(({ status }) => status.token);
  const [plain, ofPods] = [await make(), await make(OF_A_POD)];
  const authenticator = (cacheSize: number) =>
    createServiceAccountAuthenticator({ ...common, issuers: [ISSUER], keys: [signer.publicKey], cacheSize });
  const [cached, uncached] = [authenticator(4 * TOKENS), authenticator(0)];
  const request = { signal: new AbortController().signal };
  const raw = plain.map((token) => {
    const [header = '', payload = '', signature = ''] = token.split('.');
    return { data: new TextEncoder().encode(`${header}.${payload}`), signature: Buffer.from(signature, 'base64url') };
  });
  const keyed = <Key>(key: Key) => (algorithm === 'RS256' ? key : ({ key, dsaEncoding: 'ieee-p1363' } as const));
  const [verifying, signing] = [keyed(publicKey), keyed(privateKey)];

  let sink: unknown;
  const forAll =
    <Item>(items: readonly Item[], work: (item: Item) => unknown) =>
    (): void => {
      for (let repeat = 0; repeat < REPEATS; repeat += 1) for (const item of items) sink = work(item);
    };
  const [met, metOfPods] = [plain, ofPods].map((texts) => forAll(texts, (token) => uncached(token, request)));
  if (met === undefined || metOfPods === undefined) throw new Error('nothing to measure');
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) met();
  const costs = await interleaved(ROUNDS, {
    rawVerify: forAll(raw, ({ data, signature }) => verify('sha256', data, verifying, signature)),
    met,
    metOfPods,
    cached: forAll(ofPods, (token) => cached(token, request)),
    rawSign: () => {
      for (const { data } of raw.slice(0, SIGNATURES)) sink = sign('sha256', data, signing);
    },
    issue: () => {
      for (let index = 0; index < SIGNATURES; index += 1) sink = issue();
    },
  });
  if (sink === undefined || sink instanceof Promise) throw new Error('nothing was measured');

  const each = (name: keyof typeof costs): number =>
    costs[name].cpuUs / (name === 'rawSign' || name === 'issue' ? SIGNATURES : TOKENS * REPEATS);
  const alone = (name: 'rawVerify' | 'rawSign', of: keyof typeof costs): string =>
    `${each(of).toFixed(1)} µs of CPU each; the signature alone: ${each(name).toFixed(1)} µs`;
  return [
    {
      name: `authenticate a service-account token, cached (${algorithm})`,
      value: each('cached'),
      unit: 'µs',
      target: { sense: '<=', value: 5 },
      detail: 'of a pod; account, pod and node looked up',
    },
    {
      name: `authenticate a service-account token, not cached, over raw crypto.verify (${algorithm})`,
      value: each('met') / each('rawVerify'),
      unit: '×',
      target: { sense: '<=', value: 1.5 },
      detail: `${alone('rawVerify', 'met')}; of a pod: ${(each('metOfPods') / each('rawVerify')).toFixed(2)} ×`,
    },
    {
      name: `issue a service-account token over raw sign (${algorithm})`,
      value: each('issue') / each('rawSign'),
      unit: '×',
      target: undefined,
      detail: alone('rawSign', 'issue'),
    },
  ];
}
