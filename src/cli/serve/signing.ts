import type { ApiServerOptions } from '../../api-server.js';
import { aggregate } from '../../client/kubeconfig/errors.js';
import { goQuote, type Clock } from '../../meta/index.js';
import type { Logger } from '../../meta/logger.js';
import { UsageError } from '../usage-error.js';
import type { SigningValues } from './signing-flags.js';
import { SigningPair } from './signing-pair.js';

/** The signers that may have an authority of their own, and what their flags begin with. */
const ONES = {
  nodeAgentServing: 'cluster-signing-node-agent-serving',
  apiServerClientNodeAgent: 'cluster-signing-node-agent-client',
  apiServerClient: 'cluster-signing-api-server-client',
  legacyUnknown: 'cluster-signing-legacy-unknown',
} as const;

type Stem = 'cluster-signing' | (typeof ONES)[keyof typeof ONES];

/** Who signs the certificates that are requested of a server, as its flags say. */
export interface SigningSetup {
  readonly options: Pick<ApiServerOptions, 'certificates'>;
  /** Ends what goes on in the background, once the server is closed. */
  close(): void;
}

/**
 * Reads the authorities that the flags name, and follows their files.
 *
 * @throws UsageError when a flag or a file is wrong; nothing goes on in the background then
 */
export async function setUpSigning(values: SigningValues, clock: Clock, logger: Logger): Promise<SigningSetup> {
  const problems = signingProblems(values);
  if (problems.length > 0) throw new UsageError(aggregate(problems));
  const one = await pairOf(values, 'cluster-signing');
  const entries = await Promise.all(
    Object.entries(ONES).map(async ([signer, stem]) => [signer, await pairOf(values, stem)] as const),
  );
  const given = entries.filter((entry): entry is [string, SigningPair] => entry[1] !== undefined);
  const pairs = [...(one === undefined ? [] : [one]), ...given.map(([, pair]) => pair)];
  for (const pair of pairs) pair.watch(clock, logger);
  return {
    options: {
      certificates: {
        // As in production, a signer without a file does not sign where others have one.
        authority: one?.current ?? (given.length === 0 ? 'made' : 'none'),
        signers: Object.fromEntries(given.map(([signer, pair]) => [signer, pair.current])),
        durationMs: values['cluster-signing-duration'],
      },
    },
    close() {
      for (const pair of pairs) pair.close();
    },
  };
}

function filesOf(values: SigningValues, stem: Stem): { readonly cert: string; readonly key: string } {
  return { cert: values[`${stem}-cert-file`], key: values[`${stem}-key-file`] };
}

async function pairOf(values: SigningValues, stem: Stem): Promise<SigningPair | undefined> {
  const { cert, key } = filesOf(values, stem);
  return cert === '' ? undefined : SigningPair.read(`${stem}-cert-file`, cert, `${stem}-key-file`, key);
}

/** What is wrong with the flags before any file is read, in production's words. */
function signingProblems(values: SigningValues): string[] {
  const ones = Object.values(ONES);
  const halves = ['cluster-signing' as const, ...ones].flatMap((stem) => halfProblems(stem, filesOf(values, stem)));
  const given = (stem: Stem): boolean => Object.values(filesOf(values, stem)).some((file) => file !== '');
  return [
    ...halves,
    ...(given('cluster-signing') && ones.some(given)
      ? ['cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time']
      : []),
    ...(values['cluster-signing-duration'] > 0 ? [] : ['cluster-signing-duration must be greater than zero']),
  ];
}

function halfProblems(stem: Stem, { cert, key }: { readonly cert: string; readonly key: string }): string[] {
  if ((cert === '') === (key === '')) return [];
  return [`${goQuote(stem)}: cannot specify ${cert === '' ? 'key without cert' : 'cert without key'}`];
}
