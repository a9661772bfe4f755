import type { FlagValues } from '../flags/flag.js';
import { duration, text } from '../flags/kinds.js';

const forOne = (whose: string) => ({
  cert: text(
    'FILE',
    '',
    `The authority (PEM) that signs ${whose}, where signers have their own; not together with --cluster-signing-cert-file.`,
  ),
  key: text('FILE', '', 'Its key (PEM).'),
});
const nodeServing = forOne('serving certificates of node agents');
const nodeClient = forOne('client certificates of node agents');
const client = forOne('other client certificates');
const legacy = forOne('what the legacy signer is asked for');

/** The flags by which `serve` is told who signs the certificates that are requested of it (identity-resources.md, "Well-known signer names"). */
export const signingFlags = {
  'cluster-signing-cert-file': text(
    'FILE',
    '',
    "The authority (PEM) that signs the certificates which are requested of the platform's own signers. Without any, the server makes one. Read again when it changes.",
  ),
  'cluster-signing-key-file': text('FILE', '', 'Its key (PEM).'),
  'cluster-signing-node-agent-serving-cert-file': nodeServing.cert,
  'cluster-signing-node-agent-serving-key-file': nodeServing.key,
  'cluster-signing-node-agent-client-cert-file': nodeClient.cert,
  'cluster-signing-node-agent-client-key-file': nodeClient.key,
  'cluster-signing-api-server-client-cert-file': client.cert,
  'cluster-signing-api-server-client-key-file': client.key,
  'cluster-signing-legacy-unknown-cert-file': legacy.cert,
  'cluster-signing-legacy-unknown-key-file': legacy.key,
  'cluster-signing-duration': duration(
    '8760h0m0s',
    'How long a signed certificate is valid that says nothing about it, and at most.',
  ),
};

/** What the flags came to. */
export type SigningValues = FlagValues<typeof signingFlags>;
