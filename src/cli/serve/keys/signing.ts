import type { CertificateOptions } from '../../../apiserver/index.js';
import { aggregate } from '../../../client/node.js';
import { goQuote, type Clock, type Logger } from '../../../foundation/index.js';
import { UsageError } from '../../usage-error.js';
import type { SigningValues } from '../flags/signing-flags.js';
import { CertificatePair, clientPurpose, signingPurpose, type PairPurpose } from './certificate-pair.js';

/** The signers that may have a separate authority, with the prefixes of their flags. */
const SEPARATE_SIGNERS = {
  nodeAgentServing: 'cluster-signing-node-agent-serving',
  apiServerClientNodeAgent: 'cluster-signing-node-agent-client',
  apiServerClient: 'cluster-signing-api-server-client',
  legacyUnknown: 'cluster-signing-legacy-unknown',
} as const;

type Stem = 'cluster-signing' | 'proxy-client' | (typeof SEPARATE_SIGNERS)[keyof typeof SEPARATE_SIGNERS];

/** Signing options of a server, built from its flags. */
export interface SigningSetup {
  readonly certificates: CertificateOptions;
  /** Stops background work. Call it after the server is closed. */
  close(): void;
}

/** Reads the authorities that the flags name, and reloads changed files.
 *
 * @throws UsageError when a flag or a file is invalid; no background work remains
 */
export async function setUpSigning(values: SigningValues, clock: Clock, logger: Logger): Promise<SigningSetup> {
  const problems = signingProblems(values);
  if (problems.length > 0) throw new UsageError(aggregate(problems));
  const common = await pairOf(values, 'cluster-signing', signingPurpose);
  const frontProxy = await pairOf(values, 'proxy-client', clientPurpose);
  const entries = await Promise.all(
    Object.entries(SEPARATE_SIGNERS).map(
      async ([signer, stem]) => [signer, await pairOf(values, stem, signingPurpose)] as const,
    ),
  );
  const given = entries.filter((entry): entry is [string, CertificatePair] => entry[1] !== undefined);
  const pairs = [common, frontProxy, ...given.map(([, pair]) => pair)].filter((pair) => pair !== undefined);
  for (const pair of pairs) pair.watch(clock, logger);
  return {
    certificates: {
      // As in Kubernetes, a signer without an authority does not sign when other signers have one.
      authority: common?.current ?? (given.length === 0 ? 'made' : 'none'),
      signers: Object.fromEntries(given.map(([signer, pair]) => [signer, pair.current])),
      duration: values['cluster-signing-duration'],
      frontProxy: frontProxy?.current,
    },
    close() {
      for (const pair of pairs) pair.close();
    },
  };
}

function filesOf(values: SigningValues, stem: Stem): { readonly cert: string; readonly key: string } {
  return { cert: values[`${stem}-cert-file`], key: values[`${stem}-key-file`] };
}

async function pairOf(values: SigningValues, stem: Stem, purpose: PairPurpose): Promise<CertificatePair | undefined> {
  const { cert, key } = filesOf(values, stem);
  return cert === '' ? undefined : CertificatePair.read(`${stem}-cert-file`, cert, `${stem}-key-file`, key, purpose);
}

/** Returns the problems of the flags that need no file, with the messages of Kubernetes. */
function signingProblems(values: SigningValues): string[] {
  const separate = Object.values(SEPARATE_SIGNERS);
  const halves = ['cluster-signing' as const, 'proxy-client' as const, ...separate].flatMap((stem) =>
    halfProblems(stem, filesOf(values, stem)),
  );
  const given = (stem: Stem): boolean => Object.values(filesOf(values, stem)).some((file) => file !== '');
  return [
    ...halves,
    ...(given('cluster-signing') && separate.some(given)
      ? ['cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time']
      : []),
    ...(values['cluster-signing-duration'] > 0 ? [] : ['cluster-signing-duration must be greater than zero']),
  ];
}

function halfProblems(stem: Stem, { cert, key }: { readonly cert: string; readonly key: string }): string[] {
  if ((cert === '') === (key === '')) return [];
  return [`${goQuote(stem)}: cannot specify ${cert === '' ? 'key without cert' : 'cert without key'}`];
}
