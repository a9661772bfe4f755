/**
 * The rules of the built-in signers for requesters, names and usages (identity-resources.md, "Well-known signer
 * names").
 *
 * A rule returns Kubernetes' message when a request breaks it, and undefined otherwise.
 *
 * @module
 */
import { NODE_USER_PREFIX, NODES_GROUP, type DialectSigners } from '../../foundation/index.js';
import type { CertificateRequest } from '../../security/index.js';

/** Checks a PKCS #10 request and the usages in `spec.usages`. */
export type SignerRule = (request: CertificateRequest, usages: readonly string[]) => string | undefined;

/** Optional everywhere: only RSA keys can encipher keys. */
const ONLY_FOR_RSA = 'key encipherment';

/** In the order of Kubernetes' messages. */
const NODE_CLIENT_USAGES = ['client auth', 'digital signature', ONLY_FOR_RSA];
const NODE_SERVING_USAGES = ['digital signature', ONLY_FOR_RSA, 'server auth'];

/**
 * Client certificates of node agents: the node's name and group, no alternative names, and exactly the client usages.
 */
export const nodeClientProblem: SignerRule = (request, usages) => {
  const { organizations, commonName } = request.subject;
  if (!isNodesGroup(organizations)) return 'subject organization is not system:nodes';
  if (request.dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (request.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (request.ipAddresses.length > 0) return 'IP subjectAltNames are not allowed';
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed';
  if (!commonName.startsWith(NODE_USER_PREFIX)) return 'subject common name does not begin with system:node:';
  return usagesProblem(usages, NODE_CLIENT_USAGES);
};

/**
 * Serving certificates of node agents: the node's name and group, DNS names and IP addresses only, and exactly the
 * server usages.
 */
const nodeServingProblem: SignerRule = (request, usages) => {
  const { organizations, commonName } = request.subject;
  if (!isNodesGroup(organizations)) return 'subject organization is not system:nodes';
  if (request.dnsNames.length === 0 && request.ipAddresses.length === 0) return 'DNS or IP subjectAltName is required';
  if (request.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed';
  const problem = usagesProblem(usages, NODE_SERVING_USAGES);
  if (problem !== undefined) return problem;
  return commonName.startsWith(NODE_USER_PREFIX) ? undefined : 'subject common name does not begin with system:node:';
};

/** Client certificates of any user: the approver is responsible for the names. */
const clientProblem: SignerRule = (_request, usages) => {
  const other = usages.find((usage) => !NODE_CLIENT_USAGES.includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
};

/** The rule of each built-in signer. */
export const signerRules: Readonly<Record<keyof DialectSigners, SignerRule>> = {
  nodeAgentServing: nodeServingProblem,
  apiServerClientNodeAgent: nodeClientProblem,
  apiServerClient: clientProblem,
  // The legacy signer accepts every approved request.
  legacyUnknown: () => undefined,
};

function isNodesGroup(organizations: readonly string[]): boolean {
  return organizations.length === 1 && organizations[0] === NODES_GROUP;
}

function usagesProblem(usages: readonly string[], required: readonly string[]): string | undefined {
  const requested = new Set(usages);
  const fits =
    required.every((usage) => requested.has(usage) || usage === ONLY_FOR_RSA) &&
    [...requested].every((usage) => required.includes(usage));
  return fits ? undefined : `usages did not match [${required.join(' ')}]`;
}
