/**
 * Warnings about IP addresses and networks that are accepted in a form that other programs may refuse or rewrite.
 *
 * @module
 */
import { goQuote, type Dialect } from '../../../../foundation/index.js';
import { ipOctets, ipText } from './ip-address.js';

const willBeInvalid = (path: string, what: string, { openApi }: Dialect, problem: string): string =>
  `${path}: IP ${what} was accepted, but will be invalid in a future ${openApi.title} release: ${problem}`;

const notCanonical = (path: string, what: string, text: string, canonical: string): string =>
  `${path}: IPv6 ${what} ${goQuote(text)} is not in RFC 5952 canonical format (${goQuote(canonical)}), which may cause controller apply-loops`;

/** Returns Go's message for an address that it does not parse; undefined when it does. */
export function addressProblem(text: string): string | undefined {
  const problem = (why: string): string => `ParseAddr(${goQuote(text)}): ${why}`;
  if (text === '') return problem('unable to parse IP');
  if (text.includes(':')) return ipOctets(text) === undefined ? problem('unable to parse IP') : undefined;
  const fields = text.split('.');
  if (fields.length !== 4 || !fields.every((field) => /^[0-9]+$/.test(field))) return problem('unable to parse IP');
  if (fields.some((field) => field.length > 1 && field.startsWith('0')))
    return problem('IPv4 field has octet with leading zero');
  return fields.some((field) => Number(field) > 255) ? problem('IPv4 field has value >255') : undefined;
}

/** Returns the canonical text of an address; an IPv4-mapped address keeps its IPv6 form. */
function canonical(text: string): string {
  const octets = ipOctets(text);
  if (octets === undefined) return text;
  return octets.length === 4 && text.includes(':') ? `::ffff:${ipText(octets)}` : ipText(octets);
}

/** Returns the warnings of an address. */
export function addressWarnings(path: string, address: string, dialect: Dialect): string[] {
  const problem = addressProblem(address);
  if (problem !== undefined) return [willBeInvalid(path, 'address', dialect, problem)];
  if (!address.includes(':') || canonical(address) === address) return [];
  return [notCanonical(path, 'address', address, canonical(address))];
}

/** Returns Go's message for a network in CIDR notation that it does not parse; undefined when it does. */
export function networkProblem(network: string): string | undefined {
  const problem = (why: string): string => `netip.ParsePrefix(${goQuote(network)}): ${why}`;
  const slash = network.lastIndexOf('/');
  if (slash < 0) return problem("no '/'");
  const why = addressProblem(network.slice(0, slash));
  if (why !== undefined) return problem(why);
  const bits = network.slice(slash + 1);
  if (!/^(0|[1-9][0-9]{0,2})$/.test(bits)) return problem(`bad bits after slash: ${goQuote(bits)}`);
  return Number(bits) > (network.includes(':') ? 128 : 32) ? problem('prefix length out of range') : undefined;
}

/** Returns the warnings of a network in CIDR notation. */
export function networkWarnings(path: string, network: string, dialect: Dialect): string[] {
  const problem = networkProblem(network);
  if (problem !== undefined) return [willBeInvalid(path, 'prefix', dialect, problem)];
  const slash = network.lastIndexOf('/');
  const text = `${canonical(network.slice(0, slash))}${network.slice(slash)}`;
  return network.includes(':') && text !== network ? [notCanonical(path, 'prefix', network, text)] : [];
}
