import { decodeBase64Latin1, messageOf, NODE_USER_PREFIX, type Dialect } from '../../foundation/index.js';
import { readCertificateRequestPem } from '../../security/index.js';
import { recordAt, textAt } from './fields.js';
import { NO_OBJECT, type Rule } from './rule.js';

/**
 * Restricts certificate requests of a node for node agent signers to its own name. The signer checks the rest of the
 * request.
 */
export function certificateRequestRule({ signers }: Dialect): Rule {
  const agents: ReadonlySet<string> = new Set([signers.nodeAgentServing, signers.apiServerClientNodeAgent]);
  return (nodeName, { operation, object }) => {
    if (operation !== 'CREATE') return undefined;
    if (object === undefined) return NO_OBJECT;
    const spec = recordAt(object, 'spec');
    if (!agents.has(textAt(spec, 'signerName'))) return undefined;
    let commonName: string;
    try {
      ({ commonName } = readCertificateRequestPem(decodeBase64Latin1(textAt(spec, 'request')) ?? '').subject);
    } catch (error) {
      return `unable to parse csr: ${messageOf(error)}`;
    }
    const own = `${NODE_USER_PREFIX}${nodeName}`;
    return commonName === own ? undefined : `can only create a node CSR with CN=${own}`;
  };
}
