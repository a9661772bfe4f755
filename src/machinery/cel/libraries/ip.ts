/**
 * IP addresses: `ip(text)`, `isIP(text)`, `ip.isCanonical(text)`, and the kinds of addresses.
 *
 * @module
 */
import { goQuote } from '../../../foundation/index.js';
import { unknownSize } from '../cost/cost-bounds.js';
import { textCost } from '../cost/meter.js';
import { failure, type CelFailure } from '../evaluate/failures.js';
import { CelOpaque } from '../evaluate/values.js';
import { declare, method, overload, type CelLibrary, type FunctionDeclaration } from '../types/declarations.js';
import { boolType, intType, opaqueType, stringType } from '../types/types.js';
import { textTraversal, traversalBounds } from './estimates.js';
import {
  bitLength,
  containsAddress,
  formatIpAddress,
  isMappedIpv4,
  parseIpAddress,
  parseIpNetwork,
  type IpAddress,
} from './ip-address.js';

/** An IP address. */
export class IpValue extends CelOpaque {
  readonly typeName = 'net.IP';
  readonly address: IpAddress;
  override readonly size: number;

  constructor(address: IpAddress) {
    super();
    this.address = address;
    this.size = bitLength(address) / 8;
  }

  equals(other: CelOpaque): boolean {
    return (
      other instanceof IpValue &&
      other.address.family === this.address.family &&
      other.address.value === this.address.value
    );
  }
}

/** The type of IP addresses. */
export const ipType = opaqueType('net.IP', IpValue, false);

/** Maximum number of characters of a text that is parsed: no address or network has as many. */
export const MAX_ADDRESS_LENGTH = 1024;

/** Parses an address, which must not have a zone and must not be an IPv4 address in IPv6 form. */
export function ipValueOf(text: string): IpValue | CelFailure {
  if (text.length > MAX_ADDRESS_LENGTH)
    return failure(`IP Address parse error during conversion from string: more than ${MAX_ADDRESS_LENGTH} characters`);
  const address = parseIpAddress(text);
  if (typeof address === 'string')
    return failure(`IP Address ${goQuote(text)} parse error during conversion from string: ${address}`);
  if (address.zone !== '') return failure(`IP address ${goQuote(text)} with zone value is not allowed`);
  if (isMappedIpv4(address)) return failure(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  return new IpValue(address);
}

/** Returns a test for addresses of these networks. */
function inNetworks(...texts: readonly string[]): (address: IpAddress) => boolean {
  const networks = texts.map((text) => {
    const network = parseIpNetwork(text);
    if (typeof network === 'string') throw new TypeError(network);
    return network;
  });
  return (address) => networks.some((network) => containsAddress(network, address));
}

const isUnspecified = inNetworks('0.0.0.0/32', '::/128');
const isLoopback = inNetworks('127.0.0.0/8', '::1/128');
const isLinkLocalUnicast = inNetworks('169.254.0.0/16', 'fe80::/10');
const isMulticast = inNetworks('224.0.0.0/4', 'ff00::/8');
const isBroadcast = inNetworks('255.255.255.255/32');

/** Link-local multicast addresses of IPv6 may have any flags, the third digit. */
const isLinkLocalMulticast = inNetworks(
  '224.0.0.0/24',
  ...Array.from({ length: 16 }, (_, flags) => `ff${flags.toString(16)}2::/16`),
);

const isGlobalUnicast = (address: IpAddress): boolean =>
  ![isUnspecified, isBroadcast, isLoopback, isMulticast, isLinkLocalUnicast].some((isOther) => isOther(address));

const test = (name: string, id: string, holds: (address: IpAddress) => boolean): FunctionDeclaration =>
  declare(
    name,
    method(id, [ipType], boolType, ([{ address }]) => holds(address)),
  );

const parsingCost = ([text]: readonly [string]): number => textCost(text);

/** The functions on IP addresses. */
export const ipLibrary: CelLibrary = {
  name: 'ip',
  types: [ipType],
  functions: [
    declare('ip', {
      ...overload('string_to_ip', [stringType], ipType, ([text]) => ipValueOf(text), parsingCost),
      estimate: textTraversal,
    }),
    declare('isIP', {
      ...overload('is_ip', [stringType], boolType, ([text]) => ipValueOf(text) instanceof IpValue, parsingCost),
      estimate: textTraversal,
    }),
    declare('ip.isCanonical', {
      ...overload(
        'ip_is_canonical',
        [stringType],
        boolType,
        ([text]) => {
          const value = ipValueOf(text);
          return value instanceof IpValue ? formatIpAddress(value.address) === text : value;
        },
        ([text]) => textCost(text, 2),
      ),
      estimate: ([text]) => ({ cost: traversalBounds(text?.size ?? unknownSize, 2) }),
    }),
    declare(
      'family',
      method('ip_family', [ipType], intType, ([{ address }]) => BigInt(address.family)),
    ),
    test('isUnspecified', 'ip_is_unspecified', isUnspecified),
    test('isLoopback', 'ip_is_loopback', isLoopback),
    test('isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticast),
    test('isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicast),
    test('isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicast),
    declare(
      'string',
      overload('ip_to_string', [ipType], stringType, ([{ address }]) => formatIpAddress(address)),
    ),
  ],
};
