import type { FlagValues } from '../../flags/flag.js';
import { duration, text } from '../../flags/kinds.js';

const signerFlags = (certificates: string) => ({
  cert: text(
    'FILE',
    '',
    `Certificate authority (PEM) that signs ${certificates}, for separate authorities per signer. Excludes --cluster-signing-cert-file.`,
  ),
  key: text('FILE', '', 'Private key of that authority (PEM).'),
});
const nodeServing = signerFlags('serving certificates of node agents');
const nodeClient = signerFlags('client certificates of node agents');
const client = signerFlags('other client certificates');
const legacy = signerFlags('requests to the legacy signer');

/**
 * The flags of `serve` for the authorities that sign requested certificates (identity-resources.md, "Well-known signer
 * names").
 */
export const signingFlags = {
  'cluster-signing-cert-file': text(
    'FILE',
    '',
    'Certificate authority (PEM) that signs requests to the built-in signers. Default: the server generates one. Reloaded when the file changes.',
  ),
  'cluster-signing-key-file': text('FILE', '', 'Private key of that authority (PEM).'),
  'cluster-signing-node-agent-serving-cert-file': nodeServing.cert,
  'cluster-signing-node-agent-serving-key-file': nodeServing.key,
  'cluster-signing-node-agent-client-cert-file': nodeClient.cert,
  'cluster-signing-node-agent-client-key-file': nodeClient.key,
  'cluster-signing-api-server-client-cert-file': client.cert,
  'cluster-signing-api-server-client-key-file': client.key,
  'cluster-signing-legacy-unknown-cert-file': legacy.cert,
  'cluster-signing-legacy-unknown-key-file': legacy.key,
  'proxy-client-cert-file': text(
    'FILE',
    '',
    'Client certificate (PEM) with which the server calls the servers of other API groups (APIServices). Default: the server issues one. Reloaded when the file changes.',
  ),
  'proxy-client-key-file': text('FILE', '', 'Private key of that certificate (PEM).'),
  'cluster-signing-duration': duration('8760h0m0s', 'Default and maximum lifetime of signed certificates.'),
};

/** Parsed values of the signing flags. */
export type SigningValues = FlagValues<typeof signingFlags>;
