/**
 * Networks in CIDR notation: `cidr(text)`, `isCIDR(text)`, their addresses and their containment.
 *
 * @module
 */
import { goQuote } from '../../../foundation/index.js';
import { addBounds, exactly, unknownSize, type CostBounds } from '../cost/cost-bounds.js';
import type { EstimatedOperand } from '../cost/estimate.js';
import { textCost, traversalCost } from '../cost/meter.js';
import { CelFailure, failure, noSuchOverload } from '../evaluate/failures.js';
import { CelOpaque } from '../evaluate/values.js';
import {
  declare,
  method,
  overload,
  type CelLibrary,
  type FunctionDeclaration,
  type Overload,
} from '../types/declarations.js';
import { boolType, intType, opaqueType, stringType } from '../types/types.js';
import { textTraversal, traversalBounds } from './estimates.js';
import {
  containsAddress,
  formatIpAddress,
  isMappedIpv4,
  maskedNetwork,
  parseIpNetwork,
  type IpNetwork,
} from './ip-address.js';
import { IpValue, ipType, ipValueOf, MAX_ADDRESS_LENGTH } from './ip.js';

/** A network. */
class CidrValue extends CelOpaque {
  readonly typeName = 'net.CIDR';
  readonly network: IpNetwork;
  override readonly size: number;

  constructor(network: IpNetwork) {
    super();
    this.network = network;
    this.size = Math.ceil(network.bits / 8);
  }

  equals(other: CelOpaque): boolean {
    return other instanceof CidrValue && formatNetwork(other.network) === formatNetwork(this.network);
  }
}

const cidrType = opaqueType('net.CIDR', CidrValue, false);

const formatNetwork = ({ address, bits }: IpNetwork): string => `${formatIpAddress(address)}/${bits}`;

/** The start of two levels of errors. */
const PARSE_ERROR = 'network address parse error during conversion from string: ';

function cidrValueOf(text: string): CidrValue | CelFailure {
  if (text.length > MAX_ADDRESS_LENGTH) return failure(`${PARSE_ERROR}more than ${MAX_ADDRESS_LENGTH} characters`);
  const network = parseIpNetwork(text);
  if (typeof network === 'string') return failure(`${PARSE_ERROR}${PARSE_ERROR}${network}`);
  return isMappedIpv4(network.address)
    ? failure(`${PARSE_ERROR}IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`)
    : new CidrValue(network);
}

const containsIp = ({ network }: CidrValue, ip: IpValue): boolean => containsAddress(network, ip.address);

const containsNetwork = ({ network }: CidrValue, other: CidrValue): boolean =>
  network.bits <= other.network.bits && containsAddress(network, other.network.address);

const parsingCost = ([text]: readonly [string]): number => textCost(text);
/** The bytes of the network are compared twice: Kubernetes counts the prefix for the address too. */
const addressCost = ({ size }: CidrValue): number => traversalCost(size, 2);
/** Two networks: the address, its mask, and the comparison of the lengths. */
const networkCost = (cidr: CidrValue): number => addressCost(cidr) + traversalCost(cidr.size) + 1;

/** Addresses have 4 to 16 bytes. */
const addressBounds: CostBounds = { min: 4n, max: 16n };
const addressEstimate = traversalBounds(addBounds(addressBounds, addressBounds));
const networkEstimate = addBounds(addBounds(addressEstimate, traversalBounds(addressBounds)), exactly(1));

/** Returns the overload with an estimate; a text must be parsed first. */
const withEstimate = (form: Overload, comparison: CostBounds): Overload => ({
  ...form,
  estimate: ([, other]: readonly EstimatedOperand[]) => ({
    cost:
      form.parameters[1]?.kind === 'string'
        ? addBounds(comparison, traversalBounds(other?.size ?? unknownSize))
        : comparison,
  }),
});

const containment: readonly FunctionDeclaration[] = [
  declare(
    'containsIP',
    withEstimate(
      method(
        'cidr_contains_ip_string',
        [cidrType, stringType],
        boolType,
        ([cidr, text]) => {
          const ip = ipValueOf(text);
          // Kubernetes hides the error of the text.
          return ip instanceof CelFailure ? noSuchOverload() : containsIp(cidr, ip);
        },
        ([cidr, text]) => addressCost(cidr) + textCost(text),
      ),
      addressEstimate,
    ),
    withEstimate(
      method(
        'cidr_contains_ip_ip',
        [cidrType, ipType],
        boolType,
        ([cidr, ip]) => containsIp(cidr, ip),
        ([cidr]) => addressCost(cidr),
      ),
      addressEstimate,
    ),
  ),
  declare(
    'containsCIDR',
    withEstimate(
      method(
        'cidr_contains_cidr_string',
        [cidrType, stringType],
        boolType,
        ([cidr, text]) => {
          const other = cidrValueOf(text);
          return other instanceof CelFailure ? other : containsNetwork(cidr, other);
        },
        ([cidr, text]) => networkCost(cidr) + textCost(text),
      ),
      networkEstimate,
    ),
    withEstimate(
      method(
        'cidr_contains_cidr',
        [cidrType, cidrType],
        boolType,
        ([cidr, other]) => containsNetwork(cidr, other),
        ([cidr]) => networkCost(cidr),
      ),
      networkEstimate,
    ),
  ),
];

/** The functions on networks. They need {@link ipLibrary}. */
export const cidrLibrary: CelLibrary = {
  name: 'cidr',
  types: [cidrType],
  functions: [
    declare('cidr', {
      ...overload('string_to_cidr', [stringType], cidrType, ([text]) => cidrValueOf(text), parsingCost),
      estimate: textTraversal,
    }),
    declare('isCIDR', {
      ...overload('is_cidr', [stringType], boolType, ([text]) => cidrValueOf(text) instanceof CidrValue, parsingCost),
      estimate: textTraversal,
    }),
    ...containment,
    declare(
      'ip',
      method('cidr_ip', [cidrType], ipType, ([{ network }]) => new IpValue(network.address)),
    ),
    declare(
      'prefixLength',
      method('cidr_prefix_length', [cidrType], intType, ([{ network }]) => BigInt(network.bits)),
    ),
    declare(
      'masked',
      method('cidr_masked', [cidrType], cidrType, ([{ network }]) => new CidrValue(maskedNetwork(network))),
    ),
    declare(
      'string',
      overload('cidr_to_string', [cidrType], stringType, ([{ network }]) => formatNetwork(network)),
    ),
  ],
};
