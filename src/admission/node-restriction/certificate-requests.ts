import type { Dialect } from '../../names/dialect.js';
import { DerReader, DerTag } from '../../pki/der.js';
import { parseDistinguishedName } from '../../pki/distinguished-name.js';
import { parsePem } from '../../pki/pem.js';
import { recordAt, textAt } from './fields.js';
import { NODE_USER_PREFIX } from '../../meta/node-identity.js';
import { NO_OBJECT, type Rule } from './rule.js';

/** The certificates that a node may ask for: of the signers of node agents only those in its own name. What else a request says is for the signer to look at. */
export function certificateRequestRule({ signers }: Dialect): Rule {
  const agents: ReadonlySet<string> = new Set([signers.nodeAgentServing, signers.apiServerClientNodeAgent]);
  return (nodeName, { operation, object }) => {
    if (operation !== 'CREATE') return undefined;
    if (object === undefined) return NO_OBJECT;
    const spec = recordAt(object, 'spec');
    if (!agents.has(textAt(spec, 'signerName'))) return undefined;
    let commonName: string;
    try {
      commonName = commonNameOf(textAt(spec, 'request'));
    } catch (error) {
      return `unable to parse csr: ${error instanceof Error ? error.message : String(error)}`;
    }
    const own = `${NODE_USER_PREFIX}${nodeName}`;
    return commonName === own ? undefined : `can only create a node CSR with CN=${own}`;
  };
}

const LABEL = 'CERTIFICATE REQUEST';
const MALFORMED = 'asn1: syntax error: sequence truncated';

/**
 * The common name of the subject of a certification request (RFC 2986 section 4).
 *
 * @param request PEM in base64, as the API has it
 * @throws Error when it is malformed as far as it is read
 */
function commonNameOf(request: string): string {
  const [block] = parsePem(atob(request)).blocks;
  if (block?.label !== LABEL) throw new Error(`PEM block type must be ${LABEL}`);
  const whole = new DerReader(block.bytes);
  const outer = whole.enter(DerTag.sequence, MALFORMED);
  whole.end('asn1: syntax error: trailing data');
  const info = outer.enter(DerTag.sequence, MALFORMED);
  info.element(DerTag.integer, MALFORMED);
  return parseDistinguishedName(info.element(DerTag.sequence, MALFORMED)).commonName;
}
