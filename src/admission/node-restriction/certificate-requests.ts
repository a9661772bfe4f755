import { decodeBase64Latin1 } from '../../foundation/encoding/base64.js';
import { messageOf } from '../../foundation/errors/error-message.js';
import type { Dialect } from '../../foundation/dialect/dialect.js';
import { readCertificateRequestPem } from '../../security/pki/certificate-request.js';
import { recordAt, textAt } from './fields.js';
import { NODE_USER_PREFIX } from '../../foundation/objects/node-identity.js';
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
